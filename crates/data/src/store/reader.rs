//! A store as one replica reads it: a place in the order of an epoch.

use std::{path::Path, sync::Arc};

use super::RecordStore;
use crate::{
    database::RecordReader,
    error::DataError,
    order::{EpochOrder, RecordUse, StreamOrder},
};

/// A store and a place in an epoch. Passing over a record costs nothing.
pub(crate) struct StoreReader {
    store: Arc<dyn RecordStore>,
    order: StreamOrder,
    epoch: EpochOrder,
    /// One more than the current place.
    next: u64,
}

impl StoreReader {
    /// Before the first record of epoch 0.
    pub(crate) fn new(store: Arc<dyn RecordStore>, order: StreamOrder) -> Self {
        Self { store, order, epoch: order.epoch(0), next: 0 }
    }

    /// The current record.
    ///
    /// # Panics
    ///
    /// If there is none: the last `advance` or `seek` did not return `true`.
    fn current(&self) -> RecordUse {
        self.epoch.at(self.next.checked_sub(1).expect("a record is current"))
    }
}

impl RecordReader for StoreReader {
    fn path(&self) -> &Path {
        self.store.path()
    }

    fn entries(&self) -> Option<u64> {
        Some(self.order.records)
    }

    fn rewind(&mut self) {
        self.next = 0;
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        let found = self.next < self.order.records;
        self.next += u64::from(found);
        Ok(found)
    }

    fn seek(&mut self, index: u64) -> Result<bool, DataError> {
        let found = index < self.order.records;
        self.next = if found { index + 1 } else { 0 };
        Ok(found)
    }

    fn record(&self) -> u64 {
        self.current().record
    }

    fn record_name(&self) -> String {
        record_name(&*self.store, self.record())
    }

    fn value<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        self.store.read(self.current(), buffer)
    }

    fn begin_epoch(&mut self, epoch: u64) -> Result<(), DataError> {
        self.epoch = self.order.epoch(epoch);
        self.rewind();
        Ok(())
    }
}

/// The key of a record as text; its number where the key cannot be read.
pub(crate) fn record_name(store: &dyn RecordStore, record: u64) -> String {
    match store.key(record) {
        Ok(key) => String::from_utf8_lossy(&key).into_owned(),
        Err(_) => format!("number {record}"),
    }
}
