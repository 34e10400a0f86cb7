//! What can be wrong with an LMDB file.

use std::{io, path::PathBuf};

/// A file that cannot be read as LMDB, and the page to blame.
#[derive(Debug, thiserror::Error)]
#[error("{}{}", path.display(), place(*page))]
pub struct LmdbError {
    /// The file.
    pub path: PathBuf,
    /// The page, where one is to blame.
    pub page: Option<u64>,
    /// What is wrong.
    #[source]
    pub problem: LmdbProblem,
}

fn place(page: Option<u64>) -> String {
    page.map(|page| format!(", page {page}")).unwrap_or_default()
}

/// What is wrong with an LMDB file or one of its pages.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LmdbProblem {
    /// The operating system refuses.
    #[error("cannot read")]
    Io(#[source] io::Error),
    /// Not the first bytes of an LMDB file.
    #[error("is not an LMDB file (64-bit, little-endian, version 1)")]
    NotLmdb,
    /// A page size that LMDB does not make.
    #[error("page size {size} is not a power of two from 512 to 65536")]
    PageSize {
        /// What is stored.
        size: u32,
    },
    /// A kind of database that Caffe does not write.
    #[error("is a kind of LMDB that Caffe does not write: {what}")]
    Unsupported {
        /// Which feature.
        what: &'static str,
    },
    /// A page or value lies beyond the end of the file.
    #[error("bytes {start}..{end} lie beyond the end of the file ({len} bytes)")]
    Truncated {
        /// First byte.
        start: u64,
        /// Byte after the last.
        end: u64,
        /// Length of the file.
        len: u64,
    },
    /// A tree page is something else.
    #[error("is damaged: {what}")]
    Damaged {
        /// Which check failed.
        what: &'static str,
    },
    /// The tree does not hold as many records as the meta page says.
    #[error("{announced} records are announced, {found} were found")]
    Entries {
        /// From the meta page.
        announced: u64,
        /// Counted.
        found: u64,
    },
    /// The C library could not write.
    #[error("cannot write")]
    Write(#[source] heed::Error),
    /// A file operation beside the library failed.
    #[error("cannot create")]
    Create(#[source] io::Error),
    /// Existing files are not overwritten.
    #[error("exists already and is not overwritten")]
    Exists,
}

impl LmdbProblem {
    pub(super) fn damaged(what: &'static str) -> Self {
        Self::Damaged { what }
    }
}
