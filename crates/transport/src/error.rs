//! Why a message did not arrive. Every variant names the rank at fault.

/// What ends a collective early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A worker of this process panicked.
    #[error("worker {rank} panicked")]
    Panicked {
        /// Who.
        rank: usize,
    },
    /// A worker ended while others still wait for it.
    #[error("worker {rank} left while worker {waiting} waits for it")]
    Left {
        /// Who.
        rank: usize,
        /// Who waits.
        waiting: usize,
    },
    /// Two ranks run different collectives.
    #[error(
        "rank {rank} is at collective {their_sequence}, {theirs}; rank {usual} is at collective {our_sequence}, {ours}"
    )]
    Mismatch {
        /// The rank that diverged.
        rank: usize,
        /// What it runs.
        theirs: String,
        /// Its sequence number.
        their_sequence: u64,
        /// A rank that does as most do.
        usual: usize,
        /// What that one runs.
        ours: String,
        /// Its sequence number.
        our_sequence: u64,
    },
    /// A message of another length than expected.
    #[error("rank {rank} sent {got} bytes on lane {lane}, {want} were expected")]
    Length {
        /// The sender.
        rank: usize,
        /// Which lane.
        lane: usize,
        /// Bytes expected.
        want: usize,
        /// Bytes sent.
        got: usize,
    },
    /// The MPI library reports an error.
    #[error("{call} failed on rank {rank}: {what}")]
    Mpi {
        /// Where.
        rank: usize,
        /// The function.
        call: &'static str,
        /// The library's words.
        what: String,
    },
}
