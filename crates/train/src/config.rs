//! What a job is, resolved: nothing below reads flags, environment or clock for itself.

use std::path::PathBuf;
use std::sync::Arc;

use base::Clock;
use caffe_format::SolverParameter;
use collective::{AlgorithmChoice, Network};
use data::{PathRoot, ReplicaSlice, order::RecordSharing};
use exchange::compression::CompressionConfig;
use exchange::wire::{BF16, F16, F32, WireFormat};
use kernels::{ActiveThreads, HalfFormat, Simd};
use layers::AddedLayers;
use net::{MemoryPlan, Precision};
use serde::{Deserialize, Serialize};
use snapshot::BatchMeaning;

use crate::cores::{AnyCores, WorkerCores};
use crate::placement::{BatchNormState, Overlap};
use crate::records::TrainRecords;

use crate::files::UnknownFields;
use crate::{Emulation, FileSources, MemoryLimit, MemoryPool, NetOrigin, NoClock};

/// Everything [`Job::open`](crate::Job::open) needs to know.
///
/// [`JobConfig::new`] has defaults for all but the solver. Every field, by what this crate exports:
///
/// ```
/// use std::sync::Arc;
/// use train::files::{UnknownFields, solver_from_text};
/// use train::{ActiveThreads, AddedLayers, AnyCores, BatchMeaning, BatchNormState, DataMode};
/// use train::{JobConfig, Network, NoClock, OnBadSample, Overlap, RecordSharing, ResumeData, Simd};
///
/// let config = JobConfig {
///     solver: solver_from_text("solver", r#"base_lr: 0.1 lr_policy: "fixed" net: "net""#)?,
///     weights: vec!["start.caffemodel".into()],
///     resume: None,
///     resume_data: ResumeData::Continue,
///     threads: 2,
///     workers: 4,
///     replicas: Some(8),
///     batch: BatchMeaning::Global,
///     bucket_bytes: train::BUCKET_BYTES,
///     overlap: Overlap::DuringBackward,
///     allreduce: "ring:0-1M;direct:1M-".parse().expect("two algorithms"),
///     network: Some(Network::GIGABIT),
///     timeline: true,
///     inexact: true,
///     batch_norm: BatchNormState::Replica0,
///     wire: "f16".parse().expect("a wire format"),
///     compression: Some("top-k:share=0.01".parse().expect("a compression")),
///     compression_always: false,
///     emulation: None,
///     keep_diffs: false,
///     precision: "mixed-bf16".parse().expect("a precision"),
///     clock: Arc::new(NoClock),
///     simd: Simd::detect(),
///     seed: 1701,
///     solver_file: Some("nets/solver.prototxt".into()),
///     root: "nets".into(),
///     unknown: UnknownFields::Warn,
///     on_bad_sample: OnBadSample::Skip,
///     memory_limit: None,
///     data: DataMode::Memory,
///     memory_pools: Vec::new(),
///     shuffle: true,
///     sharing: RecordSharing::default(),
///     timeline_bytes: 1_000_000,
///     details: false,
///     histogram_interval: 0,
///     data_threads: Some(2),
///     active_threads: ActiveThreads::default(),
///     cores: Arc::new(AnyCores),
///     added_layers: AddedLayers::default(),
/// };
/// assert_eq!(config.allreduce.named().len(), 2);
/// # Ok::<(), train::TrainError>(())
/// ```
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, one flag each")]
pub struct JobConfig {
    /// The solver, upgraded.
    pub solver: SolverParameter,
    /// Model files to start from, in order; overrides the solver's `weights`.
    pub weights: Vec<PathBuf>,
    /// The solver state to go on from.
    pub resume: Option<PathBuf>,
    /// Where a resumed run reads data.
    pub resume_data: ResumeData,
    /// Threads of each worker.
    pub threads: usize,
    /// Workers in this process.
    pub workers: usize,
    /// Replicas in all; `None` for one per worker, or what the snapshot says.
    pub replicas: Option<usize>,
    /// What `batch_size` means.
    pub batch: BatchMeaning,
    /// A bucket is reduced once it holds more bytes than this.
    pub bucket_bytes: usize,
    /// When gradients are summed.
    pub overlap: Overlap,
    /// How they are summed between ranks, or between the workers of one.
    pub allreduce: AlgorithmChoice,
    /// What `auto` is computed from; `None` for what the exchange assumes.
    pub network: Option<Network>,
    /// Whether to record what every worker did when.
    pub timeline: bool,
    /// Bytes that a Chrome trace of it may have: the first spans and the latest are kept.
    pub timeline_bytes: usize,
    /// Whether displays report times of layers and one iteration in detail.
    pub details: bool,
    /// Iterations between histograms of params and gradients; 0 for none.
    pub histogram_interval: u64,
    /// Go on even where the weights would not be those of one worker.
    pub inexact: bool,
    /// Which BatchNorm statistics test, snapshot and hash use.
    pub batch_norm: BatchNormState,
    /// How gradients are represented in messages, and rounded in every sum.
    pub wire: &'static WireFormat,
    /// How they are summed with fewer bytes; `None` for not at all.
    pub compression: Option<CompressionConfig>,
    /// Compress also where summing densely would take less time.
    pub compression_always: bool,
    /// What to wait for instead of computing; `None` to compute.
    pub emulation: Option<Emulation>,
    /// Whether all diffs can be looked at after an iteration, as in Caffe: those of blobs, and in
    /// the place of a gradient what the update subtracted. Layers then run one by one.
    pub keep_diffs: bool,
    /// What blobs, and the params that layers compute with, are rounded to.
    pub precision: Precision,
    /// Real time, unless nobody asks how long things take.
    pub clock: Arc<dyn Clock>,
    /// SIMD level.
    pub simd: Simd,
    /// Seed when the solver names none.
    pub seed: u32,
    /// The file that the solver was read from, if any: errors about paths in it name its folder.
    pub solver_file: Option<PathBuf>,
    /// Folder that relative paths in prototxts start from; empty for the working directory, as in
    /// Caffe.
    pub root: PathBuf,
    /// Fields that Caffe does not have, in the solver's net files.
    pub unknown: UnknownFields,
    /// What to do with a record that cannot be decoded.
    pub on_bad_sample: data::OnBadSample,
    /// A job that needs more is refused before it allocates; `None` to find out while it runs.
    pub memory_limit: Option<MemoryLimit>,
    /// Where `Data` layers of the train net find their records.
    pub data: DataMode,
    /// What this process takes its memory from: a job whose nets and records need more together is
    /// refused before records are loaded. Empty if nothing is known.
    pub memory_pools: Vec<MemoryPool>,
    /// Whether `Data` layers of the train net read every epoch in a random order of its own. Also
    /// if one of them says `shuffle: true`.
    pub shuffle: bool,
    /// Groups of replicas that each read every record, and epochs for which a replica keeps its
    /// own. Other than the default they need a shuffle, and join what the order depends on.
    pub sharing: RecordSharing,
    /// Most threads that decode and transform records for each replica, as few as keep up with the
    /// net; `None` for as many as a worker has. Batches do not depend on it.
    pub data_threads: Option<usize>,
    /// How many threads of each worker take part in kernels; may change at any time, since nothing
    /// depends on it but speed.
    pub active_threads: ActiveThreads,
    /// Where the threads of workers run.
    pub cores: Arc<dyn WorkerCores>,
    /// Layer types beside those of the table.
    pub added_layers: AddedLayers,
}

