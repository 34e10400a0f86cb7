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

/// A database that is being written.
enum Writer {
    Lmdb(lmdb::Writer),
    LevelDb(Box<leveldb::Writer>),
}

impl Writer {
    fn create(path: &Path, backend: DataParameterDb) -> Result<Self, DataError> {
        Ok(match backend {
            DataParameterDb::Lmdb => Self::Lmdb(lmdb::Writer::create(path)?),
            DataParameterDb::Leveldb => Self::LevelDb(Box::new(leveldb::Writer::create(path)?)),
        })
    }

    fn put(&mut self, key: &str, datum: &Datum) -> Result<(), DataError> {
        let value = binary::write(datum);
        match self {
            Self::Lmdb(writer) => writer.put(key.as_bytes(), &value)?,
            Self::LevelDb(writer) => writer.put(key.as_bytes(), &value)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<(), DataError> {
        match self {
            Self::Lmdb(writer) => writer.finish()?,
            Self::LevelDb(writer) => writer.finish()?,
        }
        Ok(())
    }
}
