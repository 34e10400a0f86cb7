//! From a path in a prototxt to one that can be opened.
//!
//! Paths start from the working directory, as in Caffe. Who works elsewhere than the author of a
//! prototxt gets an error; if the path would exist from the prototxt's own folder, it says so.

use std::fmt;
use std::path::{self, Path, PathBuf};

use crate::error::DataError;

/// Where relative paths of a prototxt start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathRoot {
    /// Paths start here; empty for the working directory, as in Caffe.
    pub folder: PathBuf,
    /// The folder of the prototxt, if it is a file. Only errors name it.
    pub beside: Option<PathBuf>,
}

impl From<PathBuf> for PathRoot {
    fn from(folder: PathBuf) -> Self {
        Self { folder, beside: None }
    }
}

impl From<&Path> for PathRoot {
    fn from(folder: &Path) -> Self {
        folder.to_owned().into()
    }
}

impl From<&PathBuf> for PathRoot {
    fn from(folder: &PathBuf) -> Self {
        folder.clone().into()
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
    /// For the paths in the prototxt `file`.
    #[must_use]
    pub fn of_file(self, file: &Path) -> Self {
        Self { beside: file.parent().map(Path::to_owned), ..self }
    }

    /// A path as written, from the root. `field` is named if it is empty.
    pub fn required(&self, written: &str, field: PathField) -> Result<PathBuf, DataError> {
        if written.is_empty() {
            let PathField { name, what } = field;
            return Err(DataError::NoPath { field: name, what });
        }
        Ok(self.join(written))
    }

    /// As [`required`](Self::required), for something that is to be read.
    pub(crate) fn readable(&self, written: &str, field: PathField) -> Result<PathBuf, DataError> {
        let path = self.required(written, field)?;
        match self.misplaced(written) {
            None => Ok(path),
            Some(path) => Err(DataError::Misplaced { field: field.name, path }),
        }
    }

    /// Says where the path is, if it is not where it should be but exists from the prototxt's
    /// folder or one above that: paths in BVLC's examples start from the root of the checkout.
    #[must_use]
    pub fn misplaced(&self, written: &str) -> Option<MisplacedPath> {
        if written.is_empty() || self.join(written).exists() {
            return None;
        }
        let beside = self.beside.as_ref()?;
        // A relative folder ends at the working directory; above that, it has to be absolute.
        let absolute = path::absolute(Path::new(".").join(beside)).unwrap_or_default();
        let mut folders = beside.ancestors().chain(absolute.ancestors());
        let found = folders.find(|folder| folder.join(written).exists())?;
        let (written, start) = (written.into(), self.folder.clone());
        Some(MisplacedPath { written, start, found: found.into() })
    }

    /// A path as written, from the root.
    #[must_use]
    pub fn join(&self, written: impl AsRef<Path>) -> PathBuf {
        self.folder.join(written)
    }
}

/// A path that exists from the folder of the prototxt that names it, or from one above, but not
/// where paths start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisplacedPath {
    /// As written.
    pub written: PathBuf,
    /// Where paths start; empty for the working directory.
    pub start: PathBuf,
    /// The folder from which it exists.
    pub found: PathBuf,
}

impl fmt::Display for MisplacedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (written, there) = (self.written.display(), self.found.join(&self.written));
        let there = there.display();
        write!(f, "{written} does not exist, but {there} does: paths start from ")?;
        if self.start.as_os_str().is_empty() {
            let found = self.found.display();
            return write!(f, "the working directory; `cd {found}`, or change the path");
        }
        write!(f, "{}; change the path", self.start.display())
    }
}

#[cfg(test)]
mod tests;
