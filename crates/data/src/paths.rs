//! From a path in a prototxt to one that can be opened.

use std::path::{Path, PathBuf};

use crate::error::DataError;

/// Where relative paths of a prototxt start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathRoot {
    /// Paths start here; empty for the working directory, as in Caffe.
    pub folder: PathBuf,
}

impl From<PathBuf> for PathRoot {
    fn from(folder: PathBuf) -> Self {
        Self { folder }
    }
}

impl From<&Path> for PathRoot {
    fn from(folder: &Path) -> Self {
        folder.to_owned().into()
    }
}

/// A field of a prototxt that holds a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathField {
    /// Its name, with the message it belongs to.
    pub name: &'static str,
    /// What should be there.
    pub what: &'static str,
}

impl PathRoot {
    /// A path as written, from the root. `field` is named if it is empty.
    pub fn resolve(&self, written: &str, field: PathField) -> Result<PathBuf, DataError> {
        if written.is_empty() {
            let PathField { name, what } = field;
            return Err(DataError::NoPath { field: name, what });
        }
        Ok(self.join(written))
    }

    /// A path as written, from the root.
    pub(crate) fn join(&self, written: impl AsRef<Path>) -> PathBuf {
        self.folder.join(written)
    }
}