/// Default size of a bucket: large enough that the synchronisation per bucket is negligible, small
/// enough that most of AlexNet's gradients are reduced during backward.
pub const BUCKET_BYTES: usize = 4_000_000;
/// What [`JobConfig::timeline_bytes`] is unless set.
pub const TIMELINE_BYTES: usize = 200_000_000;

impl JobConfig {
    /// Trains `solver` from its first iteration: on one thread at the machine's SIMD level, with
    /// the seed 1 if the solver has none, paths relative to the working directory, and an error for
    /// unknown fields and bad records. Fields are public: set what should be otherwise.
    #[must_use]
    pub fn new(solver: SolverParameter) -> Self {
        Self {
            solver,
            weights: Vec::new(),
            resume: None,
            resume_data: ResumeData::Continue,
            threads: 1,
            workers: 1,
            replicas: None,
            batch: BatchMeaning::PerReplica,
            bucket_bytes: BUCKET_BYTES,
            overlap: Overlap::DuringBackward,
            allreduce: AlgorithmChoice::Auto,
            network: None,
            timeline: false,
            timeline_bytes: TIMELINE_BYTES,
            details: false,
            histogram_interval: 0,
            inexact: false,
            batch_norm: BatchNormState::Averaged,
            wire: F32,
            compression: None,
            compression_always: false,
            emulation: None,
            keep_diffs: false,
            precision: Precision::F32,
            clock: Arc::new(NoClock),
            simd: Simd::detect(),
            seed: 1,
            solver_file: None,
            root: PathBuf::new(),
            unknown: UnknownFields::Reject,
            on_bad_sample: data::OnBadSample::Fail,
            memory_limit: None,
            data: DataMode::Stream,
            memory_pools: Vec::new(),
            shuffle: false,
            sharing: RecordSharing::default(),
            data_threads: None,
            active_threads: ActiveThreads::default(),
            cores: Arc::new(AnyCores),
            added_layers: AddedLayers::default(),
        }
    }
}

