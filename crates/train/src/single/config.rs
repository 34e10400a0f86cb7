//! What a net that runs without a solver is built from.

use std::path::PathBuf;

use caffe_format::{NetState, Phase};
use kernels::Simd;
use layers::AddedLayers;
use net::{MemoryPlan, Precision};

use crate::MemoryLimit;
use crate::files::UnknownFields;

/// Which net to build, and with what.
#[derive(Debug, Clone)]
pub struct NetConfig {
    /// The net file.
    pub model: PathBuf,
    /// Phase, level and stages.
    pub state: NetState,
    /// Model files to load, in order.
    pub weights: Vec<PathBuf>,
    /// Threads.
    pub threads: usize,
    /// SIMD level.
    pub simd: Simd,
    /// Seed of fillers and dropout.
    pub seed: u32,
    /// Folder that relative paths in the net start from.
    pub root: PathBuf,
    /// Fields Caffe does not have.
    pub unknown: UnknownFields,
    /// Whether backward will run.
    pub memory_plan: MemoryPlan,
    /// A net that needs more is refused before it is allocated; `None` to find out while it runs.
    pub memory_limit: Option<MemoryLimit>,
    /// What blobs, and the params that layers compute with, are rounded to.
    pub precision: Precision,
    /// Layer types beside those of the table.
    pub added_layers: AddedLayers,
}

impl NetConfig {
    /// The net in `model`, to be run forward in phase TEST: on one thread at the machine's SIMD
    /// level, params drawn with seed 1, paths relative to the working directory, unknown fields an
    /// error. Fields are public: set what should be otherwise, `weights` above all.
    #[must_use]
    pub fn new(model: impl Into<PathBuf>) -> Self {
        Self {
            model: model.into(),
            state: NetState { phase: Some(Phase::Test), ..NetState::default() },
            weights: Vec::new(),
            threads: 1,
            simd: Simd::detect(),
            seed: 1,
            root: PathBuf::new(),
            unknown: UnknownFields::Reject,
            memory_plan: MemoryPlan::ForwardOnly,
            memory_limit: None,
            precision: Precision::F32,
            added_layers: AddedLayers::default(),
        }
    }
}
