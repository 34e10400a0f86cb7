//! Which positions of the endless stream a replica gets: position `p` belongs to replica `p mod R`.
//!
//! Which record stands there is said by [`order`](crate::order) for `Data`; `HDF5Data` orders the
//! rows of an epoch itself.

use super::ReplicaSlice;
use crate::state::StreamState;

/// A position in the endless stream of records.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordOrder {
    slice: ReplicaSlice,
    /// Records passed, those of other replicas included: in all, and in this epoch.
    position: u64,
    in_epoch: u64,
    /// Epochs that have ended.
    epochs: u64,
}

impl RecordOrder {
    pub(super) fn new(slice: ReplicaSlice) -> Self {
        Self { slice, position: 0, in_epoch: 0, epochs: 0 }
    }

    /// Place of the current record in its epoch, from 0.
    pub(super) fn record(&self) -> u64 {
        self.in_epoch
    }

    /// Epochs that have ended, which is the number of the present one.
    pub(super) fn epochs(&self) -> u64 {
        self.epochs
    }

    /// Whether the current record is this replica's.
    pub(super) fn is_ours(&self) -> bool {
        self.position % self.slice.replicas as u64 == self.slice.replica as u64
    }

    /// To the next record, whose ever it is.
    pub(super) fn advance(&mut self) {
        self.position += 1;
        self.in_epoch += 1;
    }

    /// The record before was the epoch's last.
    pub(super) fn end_epoch(&mut self) {
        self.in_epoch = 0;
        self.epochs += 1;
    }

    /// Passes over `records` records of this replica, in epochs of `all` records.
    pub(super) fn skip(&mut self, records: u64, all: u64) {
        let passed = records * self.slice.replicas as u64;
        self.position += passed;
        self.epochs += (self.in_epoch + passed) / all;
        self.in_epoch = (self.in_epoch + passed) % all;
    }

    pub(super) fn state(&self, source: &'static str) -> StreamState {
        let Self { position, in_epoch: record, epochs, .. } = *self;
        StreamState { source, position, record, epochs, ..StreamState::default() }
    }

    pub(super) fn restore(&mut self, state: &StreamState) {
        let StreamState { position, record, epochs, .. } = *state;
        (self.position, self.in_epoch, self.epochs) = (position, record, epochs);
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordOrder, ReplicaSlice};

    /// Skipping ends where walking does, for every small database, replica and length.
    #[test]
    fn skipping_is_walking() {
        for all in 1..6 {
            for (replicas, replica) in [(1, 0), (2, 1), (3, 0), (3, 2), (7, 5)] {
                let mut walked = RecordOrder::new(ReplicaSlice { replica, replicas });
                let mut skipped = walked;
                for records in [0, 1, 2, 5, 13] {
                    skipped.skip(records, all);
                    for _ in 0..records * replicas as u64 {
                        walked.advance();
                        if walked.in_epoch == all {
                            walked.end_epoch();
                        }
                    }
                    assert_eq!(skipped.state(""), walked.state(""), "{replica} of {replicas}");
                }
            }
        }
    }
}
