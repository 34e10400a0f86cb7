//! Why a run cannot be emulated.

use std::io;
use std::path::PathBuf;

use profile::ProfileError;

/// Why a run cannot be emulated as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmulationProblem {
    /// The profile is of another net.
    #[error("{} does not fit the train net", .file.display())]
    Profile {
        /// The profile's file.
        file: PathBuf,
        /// What does not fit.
        source: ProfileError,
    },

    /// The gradients cannot be read.
    #[error("cannot read the gradients in {}", .path.display())]
    Gradients {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// The gradients are of another net.
    #[error(
        "{} has {bytes} bytes, but the train net's gradients have {expected}: save them with \
         `firecaffe time --save-gradients`",
        .path.display()
    )]
    GradientBytes {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// Four bytes per gradient.
        expected: u64,
    },

    /// The ranks of one machine need more memory than it has.
    #[error(
        "{ranks} emulated {} on this machine would need {needed_mb} MB for gradients, but {free_mb} \
         MB are free: use fewer ranks or workers, or a smaller net",
        if *.ranks == 1 { "rank" } else { "ranks" }
    )]
    Memory {
        /// On this machine.
        ranks: usize,
        /// Of all of them, in 10^6 bytes.
        needed_mb: u64,
        /// In 10^6 bytes.
        free_mb: u64,
    },
}
