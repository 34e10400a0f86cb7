//! What can be wrong with a LevelDB folder.

use std::{io, path::PathBuf};

/// A file of a LevelDB that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.display())]
pub struct LevelDbError {
    /// The file, or the folder.
    pub path: PathBuf,
    /// What is wrong.
    #[source]
    pub problem: LevelDbProblem,
}

/// What is wrong with a file of a LevelDB.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LevelDbProblem {
    /// The operating system refuses.
    #[error("cannot read")]
    Io(#[source] io::Error),
    /// Bytes that are announced are not there.
    #[error("is truncated")]
    Truncated,
    /// A check failed.
    #[error("is damaged: {what}")]
    Damaged {
        /// Which one.
        what: &'static str,
    },
    /// Keys in another order, or a compression that LevelDB does not have.
    #[error("is a kind of LevelDB that Caffe does not write: {what}")]
    Unsupported {
        /// Which feature.
        what: &'static str,
    },
    /// Existing files are not overwritten.
    #[error("exists already and is not overwritten")]
    Exists,
    /// The library could not write.
    #[error("cannot write: {0}")]
    Write(rusty_leveldb::Status),
}

impl LevelDbProblem {
    pub(super) fn damaged(what: &'static str) -> Self {
        Self::Damaged { what }
    }
}
