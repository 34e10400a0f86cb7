//! Why a job cannot start or go on.

mod compared_item;
mod compression;
mod placement;
mod records;
mod resume;
mod solver_problem;
mod tensors;
mod which_net;

use std::io;
use std::path::PathBuf;

use base::megabytes;
use caffe_format::text::Diagnostics;
use data::MisplacedPath;
use exchange::ExchangeError;
use layers::DataSourceError;
use net::{NetError, RunError};
use snapshot::SnapshotError;
use solver::SolverError;

use crate::{EmulationProblem, LimitOrigin, MemoryLimit, MemoryNeed, StepError};

pub use compared_item::ComparedItem;
pub use compression::CompressionProblem;
pub use placement::{PlacementProblem, WorkerCount};
pub use records::RecordsProblem;
pub use resume::ResumeProblem;
pub use solver_problem::SolverProblem;
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

    /// The solver's schedule or nets are wrong.
    #[error(transparent)]
    SolverFields(#[from] SolverProblem),

    /// Replicas cannot be placed on workers and ranks as asked.
    #[error(transparent)]
    Placement(#[from] PlacementProblem),

    /// The run cannot be emulated as asked.
    #[error(transparent)]
    Emulation(#[from] EmulationProblem),
    /// Records cannot be read in the order, or from where, they were asked for.
    #[error(transparent)]
    Records(#[from] RecordsProblem),
    /// Gradients cannot be compressed as asked.
    #[error(transparent)]
    Compression(#[from] CompressionProblem),

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

    /// A job or a net needs more memory than there is.
    #[error("{}", does_not_fit(.need, .limit))]
    Memory {
        /// What it needs.
        need: MemoryNeed,
        /// What there is.
        limit: MemoryLimit,
    },

    /// The matrix of an InfogainLoss cannot be read.
    #[error("layer `{layer}`: `infogain_loss_param.source`")]
    Matrix {
        /// The layer.
        layer: String,
        /// Why; names the file.
        source: SnapshotError,
    },

    /// The matrix of an InfogainLoss is where the net's prototxt is.
    #[error("layer `{layer}`: `infogain_loss_param.source`: {path}")]
    MisplacedMatrix {
        /// The layer.
        layer: String,
        /// The path and where it is.
        path: MisplacedPath,
    },

    /// A net's prototxt is where the solver's is.
    #[error("cannot read a net of the solver: {path}")]
    MisplacedNet {
        /// The path and where it is.
        path: MisplacedPath,
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

    /// Ranks run different programs, or builds of one.
    #[error(
        "rank {rank} on {host} runs firecaffe {version}, rank {usual} runs {usual_version}: copy one \
         program to all hosts"
    )]
    OtherProgram {
        /// Who.
        rank: usize,
        /// Its machine.
        host: String,
        /// What it runs.
        version: String,
        /// One that is like most others.
        usual: usize,
        /// What that runs.
        usual_version: String,
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
        matches!(self, Self::Solver(_) | Self::SolverFields(_))
    }
}

/// What is missing, what to do about it, and what the memory is needed for.
fn does_not_fit(need: &MemoryNeed, limit: &MemoryLimit) -> String {
    let workers = if need.workers > 1 { " or fewer `--workers`" } else { "" };
    let raise = match limit.origin {
        LimitOrigin::Machine => "",
        LimitOrigin::ControlGroup => ", or raise the limit of the container or job",
        LimitOrigin::AddressSpace => ", or raise `ulimit -v`",
    };
    format!(
        "{} are needed, {} allows {}: give a smaller `batch_size`{workers}{raise}; {need}",
        megabytes(need.total()),
        limit.origin,
        megabytes(limit.bytes)
    )
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;
