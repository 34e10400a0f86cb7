//! Why a job cannot start or go on.

mod compared_item;
mod resume;
mod tensors;
mod which_net;

use std::fmt;
use std::io;
use std::path::PathBuf;

use caffe_format::text::Diagnostics;
use exchange::ExchangeError;
use layers::DataSourceError;
use net::{NetError, RunError};
use snapshot::SnapshotError;
use solver::SolverError;

use crate::StepError;

pub use compared_item::ComparedItem;
pub use resume::ResumeProblem;
pub use tensors::TensorProblem;
pub use which_net::WhichNet;

/// Why a job cannot start or go on. The cause, where there is one, is the `source`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A file cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// A prototxt is wrong; the text names every line.
    #[error("{0}")]
    Prototxt(Diagnostics),

    /// A prototxt of an older Caffe says something that Caffe 1.0's format cannot.
    #[error("cannot bring {} up to date", .path.display())]
    Upgrade {
        /// The file.
        path: PathBuf,
        /// What.
        source: caffe_format::upgrade::UpgradeError,
    },

    /// The solver's options are wrong.
    #[error(transparent)]
    Solver(#[from] SolverError),

    /// A number in the solver is too small.
    #[error("solver: `{field}` must be {least} or more, not {value}")]
    SolverField {
        /// The field.
        field: &'static str,
        /// As written.
        value: i32,
        /// The smallest value that makes sense.
        least: i32,
    },

    /// Tests are asked for, but never.
    #[error("solver: `test_iter` without a positive `test_interval`")]
    NoTestInterval,

    /// Snapshots are asked for, but nowhere.
    #[error("solver: `snapshot` without `snapshot_prefix`")]
    NoSnapshotPrefix,

    /// Two fields state the same net.
    #[error("solver: `net` and `net_param` exclude each other")]
    NetTwice,

    /// Nothing states what to train.
    #[error("solver: no train net; give one of `net`, `net_param`, `train_net`, `train_net_param`")]
    NoTrainNet,

    /// Several fields state what to train.
    #[error(
        "solver: more than one train net; keep one of `net`, `net_param`, `train_net`, \
         `train_net_param`"
    )]
    SeveralTrainNets,

    /// Test nets and their numbers of iterations do not match.
    #[error("solver: {test_iter} `test_iter` for {nets} test nets; give one each")]
    TestIterCount {
        /// How many `test_iter` there are.
        test_iter: usize,
        /// How many test nets.
        nets: usize,
    },

    /// Test nets and their states do not match.
    #[error("solver: {test_state} `test_state` for {nets} test nets; give none or one each")]
    TestStateCount {
        /// How many `test_state` there are.
        test_state: usize,
        /// How many test nets.
        nets: usize,
    },

    /// A test net cannot use the train net's parameters.
    #[error("solver: layer `{layer}` has other parameter shapes in the train net than in {which}")]
    TestShapes {
        /// The layer.
        layer: String,
        /// The test net.
        which: WhichNet,
    },

    /// Nothing to run, or nobody to run it.
    #[error("at least one replica and one worker are needed")]
    NoReplicas,

    /// There are workers without a replica.
    #[error(
        "--replicas {replicas} is too few for {workers}: give at least as many replicas as workers"
    )]
    TooFewReplicas {
        /// As asked for.
        replicas: usize,
        /// Who would run them.
        workers: WorkerCount,
    },

    /// The weights would depend on the number of workers.
    #[error(
        "{replicas} replicas on {workers} would not give the bits of one worker: \
         each must run a power of two of them; nearest is --replicas {nearest}{}",
        or_inexact(*.divides)
    )]
    Inexact {
        /// As asked for.
        replicas: usize,
        /// Who would run them.
        workers: WorkerCount,
        /// A number of replicas that would do.
        nearest: usize,
        /// Whether `--inexact` would do: every worker has the same number of replicas.
        divides: bool,
    },

    /// As [`Inexact`](Self::Inexact), with any number of replicas.
    #[error(
        "{workers} would not give the bits of one worker: \
         several ranks need a power of two of workers each{}",
        or_inexact(*.divides)
    )]
    InexactWorkers {
        /// Who would run the replicas.
        workers: WorkerCount,
        /// Whether `--inexact` would do: every worker has the same number of replicas.
        divides: bool,
    },

    /// The snapshot was written by another number of replicas.
    #[error(
        "the snapshot was written by {saved} replicas; resume with --replicas {saved}, not {asked}"
    )]
    SnapshotReplicas {
        /// In the snapshot.
        saved: usize,
        /// As asked for.
        asked: usize,
    },

    /// `--batch global`, but the replicas would get different batches.
    #[error(
        "layer `{layer}`: a global batch of {batch} cannot be divided among {replicas} replicas: \
         change `batch_size` or --replicas"
    )]
    GlobalBatch {
        /// The data layer.
        layer: String,
        /// Its `batch_size`.
        batch: u32,
        /// Replicas.
        replicas: usize,
    },

    /// The MPI library was asked to sum gradients, and there is none.
    #[error("allreduce `mpi` is the MPI library's own: it needs several ranks (`mpirun`)")]
    MpiAlone,

    /// The algorithm that was asked for cannot run here.
    #[error(transparent)]
    Algorithm(ExchangeError),

    /// A net cannot be built.
    #[error("{which}")]
    Net {
        /// Which one.
        which: WhichNet,
        /// Why.
        source: NetError,
    },

    /// The matrix of an InfogainLoss cannot be read.
    #[error("layer `{layer}`: `infogain_loss_param.source`")]
    Matrix {
        /// The layer.
        layer: String,
        /// Why; names the file.
        source: SnapshotError,
    },

    /// A blob was asked for that the net does not have.
    #[error("the net has no blob `{blob}`")]
    NoBlob {
        /// As asked for.
        blob: String,
    },

    /// A model cannot be converted to or from safetensors.
    #[error("cannot convert {}", .path.display())]
    Tensors {
        /// The file that was read.
        path: PathBuf,
        /// What is wrong with it.
        source: TensorProblem,
    },

    /// A database cannot be written.
    #[error(transparent)]
    Data(#[from] data::DataError),

    /// There is no data layer of this name.
    #[error("`{layer}` is not a data layer of the net; it has {}", list(.known))]
    NoSource {
        /// As asked for.
        layer: String,
        /// Those there are.
        known: Vec<String>,
    },

    /// A data layer does not take what it was given, or an output layer cannot write.
    #[error("layer `{layer}`")]
    Source {
        /// The layer.
        layer: String,
        /// Why.
        source: DataSourceError,
    },

    /// A layer failed while running outside an iteration.
    #[error(transparent)]
    Run(#[from] RunError),

    /// An iteration failed.
    #[error(transparent)]
    Step(#[from] StepError),

    /// Ranks do not agree on what they are to do.
    #[error("rank {rank} on {host} differs from rank {usual} in {what}: give all ranks the same")]
    Differs {
        /// Who.
        rank: usize,
        /// Its machine.
        host: String,
        /// One that is like most others.
        usual: usize,
        /// What differs.
        what: ComparedItem,
    },

    /// What was read to compare ranks, or the states of replicas, cannot be understood.
    #[error("rank {rank} sent a state that cannot be read")]
    State {
        /// Who.
        rank: usize,
    },

    /// Values did not arrive.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),

    /// A snapshot cannot be read or written.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),

    /// A snapshot does not fit this job.
    #[error("cannot resume from {}", .path.display())]
    Resume {
        /// The state file.
        path: PathBuf,
        /// What does not fit.
        source: ResumeProblem,
    },

    /// A model file does not fit the net.
    #[error("cannot use the weights in {}", .path.display())]
    Weights {
        /// The model file.
        path: PathBuf,
        /// Why.
        source: snapshot::weights::WeightsError,
    },
}

impl TrainError {
    /// Whether the solver's prototxt is at fault, whose file the error does not name.
    #[must_use]
    pub fn is_about_solver(&self) -> bool {
        matches!(
            self,
            Self::Solver(_)
                | Self::SolverField { .. }
                | Self::NoTestInterval
                | Self::NoSnapshotPrefix
                | Self::NetTwice
                | Self::NoTrainNet
                | Self::SeveralTrainNets
                | Self::TestIterCount { .. }
                | Self::TestStateCount { .. }
                | Self::TestShapes { .. }
        )
    }
}

/// How many workers run the replicas, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCount {
    /// Processes.
    pub ranks: usize,
    /// Workers of each.
    pub workers: usize,
}

impl fmt::Display for WorkerCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { ranks: 1, workers } => write!(f, "{workers} workers"),
            Self { ranks, workers: 1 } => write!(f, "{ranks} ranks of 1 worker"),
            Self { ranks, workers } => write!(f, "{ranks} ranks of {workers} workers"),
        }
    }
}

fn or_inexact(divides: bool) -> &'static str {
    if divides { ", or --inexact" } else { "" }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;
