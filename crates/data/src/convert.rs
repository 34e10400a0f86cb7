//! Making databases, as Caffe's converters do. Nothing that exists is overwritten.

pub mod cifar;
pub mod idx;
pub mod images;

pub use cifar::cifar;
pub use idx::idx;
pub use images::images;

use std::path::Path;

use caffe_format::{DataParameterDb, Datum, binary};

use crate::{error::DataError, leveldb, lmdb};

/// A database of `Datum` that is being written.
pub enum DatabaseWriter {
    /// Caffe's default.
    Lmdb(lmdb::LmdbWriter),
    /// The backend of Caffe's first releases.
    LevelDb(Box<leveldb::LevelDbWriter>),
}

impl DatabaseWriter {
    /// Starts a database. Refuses a `path` that exists.
    pub fn create(path: &Path, backend: DataParameterDb) -> Result<Self, DataError> {
        Ok(match backend {
            DataParameterDb::Lmdb => Self::Lmdb(lmdb::LmdbWriter::create(path)?),
            DataParameterDb::Leveldb => {
                Self::LevelDb(Box::new(leveldb::LevelDbWriter::create(path)?))
            }
        })
    }

    /// Adds a record, or replaces the one with the same key.
    pub fn put(&mut self, key: &str, datum: &Datum) -> Result<(), DataError> {
        let value = binary::write(datum);
        match self {
            Self::Lmdb(writer) => writer.put(key.as_bytes(), &value)?,
            Self::LevelDb(writer) => writer.put(key.as_bytes(), &value)?,
        }
        Ok(())
    }

    /// Writes what is left, closes the database and gives it its name.
    pub fn finish(self) -> Result<(), DataError> {
        match self {
            Self::Lmdb(writer) => writer.finish()?,
            Self::LevelDb(writer) => writer.finish()?,
        }
        Ok(())
    }
}
