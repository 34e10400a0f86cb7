//! Clusters that do not exist: how long an iteration would take on them, and what to run there.
//!
//! ```text
//!   cluster file ─▶ ClusterDescription ─┐
//!   prototxt ─▶ NetModel ───────────────┼─▶ Simulator ─▶ SimulatedIteration ─▶ images/s, timeline
//!   flags ─▶ SimulationConfig ──────────┘       │
//!                       plans of `collective` ──┴── engine: messages through ports and links
//! ```
//!
//! Nothing is sent, and no clock is read. The plans, buckets and collectives of compressions are
//! those that training runs, so an algorithm that is added to its table can be simulated at once.
//! Start at [`Simulator::iteration`].
//!
//! Cost: a collective is simulated message by message. 512 ranks take 0.1 s for a ring, whose
//! messages grow with the square of the ranks, and 0.01 s for a tree.

mod advise;
mod cluster;
mod collectives;
mod config;
mod duration;
mod engine;
mod error;
mod model;
mod of_net;
mod program;
mod rank_clock;
mod scaling;
mod schedule;
mod simulate;

pub use advise::{
    Advice, AdviceOptions, AdvisedConfig, ExplainedConfig, TimeLosses, WhatIf, advise,
};
pub use cluster::{
    ClusterDescription, ClusterFileError, ClusterProblem, CodecRate, DeviceDescription,
    DeviceSpeed, FabricDescription, FailureDescription, LinkDescription, ProfiledNetwork,
    SoftwareCosts, StragglerDescription, StragglerDistribution,
};
pub use config::{BucketRule, SimulationConfig};
pub use duration::TrainingLength;
pub use error::SimulationError;
pub use model::{ComputeTimes, LayerModel, NetModel, ParamModel};
pub use rank_clock::{SimulatedActivity, SimulatedSpan};
pub use scaling::{SimulatedScaling, scaling};
pub use simulate::{IterationTime, SimulatedIteration, Simulator};
