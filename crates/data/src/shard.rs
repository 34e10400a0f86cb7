//! Records in memory, as stored: one arena, and an index by where records are used.
//!
//! A [`RecordShard`] begins with a contiguous range of the database. If that is all of it, records
//! stay where they are. Else it holds what some of the replicas use, and whoever knows other shards
//! moves records between them:
//!
//! ```text
//!  database ──load──▶ RecordSlot::Loaded(record) ──move──▶ RecordSlot::Used(position)
//!                                                            │ read, by a replica's stream
//!                     another shard, or this one ◀──move─────┤
//!                                                            ▼ release_before: it was read
//! ```
//!
//! A record that another epoch uses in the same shard is not copied: the later use takes over the
//! blocks of the earlier one. Reading copies a record once, under a lock that readers share.

mod arena;
mod load;
mod slots;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use caffe_format::DataParameterDb;

use crate::{database, error::DataError, order::RecordUse, store::RecordStore};
use arena::{RecordArena, RecordBlocks};
pub use load::{DatabaseRange, range_of, shard_bytes};
pub use slots::OwnedReplicas;
use slots::UseSlots;

/// Records of a database in memory.
pub struct RecordShard {
    path: PathBuf,
    backend: DataParameterDb,
    /// Bytes of every record of the database, by its number.
    lengths: Arc<[u32]>,
    /// Whether every record was loaded and stays.
    whole: bool,
    state: RwLock<ShardState>,
}

/// Where a record lies in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordSlot {
    /// As loaded, under its number.
    Loaded(u64),
    /// Under the position at which it is used.
    Used(u64),
}

struct ShardState {
    arena: RecordArena,
    /// Number of the first loaded record.
    first: u64,
    /// `None` once a record was moved.
    loaded: Vec<Option<RecordBlocks>>,
    used: UseSlots,
}

impl RecordShard {
    /// Bytes of record `record`.
    #[must_use]
    pub fn length(&self, record: u64) -> usize {
        let index = usize::try_from(record).expect("below the number of records");
        self.lengths[index] as usize
    }

    /// Bytes of the arena that hold records.
    #[must_use]
    pub fn taken_bytes(&self) -> u64 {
        self.read_state().arena.taken_bytes()
    }

    /// Lends bytes `start..end` of the record in `slot` to `with`, slice by slice. An error if it
    /// is not there.
    pub fn with_bytes(
        &self,
        slot: RecordSlot,
        (start, end): (usize, usize),
        with: impl FnMut(&[u8]),
    ) -> Result<(), DataError> {
        let state = self.read_state();
        let blocks = state.find(slot).ok_or_else(|| self.missing(slot))?;
        state.arena.read(blocks, start, end - start, with);
        Ok(())
    }

    /// Takes bytes of record `record`, from `offset` on, which `position` will use. The first come
    /// first.
    pub fn receive(&self, position: u64, record: u64, offset: usize, bytes: &[u8]) {
        let len = self.length(record);
        let mut state = self.write_state();
        let blocks = match state.used.get(position).filter(|_| offset > 0) {
            Some(blocks) => blocks,
            None => {
                let blocks = state.arena.take(len);
                state.used.put(position, blocks);
                blocks
            }
        };
        state.arena.write(blocks, offset, bytes);
    }

    /// Gives the record in `slot` to its next use at `position` in this shard.
    pub fn keep(&self, slot: RecordSlot, position: u64) -> Result<(), DataError> {
        let mut state = self.write_state();
        let blocks = state.find(slot).ok_or_else(|| self.missing(slot))?;
        match slot {
            RecordSlot::Loaded(record) => state.forget_loaded(record),
            RecordSlot::Used(earlier) => state.used.lend(earlier),
        }
        state.used.put(position, blocks);
        Ok(())
    }

    /// Frees a loaded record that was sent to another shard.
    pub fn release_loaded(&self, record: u64) {
        let mut state = self.write_state();
        if let Some(blocks) = state.find(RecordSlot::Loaded(record)) {
            state.arena.release(blocks);
            state.forget_loaded(record);
        }
    }

    /// Frees the records of all uses before `position`: they were read.
    pub fn release_before(&self, position: u64) {
        let mut state = self.write_state();
        let ShardState { arena, used, .. } = &mut *state;
        used.release_before(position, |blocks| arena.release(blocks));
    }

    fn missing(&self, slot: RecordSlot) -> DataError {
        DataError::NotInShard { path: self.path.clone(), slot: format!("{slot:?}") }
    }

    fn read_state(&self) -> RwLockReadGuard<'_, ShardState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self) -> RwLockWriteGuard<'_, ShardState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShardState {
    fn find(&self, slot: RecordSlot) -> Option<RecordBlocks> {
        match slot {
            RecordSlot::Used(position) => self.used.get(position),
            RecordSlot::Loaded(record) => *self.loaded.get(self.loaded_index(record)?)?,
        }
    }

    fn forget_loaded(&mut self, record: u64) {
        if let Some(index) = self.loaded_index(record) {
            self.loaded[index] = None;
        }
    }

    fn loaded_index(&self, record: u64) -> Option<usize> {
        usize::try_from(record.checked_sub(self.first)?).ok()
    }
}

impl RecordStore for RecordShard {
    fn path(&self) -> &Path {
        &self.path
    }

    fn records(&self) -> u64 {
        self.lengths.len() as u64
    }

    fn read<'a>(&self, wanted: RecordUse, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        let len = self.length(wanted.record);
        buffer.clear();
        buffer.reserve(len);
        let slot = match self.whole {
            true => RecordSlot::Loaded(wanted.record),
            false => RecordSlot::Used(wanted.position),
        };
        self.with_bytes(slot, (0, len), |slice| buffer.extend_from_slice(slice))?;
        Ok(buffer)
    }

    /// Keys are not kept: the database is opened for it.
    fn key(&self, record: u64) -> Result<Vec<u8>, DataError> {
        let mut reader = database::open(&self.path, self.backend)?;
        match reader.seek(record)? {
            true => Ok(reader.record_name().into_bytes()),
            false => Err(DataError::State { what: "the database has fewer records" }),
        }
    }
}

#[cfg(test)]
mod tests;
