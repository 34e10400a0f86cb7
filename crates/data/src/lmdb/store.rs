//! The bytes of an LMDB file, read by position with every range checked.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{DATA_FILE, LmdbError, Problem};

/// A file, or the bytes of one in memory (fuzzing, damage tests).
pub(super) struct Store {
    path: PathBuf,
    len: u64,
    bytes: Bytes,
}

enum Bytes {
    File(File),
    Memory(Vec<u8>),
}

impl Store {
    /// Opens `path`, or `path/data.mdb` when it is a folder.
    pub(super) fn open(path: &Path) -> Result<Self, LmdbError> {
        let path = if path.is_dir() { path.join(DATA_FILE) } else { path.to_owned() };
        let opened = File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        match opened {
            Ok((len, file)) => Ok(Self { path, len, bytes: Bytes::File(file) }),
            Err(error) => Err(LmdbError { path, page: None, problem: Problem::Io(error) }),
        }
    }

    pub(super) fn in_memory(name: &Path, bytes: Vec<u8>) -> Self {
        Self { path: name.to_owned(), len: bytes.len() as u64, bytes: Bytes::Memory(bytes) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the file when it was opened.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Appends `len` bytes from `start` to `out`. Nothing is allocated for what is not there.
    pub(super) fn read(&self, start: u64, len: usize, out: &mut Vec<u8>) -> Result<(), Problem> {
        let end = start.saturating_add(len as u64);
        if end > self.len {
            return Err(Problem::CutShort { start, end, len: self.len });
        }
        match &self.bytes {
            Bytes::File(file) => {
                let before = out.len();
                out.resize(before + len, 0);
                file.read_exact_at(&mut out[before..], start).map_err(Problem::Io)
            }
            Bytes::Memory(bytes) => {
                let start = usize::try_from(start).expect("within a buffer in memory");
                out.extend_from_slice(&bytes[start..start + len]);
                Ok(())
            }
        }
    }

    pub(super) fn error(&self, page: Option<u64>, problem: Problem) -> LmdbError {
        LmdbError { path: self.path.clone(), page, problem }
    }
}
