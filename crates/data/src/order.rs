//! Which record stands at which position of a run's endless stream: a pure function.
//!
//! ```text
//!  epoch          0                     1                     2
//!  position   0 1 2 … N-1      N N+1 … 2N-1     2N 2N+1 …            no gap between epochs
//!  record     P0(0) P0(1) …    P1(0) P1(1) …    P2(0) …              Pe: the epoch's permutation
//!  replica    0 1 … R-1 0 1 …                                        position mod R
//! ```
//!
//! In key order, which is Caffe's, every permutation is the identity. Shuffled, it depends on seed,
//! epoch and number of records only. So what a replica reads does not depend on ranks, workers,
//! batches, or where the bytes of a record lie. Databases with the same number of records have the
//! same order, so a second one may hold the labels of the first.
//!
//! Nothing is stored: a record costs about 50 ns in both directions, from place to record and back.

mod permutation;

use std::num::NonZeroU32;

use permutation::RecordPermutation;

/// The order of all epochs of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOrder {
    /// Records of every epoch, at least 1.
    pub records: u64,
    /// Seed of the shuffle; `None` for key order.
    pub shuffle: Option<NonZeroU32>,
}

/// The order of one epoch.
#[derive(Debug, Clone, Copy)]
pub struct EpochOrder {
    epoch: u64,
    records: u64,
    /// `None` for key order.
    permutation: Option<RecordPermutation>,
}

/// A record and where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordUse {
    /// In the endless stream.
    pub position: u64,
    /// Its number in key order, from 0.
    pub record: u64,
}

impl StreamOrder {
    /// The order of epoch `epoch`, from 0.
    #[must_use]
    pub fn epoch(&self, epoch: u64) -> EpochOrder {
        let records = self.records;
        let permutation = self.shuffle.map(|seed| RecordPermutation::new(seed, epoch, records));
        EpochOrder { epoch, records, permutation }
    }
}

impl EpochOrder {
    /// Which epoch this is.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.epoch
    }

    /// What is read at place `place` of this epoch, which is below the number of records.
    #[must_use]
    pub fn at(&self, place: u64) -> RecordUse {
        let record = self.permutation.map_or(place, |permutation| permutation.record(place));
        RecordUse { position: self.epoch * self.records + place, record }
    }

    /// The position at which this epoch reads record `record`.
    #[must_use]
    pub fn position_of(&self, record: u64) -> u64 {
        let place = self.permutation.map_or(record, |permutation| permutation.place(record));
        self.epoch * self.records + place
    }
}

#[cfg(test)]
mod tests;
