//! From a database to a shard, in two passes over a range of it: lengths, then records.
//!
//! A LevelDB tells neither its number of records nor where one lies: its first pass is over all of
//! it, and its second from the start to the end of the range.

use std::{
    path::PathBuf,
    sync::{Arc, RwLock},
};

use caffe_format::{DataParameterDb, LayerParameter};

use super::{
    OwnedReplicas, RecordShard, ShardState,
    arena::{self, RecordArena},
    slots::UseSlots,
};
use crate::{
    ProgressFn,
    database::{self, RecordReader},
    error::DataError,
    paths::PathRoot,
    source::data::SOURCE,
};

/// So often progress is reported.
const REPORT_EVERY: u64 = 256;

/// A contiguous range of the records of a database, in key order: part `part` of `parts`.
#[derive(Debug, Clone)]
pub struct DatabaseRange {
    path: PathBuf,
    backend: DataParameterDb,
    part: usize,
    parts: usize,
}

impl DatabaseRange {
    /// Of the database that `layer` reads.
    pub fn of_layer(
        layer: &LayerParameter,
        root: &PathRoot,
        (part, parts): (usize, usize),
    ) -> Result<Self, DataError> {
        let param = layer.data_param();
        let path = root.readable(param.source(), SOURCE)?;
        Ok(Self::new(path, param.backend(), (part, parts)))
    }

    pub(super) fn new(
        path: PathBuf,
        backend: DataParameterDb,
        (part, parts): (usize, usize),
    ) -> Self {
        Self { path, backend, part, parts }
    }

    /// Bytes of each record in the range, in order. Values are not read where the database says how
    /// long they are.
    pub fn lengths(&self, progress: ProgressFn<'_>) -> Result<Vec<u32>, DataError> {
        let mut reader = database::open(&self.path, self.backend)?;
        let mut lengths = Vec::new();
        let mut add = |reader: &dyn RecordReader| -> Result<u64, DataError> {
            lengths.push(u32::try_from(reader.value_len()?).map_err(|_| self.changed())?);
            Ok(lengths.len() as u64)
        };
        let count = if let Some(count) = reader.entries() {
            self.for_each(&mut *reader, count, progress, |reader| add(reader).map(drop))?;
            count
        } else {
            while reader.advance()? {
                let done = add(&*reader)?;
                report(progress, done, 0);
            }
            let count = lengths.len() as u64;
            progress(count, count);
            let range = self.range(count);
            lengths.truncate(usize::try_from(range.end).unwrap_or(usize::MAX));
            lengths.drain(..usize::try_from(range.start).unwrap_or(0));
            count
        };
        if count == 0 {
            return Err(DataError::NoRecords { path: self.path.clone() });
        }
        Ok(lengths)
    }

    /// Loads the range. `lengths` are those of all records of the database; `owned` are the
    /// replicas whose uses from `position` on this shard will hold, unless the range is everything.
    pub fn load(
        &self,
        lengths: Arc<[u32]>,
        owned: OwnedReplicas,
        position: u64,
        progress: ProgressFn<'_>,
    ) -> Result<RecordShard, DataError> {
        let mut reader = database::open(&self.path, self.backend)?;
        let count = lengths.len() as u64;
        let mut arena = RecordArena::new(block_bytes(&lengths));
        let (mut loaded, mut buffer, mut first) = (Vec::new(), Vec::new(), None);
        self.for_each(&mut *reader, count, progress, |reader| {
            let record = reader.record();
            first.get_or_insert(record);
            let bytes = reader.value(&mut buffer)?;
            let index = usize::try_from(record).map_err(|_| self.changed())?;
            if lengths.get(index).is_none_or(|&len| len as usize != bytes.len()) {
                return Err(self.changed());
            }
            let blocks = arena.take(bytes.len());
            arena.write(blocks, 0, bytes);
            loaded.push(Some(blocks));
            Ok(())
        })?;
        let used = UseSlots::new(owned, position);
        let state = ShardState { arena, first: first.unwrap_or(0), loaded, used };
        let (path, backend, whole) = (self.path.clone(), self.backend, self.parts == 1);
        Ok(RecordShard { path, backend, lengths, whole, state: RwLock::new(state) })
    }

    /// The numbers of the range's records, of `count` in all.
    #[must_use]
    pub fn range(&self, count: u64) -> std::ops::Range<u64> {
        range_of(count, (self.part, self.parts))
    }

    fn for_each(
        &self,
        reader: &mut dyn RecordReader,
        count: u64,
        progress: ProgressFn<'_>,
        mut each: impl FnMut(&dyn RecordReader) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let range = self.range(count);
        // A LevelDB is read from its start, which counts as progress.
        let walks = reader.entries().is_none() && !range.is_empty();
        let first = if walks { 0 } else { range.start };
        for record in first..range.end {
            let found = if record == first { reader.seek(record)? } else { reader.advance()? };
            if !found {
                return Err(self.changed());
            }
            if record >= range.start {
                each(reader)?;
            }
            report(progress, record + 1 - first, range.end - first);
        }
        progress(range.end - first, range.end - first);
        Ok(())
    }

    fn changed(&self) -> DataError {
        DataError::Changed { path: self.path.clone() }
    }
}

fn report(progress: ProgressFn<'_>, done: u64, all: u64) {
    if done.is_multiple_of(REPORT_EVERY) {
        progress(done, all);
    }
}

/// The numbers of the records in part `part` of `parts`, of `count` in all.
#[must_use]
pub fn range_of(count: u64, (part, parts): (usize, usize)) -> std::ops::Range<u64> {
    let count = usize::try_from(count).expect("records that are listed fit the memory");
    let range = base::chunk(count, parts, part);
    range.start as u64..range.end as u64
}

/// Bytes that a shard of `count` records with `bytes` in all takes, of a database with these
/// lengths: blocks, and the index, which reaches less than three epochs ahead.
#[must_use]
pub fn shard_bytes(lengths: &[u32], count: u64, bytes: u64) -> u64 {
    let index = lengths.len() as u64 * 4 + count * 3 * 8;
    RecordArena::bytes_for(block_bytes(lengths), count, bytes) + index
}

fn block_bytes(lengths: &[u32]) -> usize {
    let bytes: u64 = lengths.iter().map(|&len| u64::from(len)).sum();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    arena::block_bytes(lengths.len() as u64, bytes, u64::from(longest))
}
