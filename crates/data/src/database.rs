//! What LMDB and LevelDB have in common: records in key order, read one after another.
//!
//! What is read in another order implements [`RecordReader`] too: over a
//! [`RecordStore`](crate::store::RecordStore), which is told the epoch by
//! [`RecordReader::begin_epoch`].

use std::path::Path;

use caffe_format::DataParameterDb;

use crate::{
    error::{DataError, SampleProblem},
    leveldb::LevelDbReader,
    lmdb::LmdbReader,
};

/// A database and a position in it.
pub trait RecordReader: Send {
    /// The file or folder, for errors.
    fn path(&self) -> &Path;
    /// Number of records, where it is known without reading them all.
    fn entries(&self) -> Option<u64>;
    /// Back to before the first record.
    fn rewind(&mut self);
    /// Goes to the next record of the present epoch; `false` when there is none.
    fn advance(&mut self) -> Result<bool, DataError>;
    /// Goes to record `index` of the present epoch, counted from 0; `false` when there is none.
    fn seek(&mut self, index: u64) -> Result<bool, DataError>;
    /// Number of the current record in key order, from 0.
    fn record(&self) -> u64;
    /// Key of the current record as text, for errors.
    fn record_name(&self) -> String;
    /// Bytes of the current record's value.
    fn value_len(&self) -> Result<usize, DataError> {
        Ok(self.value(&mut Vec::new())?.len())
    }
    /// Value of the current record: lent from memory where it lies there, else read into `buffer`.
    fn value<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DataError>;

    /// From now on the records of epoch `epoch` (from 0) are asked for; the position is before the
    /// first of them. Called before the first record of all, after the last one of an epoch, and
    /// when a skip or a restore leaves the present epoch: by any number, back too. All epochs have
    /// the same number of records. A stream that is under way calls it on the thread that
    /// prefetches.
    fn begin_epoch(&mut self, _epoch: u64) -> Result<(), DataError> {
        self.rewind();
        Ok(())
    }
}

/// Opens a database to be read.
pub fn open(path: &Path, backend: DataParameterDb) -> Result<Box<dyn RecordReader>, DataError> {
    match backend {
        DataParameterDb::Lmdb => Ok(Box::new(LmdbReader::open(path)?)),
        DataParameterDb::Leveldb => Ok(Box::new(LevelDbReader::open(path)?)),
    }
}

/// Number of records; leaves the reader anywhere.
pub(crate) fn count(reader: &mut dyn RecordReader) -> Result<u64, DataError> {
    if let Some(count) = reader.entries() {
        return Ok(count);
    }
    reader.rewind();
    let mut count = 0;
    while reader.advance()? {
        count += 1;
    }
    Ok(count)
}

impl RecordReader for LmdbReader {
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

    fn record(&self) -> u64 {
        self.passed().saturating_sub(1)
    }

    fn record_name(&self) -> String {
        String::from_utf8_lossy(self.key()).into_owned()
    }

    fn value_len(&self) -> Result<usize, DataError> {
        Ok(self.value_len()?)
    }

    fn value<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        Ok(self.value(buffer)?)
    }
}

impl RecordReader for LevelDbReader {
    fn path(&self) -> &Path {
        self.path()
    }

    /// Only reading everything would tell.
    fn entries(&self) -> Option<u64> {
        None
    }

    fn rewind(&mut self) {
        self.rewind();
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        Ok(self.advance()?)
    }

    /// Reads all records before it.
    fn seek(&mut self, index: u64) -> Result<bool, DataError> {
        self.rewind();
        for _ in 0..=index {
            if !self.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn record(&self) -> u64 {
        self.passed().saturating_sub(1)
    }

    fn record_name(&self) -> String {
        String::from_utf8_lossy(self.key()).into_owned()
    }

    fn value<'a>(&'a self, _: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        Ok(self.value())
    }
}

impl dyn RecordReader + '_ {
    /// The error that names the current record.
    pub(crate) fn bad_record(&self, problem: SampleProblem) -> DataError {
        DataError::Sample { path: self.path().to_owned(), record: self.record_name(), problem }
    }
}
