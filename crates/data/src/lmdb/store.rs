//! The bytes of an LMDB file, read by position with every range checked.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{DATA_FILE, LmdbError, LmdbProblem};

/// A file, or the bytes of one in memory (fuzzing, damage tests).
pub(super) struct LmdbStore {
    path: PathBuf,
    len: u64,
    bytes: StoreBytes,
}

enum StoreBytes {
    File(File),
    Memory(Vec<u8>),
}

impl LmdbStore {
    /// Opens `path`, or `path/data.mdb` when it is a folder.
    pub(super) fn open(path: &Path) -> Result<Self, LmdbError> {
        let path = if path.is_dir() { path.join(DATA_FILE) } else { path.to_owned() };
        let opened = File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        match opened {
            Ok((len, file)) => Ok(Self { path, len, bytes: StoreBytes::File(file) }),
            Err(error) => Err(LmdbError { path, page: None, problem: LmdbProblem::Io(error) }),
        }
    }

    pub(super) fn in_memory(name: &Path, bytes: Vec<u8>) -> Self {
        Self { path: name.to_owned(), len: bytes.len() as u64, bytes: StoreBytes::Memory(bytes) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the file when it was opened.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Replaces `out` by `len` bytes from `start` on. Nothing is allocated for what is not there.
    pub(super) fn read(
        &self,
        start: u64,
        len: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), LmdbProblem> {
        let end = start.saturating_add(len as u64);
        if end > self.len {
            return Err(LmdbProblem::Truncated { start, end, len: self.len });
        }
        match &self.bytes {
            StoreBytes::File(file) => {
                out.resize(len, 0);
                file.read_exact_at(out, start).map_err(LmdbProblem::Io)
            }
            StoreBytes::Memory(bytes) => {
                let start = usize::try_from(start).expect("within a buffer in memory");
                out.clear();
                out.extend_from_slice(&bytes[start..start + len]);
                Ok(())
            }
        }
    }

    pub(super) fn error(&self, page: Option<u64>, problem: LmdbProblem) -> LmdbError {
        LmdbError { path: self.path.clone(), page, problem }
    }
}
