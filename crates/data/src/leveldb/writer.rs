//! Writes a new database with `rusty-leveldb`, for Caffe's `--backend leveldb`.
//!
//! The folder is built as `NAME.partial` and gets its name when [`LevelDbWriter::finish`] has
//! closed it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusty_leveldb::{DB, Options};

use super::{LevelDbError, LevelDbProblem};

/// What is collected in memory before a table is written; Caffe's converters use as much.
const BUFFER_BYTES: usize = 256 << 20;

/// A database that is being written.
pub struct LevelDbWriter {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once closed.
    database: Option<DB>,
}

impl LevelDbWriter {
    /// Starts a database. Refuses a `path` that exists.
    pub fn create(path: &Path) -> Result<Self, LevelDbError> {
        let fail = |problem| LevelDbError { path: path.to_owned(), problem };
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        if path.symlink_metadata().is_ok() || partial.symlink_metadata().is_ok() {
            return Err(fail(LevelDbProblem::Exists));
        }
        let options = Options { write_buffer_size: BUFFER_BYTES, ..Options::default() };
        let database =
            DB::open(&partial, options).map_err(|error| fail(LevelDbProblem::Write(error)))?;
        Ok(Self { path: path.to_owned(), partial, database: Some(database) })
    }

    /// Adds a record, or replaces the one with the same key.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), LevelDbError> {
        let database = self.database.as_mut().expect("open until finished");
        let put = database.put(key, value);
        put.map_err(|error| self.error(LevelDbProblem::Write(error)))
    }

    /// Writes what is left, closes the database and gives it its name.
    pub fn finish(mut self) -> Result<(), LevelDbError> {
        let mut database = self.database.take().expect("open until finished");
        let closed = database.flush().and_then(|()| database.close());
        drop(database);
        closed.map_err(|error| self.error(LevelDbProblem::Write(error)))?;
        fs::rename(&self.partial, &self.path).map_err(|error| self.error(LevelDbProblem::Io(error)))
    }

    fn error(&self, problem: LevelDbProblem) -> LevelDbError {
        LevelDbError { path: self.path.clone(), problem }
    }
}

/// An unfinished database is removed; it lies in a folder that only this writer made.
impl Drop for LevelDbWriter {
    fn drop(&mut self) {
        if let Some(mut database) = self.database.take() {
            _ = database.close();
            drop(database);
            _ = fs::remove_dir_all(&self.partial);
        }
    }
}
