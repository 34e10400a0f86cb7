//! Where batches come from.

pub mod lmdb;
