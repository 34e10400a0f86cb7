//! Snapshots: Caffe's two files and a sidecar, written atomically and checked when read.
//!
//! A snapshot is `{prefix}_iter_{N}.caffemodel` (the model), `.firecaffe` (the sidecar) and
//! `.solverstate` (iteration and history), written in that order: a state implies that the other
//! two exist. Caffe reads its own two. The sidecar holds what Caffe's files have no place for (data
//! positions, random states, running statistics of every replica) and a hash of both, so that a
//! resume is bit-exact or refused; a state without a sidecar resumes as Caffe's would, and
//! [`ResumeExactness`] says so. A run with compression has a file of residuals per rank besides
//! (`.residuals.0-of-4`), written before the others.
//!
//! [`save`] and [`load`] are the entry points, [`find_latest`] picks what `--snapshot auto` resumes
//! from, [`weights`] decides which blobs of a model go where in a net. Nets are not known here.

pub mod atomic;
mod error;
pub mod hash;
mod hdf5;
mod latest;
mod load;
mod names;
mod residuals;
mod save;
pub mod sidecar;
pub mod weights;

use caffe_format::{NetParameter, SolverState};

pub use caffe_format::SolverParameterSnapshotFormat as SnapshotFormat;
pub use error::SnapshotError;
pub use hdf5::Hdf5Error;
pub use latest::{LatestSnapshot, SkippedSnapshot, find_latest};
pub use load::{LoadedSnapshot, ResumeExactness, load, load_blob, load_model};
pub use names::SnapshotPaths;
pub use residuals::{ResidualFile, ResidualNumbers, load_residuals, save_residuals};
pub use save::{check_writable, save, save_model};
pub use sidecar::{
    BatchMeaning, ResidualSeal, RunState, SavedReplica, SavedStatistics, SidecarSection,
};

/// Everything a run needs to go on as if it had not stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Layers with their blobs.
    pub model: NetParameter,
    /// Iteration, history and step; [`save`] fills in `learned_net`.
    pub state: SolverState,
    /// What Caffe's files have no place for.
    pub run: RunState,
}
