//! Writes a new database with the C library, so that Caffe and every LMDB tool can read it.
//!
//! Records are collected and written in transactions, each after 1,000 records or 64 MB, whichever
//! comes first; when the map is full it is doubled and the transaction repeated. The folder is
//! built as `NAME.partial` and gets its name when [`LmdbWriter::finish`] has closed it: a
//! conversion that was killed leaves no database that looks complete.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use heed::{Database, Env, EnvOpenOptions, MdbError, types::Bytes};

use super::{DATA_FILE, LOCK_FILE, LmdbError, LmdbProblem};

/// Records in a transaction, as in Caffe's converters.
const COMMIT_RECORDS: usize = 1000;
/// Bytes in a transaction: bounds the memory of a conversion of large images.
const COMMIT_BYTES: usize = 64 << 20;
/// Size of the map at first; the file is only as large as its content.
const MAP_BYTES: usize = 16 << 20;

/// A database that is being written.
pub struct LmdbWriter {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once closed.
    env: Option<Env>,
    pending: Vec<(Vec<u8>, Vec<u8>)>,
    pending_bytes: usize,
}

impl LmdbWriter {
    /// Starts a database. Refuses a `path` that exists.
    pub fn create(path: &Path) -> Result<Self, LmdbError> {
        let fail = |problem| LmdbError { path: path.to_owned(), page: None, problem };
        if path.symlink_metadata().is_ok() {
            return Err(fail(LmdbProblem::Exists));
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        remove(&partial)
            .and_then(|()| fs::create_dir(&partial))
            .map_err(LmdbProblem::Create)
            .map_err(fail)?;
        let env = open(&partial).map_err(LmdbProblem::Write).map_err(fail)?;
        Ok(Self {
            path: path.to_owned(),
            partial,
            env: Some(env),
            pending: Vec::new(),
            pending_bytes: 0,
        })
    }

    /// Adds a record, or replaces the one with the same key.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), LmdbError> {
        self.pending.push((key.to_vec(), value.to_vec()));
        self.pending_bytes += key.len() + value.len();
        if self.pending.len() >= COMMIT_RECORDS || self.pending_bytes >= COMMIT_BYTES {
            self.commit().map_err(|error| self.error(LmdbProblem::Write(error)))?;
        }
        Ok(())
    }

    /// Writes what is left, closes the database and gives it its name.
    pub fn finish(mut self) -> Result<(), LmdbError> {
        self.commit().map_err(|error| self.error(LmdbProblem::Write(error)))?;
        self.close();
        let renamed = fs::rename(&self.partial, &self.path);
        renamed.map_err(|error| self.error(LmdbProblem::Create(error)))
    }

    fn commit(&mut self) -> Result<(), heed::Error> {
        let env = self.env.as_ref().expect("open until finished");
        let grow = |error| match error {
            heed::Error::Mdb(MdbError::MapFull) => double(env),
            other => Err(other),
        };
        while let Err(error) = write(env, &self.pending) {
            grow(error)?;
        }
        self.pending.clear();
        self.pending_bytes = 0;
        Ok(())
    }

    fn close(&mut self) {
        if let Some(env) = self.env.take() {
            env.prepare_for_closing().wait();
        }
    }

    fn error(&self, problem: LmdbProblem) -> LmdbError {
        LmdbError { path: self.path.clone(), page: None, problem }
    }
}

/// An unfinished database is removed.
impl Drop for LmdbWriter {
    fn drop(&mut self) {
        if self.env.is_some() {
            self.close();
            // Nobody is left to tell; the name says what the folder is.
            _ = remove(&self.partial);
        }
    }
}

fn write(env: &Env, records: &[(Vec<u8>, Vec<u8>)]) -> Result<(), heed::Error> {
    let mut transaction = env.write_txn()?;
    let database: Database<Bytes, Bytes> = env.create_database(&mut transaction, None)?;
    for (key, value) in records {
        database.put(&mut transaction, key, value)?;
    }
    transaction.commit()
}

#[expect(unsafe_code, reason = "opening an LMDB maps a file; see SAFETY")]
fn open(path: &Path) -> Result<Env, heed::Error> {
    let mut options = EnvOpenOptions::new();
    options.map_size(MAP_BYTES);
    // SAFETY: the file must not be changed by others while mapped; it lies in a folder that this
    // process has just made under a name of our own.
    unsafe { options.open(path) }
}

#[expect(unsafe_code, reason = "growing an LMDB maps it anew; see SAFETY")]
fn double(env: &Env) -> Result<(), heed::Error> {
    let bytes = env.info().map_size.saturating_mul(2);
    // SAFETY: no transaction may be open; `write` has dropped its own when it returned, and the
    // environment is not shared.
    unsafe { env.resize(bytes) }
}

/// Removes what an interrupted conversion left, and nothing that is not an LMDB.
fn remove(folder: &Path) -> io::Result<()> {
    let absent = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    absent(fs::remove_file(folder.join(DATA_FILE)))?;
    absent(fs::remove_file(folder.join(LOCK_FILE)))?;
    absent(fs::remove_dir(folder))
}
