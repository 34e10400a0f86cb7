//! Where batches come from: databases, images, HDF5 files, memory.
//!
//! [`open`] takes a data layer as written in a prototxt and gives a [`BatchStream`]; a thread
//! prefetches while the net computes. From an LMDB record to a blob:
//!
//! ```text
//!  on the prefetching thread, driven by a row of SOURCES (a RecordSource):
//!
//!   LmdbReader ──record's bytes──▶ SampleDecoder ──Sample──▶ BatchBuilder ──values──▶ SampleBatch
//!   (RecordReader)  one read         borrows them           crops, mirrors,           one Slab
//!    │                                                       subtracts means          per top
//!    ├ begin_epoch: before an epoch's first record,                                      │
//!    │              and when a skip or restore changes epochs                            ▼
//!    └ seek: to a place in the epoch                                                BatchStream
//!                                                                                        │
//!  on the net's thread:   blob's Slab ◀──── exchanged, not copied ──── train::FileSource ◀┘
//!                              └────── the old one goes back to be filled ──────▶
//! ```
//!
//! In place of a database's own reader, which walks in key order, a `StoreReader` reads the records
//! of a [`RecordStore`] in the order that [`order`] defines: an index of the database
//! ([`lmdb::LmdbIndex`], [`leveldb::LevelDbIndex`]), or records in memory ([`shard`]).
//!
//! Six types carry a record: `RecordReader`, `SampleDecoder`, `Sample`, `BatchBuilder`,
//! `SampleBatch` and `BatchStream`. `DatabaseSource` calls the first four, on the `PrefetchThread`
//! of the last. Only `Data` has readers that are told of epochs; the other sources keep their own
//! order.
//!
//! In the steady state nothing is allocated for a batch, nor for a record: readers and decoders
//! keep their memory. Exceptions are the crate `png`, which allocates for every file, and the next
//! file of an `HDF5Data` layer or of a LevelDB. A record's name is looked up only for an error.
//! Values are written once, by [`transform`], which crops, mirrors and subtracts means as Caffe
//! does, to the bit, with the loops of `kernels::pixels`.
//!
//! What is random is drawn from the size in a record's header, before it is decoded
//! ([`StoredSample`](sample::StoredSample)), so that pixels beyond a crop are not computed. With
//! several threads ([`FillMonitor`]) records are read and random numbers drawn by the prefetching
//! thread, in order; pixels are decoded and transformed by all. [`mod@bench`] measures each of it.
//!
//! [`convert`] and [`mean`] are Caffe's data tools as functions. Nets, layers and ranks are not
//! known here. Files are input: whatever they hold, the answer is an error that names file and
//! record.

pub mod batch;
pub mod bench;
pub mod check;
pub mod convert;
pub mod database;
pub mod error;
mod fingerprint;
pub mod image;
pub mod leveldb;
pub mod lmdb;
pub mod mean;
mod monitor;
pub mod order;
pub mod paths;
pub mod rows;
pub mod sample;
pub mod shard;
pub mod source;
pub mod state;
pub mod store;
pub mod stream;
pub mod transform;

pub use batch::{BatchOrigin, SampleBatch, SkippedRecord};
pub use error::DataError;
pub use fingerprint::fingerprint;
pub use monitor::{FillMonitor, FillStage};
pub use paths::{MisplacedPath, PathField, PathRoot};
pub use source::{OnBadSample, OptionNotice, ReplicaSlice, SOURCES, SourceOptions};
pub use state::StreamState;
pub use store::{RecordAccess, RecordStore, RecordStores};
pub use stream::{BatchStream, open, shapes};

/// Told now and then how far a long task is: done, and of how many (0 when that is not known).
pub type ProgressFn<'a> = &'a mut dyn FnMut(u64, u64);
