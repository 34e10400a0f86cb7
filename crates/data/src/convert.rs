//! Making databases, as Caffe's converters do. Nothing that exists is overwritten.

pub mod idx;

use std::path::Path;

use caffe_format::{Datum, binary};

use crate::{error::DataError, lmdb};

/// A database that is being written.
pub(crate) struct Writer {
    lmdb: lmdb::Writer,
}

impl Writer {
    pub(crate) fn create(path: &Path) -> Result<Self, DataError> {
        Ok(Self { lmdb: lmdb::Writer::create(path)? })
    }

    pub(crate) fn put(&mut self, key: &str, datum: &Datum) -> Result<(), DataError> {
        Ok(self.lmdb.put(key.as_bytes(), &binary::write(datum))?)
    }

    pub(crate) fn finish(self) -> Result<(), DataError> {
        Ok(self.lmdb.finish()?)
    }
}
