//! What can be wrong with a file of a foreign format; the error around it names the file.

/// What is wrong with an idx file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdxProblem {
    /// Another format, or the other one of the two files.
    #[error("magic number {got}, not {want}")]
    Magic {
        /// As stored.
        got: u32,
        /// Of the kind of file that was asked for.
        want: u32,
    },
    /// Images and labels must be as many.
    #[error("{images} images but {labels} labels")]
    Labels {
        /// In the file of images.
        images: u32,
        /// In the file of labels.
        labels: u32,
    },
    /// Empty images, or larger ones than an image may be.
    #[error("images of {rows} by {columns} pixels")]
    Size {
        /// As stored.
        rows: u32,
        /// As stored.
        columns: u32,
    },
    /// The file is longer than its header says.
    #[error("bytes after the last item")]
    Trailing,
}

/// What is wrong with an HDF5 file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Hdf5Problem {
    /// The library refuses it. Its text includes its own causes.
    #[error("{0}")]
    Library(hdf5_pure::Error),
    /// The library panicked.
    #[error("is damaged")]
    Panicked,
    /// Shape and values of a dataset disagree.
    #[error("holds another number of values than its shape says")]
    Count,
    /// Datasets of one file must have equally many rows, and at least one.
    #[error("has no rows, or not as many as the first dataset")]
    Rows,
}
