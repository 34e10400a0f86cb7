//! Training and running Caffe networks: the border for programs that embed FireCaffe.
//!
//! [`Job`] trains what a solver describes; [`Job::step`] is one iteration and the map of the
//! program. [`Single`] runs one net without a solver: scoring, timing, classifying. Both report
//! what happens as [`Event`]s and take clock, seed and stop requests as arguments; neither prints
//! nor reads flags or environment.
//!
//! ```
//! use train::{Job, JobConfig, NoControl, files::solver_from_text};
//!
//! // Learns y = 3 a + 2 b + 1 from four points.
//! let solver = solver_from_text(
//!     "line",
//!     r#"
//!     base_lr: 0.5  lr_policy: "fixed"  momentum: 0.9  random_seed: 1
//!     net_param {
//!       layer { name: "points" type: "MemoryData" top: "ab" top: "y"
//!               memory_data_param { batch_size: 4 channels: 2 height: 1 width: 1 } }
//!       layer { name: "line" type: "InnerProduct" bottom: "ab" top: "line"
//!               inner_product_param { num_output: 1 } }
//!       layer { name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss" }
//!     }"#,
//! )?;
//! let mut job = Job::open(JobConfig::new(solver), &mut |_| {})?;
//! job.set_input_arrays("points", &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0], &[1.0, 3.0, 4.0, 6.0])?;
//! for _ in 0..300 {
//!     job.step(&NoControl, &mut |_| {})?;
//! }
//! let line = &job.model()?.layer[1];
//! let [a, b] = line.blobs[0].data[..] else { panic!("two weights") };
//! assert!((a - 3.0).abs() < 1e-3 && (b - 2.0).abs() < 1e-3);
//! assert!((line.blobs[1].data[0] - 1.0).abs() < 1e-3);
//! # Ok::<(), train::TrainError>(())
//! ```
//!
//! A program depends on this crate alone: it re-exports the types of others that its signatures
//! name. [`JobConfig`] and [`Ranks::joined`] have examples.
//!
//! ```
//! use train::files::net_from_text;
//! use train::{Event, MemoryPlan, Net, NetConfig, NetParameter, NetState, Phase, Shape, Simd};
//! use train::{Single, TrainError};
//!
//! fn shape_of(net: &Net, blob: &str) -> Option<Shape> {
//!     net.blob_shape(blob).cloned()
//! }
//!
//! let written: NetParameter = net_from_text(
//!     "net",
//!     r#"layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 } } }"#,
//! )?;
//! let state = NetState { phase: Some(Phase::Test), ..NetState::default() };
//! let (simd, memory_plan) = (Simd::detect(), MemoryPlan::ForwardOnly);
//! let config = NetConfig { state, simd, memory_plan, ..NetConfig::new("net") };
//! let mut compiled = 0;
//! let single = Single::build(&config, &written, &mut |event| {
//!     compiled += usize::from(matches!(event, Event::NetCompiled { .. }));
//! })?;
//! assert_eq!(compiled, 1);
//! assert_eq!(shape_of(single.net(), "x").map(|shape| shape.count()), Some(6));
//! # Ok::<(), TrainError>(())
//! ```

mod assemble;
mod batches;
mod catch_up;
mod compression;
mod compute;
mod config;
mod cores;
mod emulation;
mod error;
mod evaluate;
mod event;
pub mod files;
mod histogram;
mod input_arrays;
mod job;
mod lend;
mod matrix;
mod memory;
pub mod nets;
mod notices;
mod open;
mod output;
mod pace;
mod placement;
mod plan;
mod program;
mod ranks;
mod records;
mod report;
mod restore;
mod run;
mod run_id;
mod save;
mod score;
mod seconds;
mod set_up;
mod single;
mod sources;
mod start;
mod step;
mod stragglers;
mod sync;
mod threads;
mod timeline;
mod times;
pub mod tools;
mod weights;
mod worker;

pub use config::{BUCKET_BYTES, DataMode, JobConfig, ResumeData, TIMELINE_BYTES};
pub use cores::{AnyCores, WorkerCores};
pub use emulation::{Emulation, EmulationProblem, MachineMemory};
pub use error::{
    ComparedItem, CompressionProblem, PlacementProblem, RecordsProblem, ResumeProblem,
    SolverProblem, TensorProblem, TrainError, WhichNet, WorkerCount,
};
pub use event::{
    DecisionOrigin, Display, Event, GradientEvent, NetOrigin, RecordMemory, ResumeGap,
};
pub use histogram::{ParamHistograms, ValueHistogram};
pub use job::Job;
pub use lend::LentNet;
pub use matrix::attach_matrices;
pub use memory::{LimitOrigin, MemoryLimit, MemoryNeed, MemoryPool};
pub use open::check_solver;
pub use placement::{BatchNormState, Overlap, ReplicaPlacement};
pub use program::program_version;
pub use ranks::{Alarm, Ranks};
pub use run::{Control, NoControl, Request};
pub use single::{Means, NetConfig, Single};
pub use sources::FileSources;
pub use step::{DivergenceRemedy, DrivenStep, ReplicaOutput, StepError, StepOutput};
pub use stragglers::StragglerCause;
pub use sync::SumTraffic;
pub use timeline::{Activity, ActivitySpan, TimelineTrack, TrackOwner};
pub use times::{NoClock, PhaseTimes};

// Types of other crates in the signatures above: a program depends on `train` alone.
pub use base::random::StateError;
pub use base::{Clock, Rank, Shape, ShapeError, UnknownName};
pub use caffe_format::text::{Diagnostic, Diagnostics};
pub use caffe_format::upgrade::{UpgradeChange, UpgradeError};
pub use caffe_format::{
    BlobError, DataParameterDb, LayerParameter, NetParameter, NetState, Phase, SolverParameter,
};
pub use collective::{
    Algorithm, AlgorithmChoice, AlgorithmChoiceError, AlgorithmRule, NameError, Network,
    Segmentation, SizeError,
};
pub use data::order::RecordSharing;
pub use data::{DataError, FillStage, MisplacedPath, OnBadSample, OptionNotice, PathRoot};
pub use exchange::bench::compression::CompressionBenchError;
pub use exchange::compression::{CompressionConfig, CompressionError};
pub use exchange::wire::{self, WireFormat, WireFormatError};
pub use exchange::{Exchange, ExchangeConfig, ExchangeError};
pub use kernels::{ActiveThreads, Cpu, Simd};
pub use layers::{AddedLayers, DataSourceError};
pub use net::{
    BackwardWork, BlobPart, BlobValues, DebugBlob, DebugValue, LayerBlob, LayerReport,
    LayerStructure, LayerSummary, MemoryPlan, MemoryUse, Mismatch, Net, NetDescription, NetError,
    NetNorms, NetReport, OpenSources, Output, Param, ParamStorage, Precision, RunError,
    SharedParam, SourceReport, TopReport, UnmetRule,
};
pub use profile::{DeviceProfile, DeviceTimes, ProfileError, ProfiledLayer};
pub use safetensors::SafeTensorError;
pub use snapshot::weights::WeightsError;
pub use snapshot::{BatchMeaning, SnapshotError};
pub use solver::{Clipped, SolverError};
pub use tensor::{Layout, SharedSlab, SlabReadGuard};
pub use transport::{Busy, LinkError, RankProgress, Transport, WorkStretch, local};

/// An error with its causes, on one line.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    causes(error).join(": ")
}

/// The messages of an error and of its causes, outermost first.
fn causes(error: &dyn std::error::Error) -> Vec<String> {
    let all = std::iter::successors(Some(error), |error| error.source());
    all.map(ToString::to_string).collect()
}
