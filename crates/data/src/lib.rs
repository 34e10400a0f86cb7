//! Where batches come from: databases, images, HDF5 files, memory.
//!
//! [`open`] takes a data layer as written in a prototxt and gives a [`Stream`]; a thread reads ahead
//! while the net computes. [`source::SOURCES`] lists the layer types. [`transform`] crops, mirrors
//! and subtracts means as Caffe does, to the bit; [`convert`] and [`mean`] are Caffe's data
//! tools as functions. Nets, layers and ranks are not known here.
//!
//! Files are input: whatever they hold, the answer is an error that names file and record.

pub mod batch;
pub mod check;
pub mod convert;
pub mod database;
pub mod datum;
pub mod error;
mod fingerprint;
pub mod image;
pub mod leveldb;
pub mod lmdb;
pub mod mean;
pub mod rows;
pub mod source;
pub mod state;
pub mod stream;
pub mod transform;

pub use batch::Batch;
pub use error::DataError;
pub use fingerprint::fingerprint;
pub use source::{Deal, OnBadSample, Options, SOURCES};
pub use state::StreamState;
pub use stream::{Stream, open, shapes};

/// Told now and then how far a long task is: done, and of how many (0 when that is not known).
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);
