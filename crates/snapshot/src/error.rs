//! Why a snapshot could not be written or read.

use std::{io, path::PathBuf};

use caffe_format::{BlobError, binary::BinaryError, upgrade::UpgradeError};

use crate::{atomic::WriteError, hdf5::Hdf5Error, sidecar::SidecarError};

/// Every variant names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A file could not be written; what was there before still is.
    #[error(transparent)]
    Write(#[from] WriteError),

    /// A file could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },

    /// A model or state is not a valid message.
    #[error("{} is not a valid {what}", path.display())]
    Message {
        /// The file.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
        /// The cause.
        source: BinaryError,
    },

    /// A file with one blob contradicts itself.
    #[error("the blob in {}", path.display())]
    Blob {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: BlobError,
    },

    /// The model is of an older Caffe and cannot be brought up to date.
    #[error("{} cannot be upgraded", path.display())]
    Upgrade {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: UpgradeError,
    },

    /// An HDF5 model or state is not one, or could not be made.
    #[error("{} is not a valid HDF5 {what}", path.display())]
    Hdf5 {
        /// The file.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
        /// The cause.
        source: Hdf5Error,
    },

    /// The sidecar is damaged.
    #[error("{} is not a valid sidecar (without the file, the run resumes as Caffe's would)", path.display())]
    Sidecar {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: SidecarError,
    },

    /// A file is not the one that the sidecar was written with.
    #[error(
        "{} is not the file that {} was written with: it is damaged, or from another run",
        path.display(),
        sidecar.display()
    )]
    Checksum {
        /// The model or state.
        path: PathBuf,
        /// The sidecar.
        sidecar: PathBuf,
    },

    /// A file of residuals is none, or of another iteration.
    #[error("{} is not a file of residuals of this snapshot", path.display())]
    Residuals {
        /// The file.
        path: PathBuf,
    },

    /// A state names a model that is not there.
    #[error("{} names the model `{model}`, which is neither beside it nor where it says", state.display())]
    NoModel {
        /// The state.
        state: PathBuf,
        /// As the state has it.
        model: String,
    },
}
