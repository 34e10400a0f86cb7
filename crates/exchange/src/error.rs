//! Why an exchange ended.

use crate::wire::WireFormat;
use collective::Algorithm;
use transport::LinkError;

/// Why an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// A message did not arrive.
    #[error("collective {sequence} ({label}) failed")]
    Link {
        /// Counts the collectives of this rank, from 1.
        sequence: u64,
        /// Operation, length, format and algorithm.
        label: String,
        /// Who is at fault.
        source: LinkError,
    },
    /// The library's own algorithm, where there is no such library.
    #[error("algorithm `{algorithm}` needs transport `mpi`, but this is `{transport}`")]
    NoLibrary {
        /// What was asked for.
        algorithm: Algorithm,
        /// What there is.
        transport: &'static str,
    },
    /// The library's own algorithm, for a format that it does not know.
    #[error("algorithm `{algorithm}` sums f32 only, not `{format}`; choose another algorithm")]
    LibraryFormat {
        /// What was asked for.
        algorithm: Algorithm,
        /// The wire format.
        format: &'static WireFormat,
    },
}
