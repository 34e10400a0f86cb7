//! Why a job cannot start or go on.

use std::io;
use std::path::PathBuf;

use caffe_format::text::Diagnostics;
use exchange::ExchangeError;
use layers::DataSourceError;
use net::{NetError, RunError};
use snapshot::SnapshotError;
use solver::SolverError;

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

    /// A prototxt of an older generation says something today's format cannot.
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

    /// The solver's list of nets is wrong.
    #[error("solver: {0}")]
    Nets(String),

    /// Replicas cannot be dealt to workers as asked, or a batch to replicas.
    #[error("{0}")]
    Dealing(String),

    /// A net cannot be built.
    #[error("{which}")]
    Net {
        /// Which net: `train net`, `test net 0`, or a file.
        which: String,
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
    #[error("cannot convert {}: {problem}", .path.display())]
    Tensors {
        /// The file that was read.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },

    /// A database cannot be written.
    #[error(transparent)]
    Data(#[from] data::DataError),

    /// There is no data layer of this name.
    #[error("`{layer}` is not a data layer of the net; it has {known}")]
    NoSource {
        /// As asked for.
        layer: String,
        /// Those there are.
        known: String,
    },

    /// A data layer does not take what it was given, or an output layer cannot write.
    #[error("layer `{layer}`")]
    Source {
        /// The layer.
        layer: String,
        /// Why.
        source: DataSourceError,
    },

    /// A layer failed while running.
    #[error(transparent)]
    Run(#[from] RunError),

    /// The loss is infinite or not a number.
    #[error(
        "iteration {iter}: the loss is {loss}; the first value that is not finite is in blob `{blob}` \
         of layer `{layer}`. Lower `base_lr`, or set `clip_gradients`"
    )]
    Loss {
        /// The iteration.
        iter: u64,
        /// The loss.
        loss: f32,
        /// The layer that made the first bad value.
        layer: String,
        /// The blob it is in.
        blob: String,
    },

    /// The loss of a replica that another rank runs is not finite; that rank says where it began.
    #[error("iteration {iter}: the loss of a replica on another rank is not finite")]
    LossElsewhere {
        /// The iteration.
        iter: u64,
    },

    /// Another worker ended the iteration.
    #[error("iteration {iter}: another worker failed")]
    OtherWorker {
        /// The iteration.
        iter: u64,
    },

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
        what: String,
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

    /// A gradient is infinite or not a number.
    #[error(
        "iteration {iter}: the gradient of param {index} of layer `{layer}` is not finite. \
         Lower `base_lr`, or set `clip_gradients`"
    )]
    Gradient {
        /// The iteration.
        iter: u64,
        /// The layer.
        layer: String,
        /// Which of its params.
        index: usize,
    },

    /// A snapshot cannot be read or written.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),

    /// A snapshot does not fit this job.
    #[error("cannot resume from {}: {reason}", .path.display())]
    Resume {
        /// The state file.
        path: PathBuf,
        /// What differs.
        reason: String,
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
