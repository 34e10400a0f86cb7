//! Why replicas cannot be placed on workers and ranks as asked.

use std::fmt;

/// Why replicas cannot be placed, or their gradients not summed there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementProblem {
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
         the number of replicas per worker must be a power of two; nearest is --replicas {nearest}{}",
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
         with several ranks, the number of workers per rank must be a power of two{}",
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
