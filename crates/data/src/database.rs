//! What LMDB and LevelDB have in common: records in key order, read one after another.

use std::path::Path;

use caffe_format::DataParameterDb;

use crate::{
    error::{DataError, SampleProblem},
    leveldb, lmdb,
};

/// A database and a place in it.
pub trait Database: Send {
    /// The file or folder, for errors.
    fn path(&self) -> &Path;
    /// Number of records, where it is known without reading them all.
    fn entries(&self) -> Option<u64>;
    /// Back to before the first record.
    fn rewind(&mut self);
    /// Goes to the next record in key order; `false` when there is none.
    fn advance(&mut self) -> Result<bool, DataError>;
    /// Goes to record `index`, counted from 0; `false` when there is none.
    fn seek(&mut self, index: u64) -> Result<bool, DataError>;
    /// Key of the current record.
    fn key(&self) -> &[u8];
    /// Replaces `value` by the current record's.
    fn read_value(&self, value: &mut Vec<u8>) -> Result<(), DataError>;
}

/// Opens a database to be read.
pub fn open(path: &Path, backend: DataParameterDb) -> Result<Box<dyn Database>, DataError> {
    match backend {
        DataParameterDb::Lmdb => Ok(Box::new(lmdb::Reader::open(path)?)),
        DataParameterDb::Leveldb => Ok(Box::new(leveldb::Reader::open(path)?)),
    }
}

impl Database for lmdb::Reader {
    fn path(&self) -> &Path {
        self.path()
    }

    fn entries(&self) -> Option<u64> {
        Some(self.entries())
    }

    fn rewind(&mut self) {
        self.rewind();
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        Ok(self.advance()?)
    }

    fn seek(&mut self, index: u64) -> Result<bool, DataError> {
        Ok(self.seek(index)?)
    }

    fn key(&self) -> &[u8] {
        self.key()
    }

    fn read_value(&self, value: &mut Vec<u8>) -> Result<(), DataError> {
        Ok(self.read_value(value)?)
    }
}

impl Database for leveldb::Reader {
    fn path(&self) -> &Path {
        self.path()
    }

    /// Only a pass over everything would tell.
    fn entries(&self) -> Option<u64> {
        None
    }

    fn rewind(&mut self) {
        self.rewind();
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        Ok(self.advance()?)
    }

    /// Reads its way there.
    fn seek(&mut self, index: u64) -> Result<bool, DataError> {
        self.rewind();
        for _ in 0..=index {
            if !self.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        self.key()
    }

    fn read_value(&self, value: &mut Vec<u8>) -> Result<(), DataError> {
        value.clear();
        value.extend_from_slice(self.value());
        Ok(())
    }
}

impl dyn Database + '_ {
    /// The current key as text, for errors.
    #[must_use]
    pub fn record_name(&self) -> String {
        String::from_utf8_lossy(self.key()).into_owned()
    }

    /// The error that names the current record.
    pub(crate) fn bad_record(&self, problem: SampleProblem) -> DataError {
        DataError::Sample { path: self.path().to_owned(), record: self.record_name(), problem }
    }
}
