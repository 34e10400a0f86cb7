//! Why a record or a log could not be written or read.

use std::io;
use std::path::PathBuf;

use snapshot::atomic::WriteError;

/// Every variant names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file or folder could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A folder is not there and could not be made.
    #[error("cannot make the folder {}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file could not be appended to.
    #[error("cannot append to {}", path.display())]
    Append {
        /// Which.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file could not be replaced; what was there before still is.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A folder without segments.
    #[error(
        "{} has no record: give a folder that `train --record` wrote, or a log of Caffe's",
        path.display()
    )]
    NoRecord {
        /// The folder.
        path: PathBuf,
    },
    /// A file that is no log of a training run.
    #[error("{} has no line of a training run: expected a log of `caffe train`", path.display())]
    NoLog {
        /// The file.
        path: PathBuf,
    },
    /// A file that is too large to be a log.
    #[error("{} has {bytes} bytes: logs of up to {most} bytes are read", path.display())]
    LogTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
}