impl JobConfig {
    /// The seed of all random numbers.
    pub(crate) fn random_seed(&self) -> u32 {
        u32::try_from(self.solver.random_seed()).unwrap_or(self.seed)
    }

    /// In `precision`, with gradients on the wire in the same format.
    #[must_use]
    pub fn with_precision(self, precision: Precision) -> Self {
        let wire = match precision.half() {
            None => F32,
            Some(HalfFormat::Bf16) => BF16,
            Some(HalfFormat::F16) => F16,
        };
        Self { precision, wire, ..self }
    }

    /// Where the solver's own paths start.
    pub(crate) fn solver_root(&self) -> PathRoot {
        let root = PathRoot::from(&self.root);
        match &self.solver_file {
            Some(file) => root.of_file(file),
            None => root,
        }
    }

    /// The prototxt that a net was read from: its own, or the solver's.
    pub(crate) fn net_file(&self, origin: &NetOrigin) -> Option<PathBuf> {
        origin.file().map(|name| self.root.join(name)).or_else(|| self.solver_file.clone())
    }

    /// What the names of snapshots begin with.
    pub(crate) fn snapshot_prefix(&self) -> String {
        self.root.join(self.solver.snapshot_prefix()).to_string_lossy().into_owned()
    }

    /// What opens the data of a net, for its first of `replicas`.
    pub(crate) fn sources(
        &self,
        origin: &NetOrigin,
        replicas: usize,
        records: &TrainRecords,
    ) -> FileSources {
        let slice = ReplicaSlice { replica: 0, replicas };
        self.with_net_file(FileSources::new(self, slice, records), origin)
    }

    /// What tells the shapes of a net's data.
    pub(crate) fn shape_sources(&self, origin: &NetOrigin) -> FileSources {
        let sources = FileSources::alone(&*self.root, self.on_bad_sample);
        self.with_net_file(sources.with_layers(self.added_layers), origin)
    }

    fn with_net_file(&self, sources: FileSources, origin: &NetOrigin) -> FileSources {
        match self.net_file(origin) {
            Some(file) => sources.of_file(&file),
            None => sources,
        }
    }

    /// How the train net uses memory: `debug_info` prints the diff of every layer.
    pub(crate) fn memory_plan(&self) -> MemoryPlan {
        match self.solver.debug_info() {
            _ if self.emulation.is_some() => MemoryPlan::NoBlobs,
            true => MemoryPlan::KeepDiffs,
            false if self.keep_diffs => MemoryPlan::KeepDiffs,
            false => MemoryPlan::ShareDiffs,
        }
    }
}

/// Where a resumed run reads data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResumeData {
    /// Where the interrupted run was: to the bit with the sidecar, by counting batches without.
    Continue,
    /// From the first record, as Caffe does.
    Start,
}

base::names!(pub ResumeData { Continue = "continue", Start = "start" });

/// Where the records of `Data` layers of a train net lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataMode {
    /// In their database, and are read when they are needed.
    Stream,
    /// In the memory of the ranks, which load them once and exchange them between epochs.
    Memory,
}

base::names!(pub DataMode { Stream = "stream", Memory = "memory" });
