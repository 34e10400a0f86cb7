//! Records that can be read in any order: what a shuffled run reads from.
//!
//! A [`RecordStore`] is opened once per process and shared by all replicas; each reads it through a
//! `StoreReader` of its own, in the order that [`order`](crate::order) defines. [`open`] indexes
//! a database in memory. Records that lie in memory are stores too.

mod reader;

use std::{collections::BTreeMap, fmt, path::Path, sync::Arc};

use caffe_format::{DataParameterDb, LayerParameter, Phase};

use crate::{
    ProgressFn,
    error::DataError,
    leveldb::LevelDbIndex,
    lmdb::LmdbIndex,
    order::{RecordUse, RunShuffle, StreamOrder},
    paths::PathRoot,
    source::{ReplicaSlice, data::SOURCE},
};
pub(crate) use reader::{StoreReader, record_name};

/// Records in any order, for many threads at a time.
pub trait RecordStore: Send + Sync {
    /// The database, for errors.
    fn path(&self) -> &Path;
    /// Number of records.
    fn records(&self) -> u64;
    /// The bytes of a record, as stored, in `buffer`.
    fn read<'a>(&self, wanted: RecordUse, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DataError>;
    /// The key of record `record`, for errors.
    fn key(&self, record: u64) -> Result<Vec<u8>, DataError>;
}

/// Opens the database that a `Data` layer reads, and indexes it.
pub fn open_layer(
    layer: &LayerParameter,
    root: &PathRoot,
    progress: ProgressFn<'_>,
) -> Result<Arc<dyn RecordStore>, DataError> {
    let param = layer.data_param();
    open(&root.readable(param.source(), SOURCE)?, param.backend(), progress)
}

/// Opens a database and indexes it.
pub fn open(
    path: &Path,
    backend: DataParameterDb,
    progress: ProgressFn<'_>,
) -> Result<Arc<dyn RecordStore>, DataError> {
    let store: Arc<dyn RecordStore> = match backend {
        DataParameterDb::Lmdb => Arc::new(LmdbIndex::build(path, progress)?),
        DataParameterDb::Leveldb => Arc::new(LevelDbIndex::build(path, progress)?),
    };
    if store.records() == 0 {
        return Err(DataError::NoRecords { path: store.path().to_owned() });
    }
    Ok(store)
}

impl RecordStore for LmdbIndex {
    fn path(&self) -> &Path {
        self.path()
    }

    fn records(&self) -> u64 {
        self.records()
    }

    fn read<'a>(&self, wanted: RecordUse, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        Ok(self.value(wanted.record, buffer)?)
    }

    fn key(&self, record: u64) -> Result<Vec<u8>, DataError> {
        Ok(self.key(record)?)
    }
}

impl RecordStore for LevelDbIndex {
    fn path(&self) -> &Path {
        self.path()
    }

    fn records(&self) -> u64 {
        self.records()
    }

    fn read<'a>(&self, wanted: RecordUse, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        buffer.clear();
        self.read(wanted.record, |_, value| buffer.extend_from_slice(value))?;
        Ok(buffer)
    }

    fn key(&self, record: u64) -> Result<Vec<u8>, DataError> {
        Ok(self.read(record, |key, _| key.to_vec())?)
    }
}

/// From where, and in which order, the `Data` layers of a train net read.
#[derive(Clone, Default)]
pub enum RecordAccess {
    /// From their databases, as they come: in key order.
    #[default]
    Database,
    /// From stores that were opened before.
    Stores(Arc<RecordStores>),
}

impl RecordAccess {
    /// What a replica reads for `layer`, if there is a store. Test nets read in key order, always.
    pub(crate) fn of_replica(
        &self,
        layer: &LayerParameter,
        phase: Phase,
        slice: ReplicaSlice,
    ) -> Option<ReplicaStore> {
        let Self::Stores(stores) = self else { return None };
        let store = stores.by_layer.get(layer.name()).filter(|_| phase == Phase::Train)?;
        let group = stores.shuffle.map(|shuffle| shuffle.group(slice));
        Some(ReplicaStore {
            store: Arc::clone(store),
            order: StreamOrder { records: store.records(), shuffle: group.map(|(group, _)| group) },
            slice: group.map_or(slice, |(_, own)| own),
            shuffle: stores.shuffle,
        })
    }
}

/// What one replica reads.
pub(crate) struct ReplicaStore {
    pub(crate) store: Arc<dyn RecordStore>,
    /// Of the replica's group.
    pub(crate) order: StreamOrder,
    /// Its positions in that.
    pub(crate) slice: ReplicaSlice,
    /// Of the run.
    pub(crate) shuffle: Option<RunShuffle>,
}

impl fmt::Debug for RecordAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Database => "Database",
            Self::Stores(_) => "Stores",
        })
    }
}

/// What the `Data` layers of a train net read.
pub struct RecordStores {
    /// `None` for key order.
    pub shuffle: Option<RunShuffle>,
    /// By the layer's name.
    pub by_layer: BTreeMap<String, Arc<dyn RecordStore>>,
}

#[cfg(test)]
mod tests;
