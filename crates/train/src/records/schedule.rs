//! Which records go from which rank to which, and in which collective: a pure function that every
//! rank computes for all, so nothing but the records themselves travels.

use std::iter::Peekable;
use std::ops::Range;

use base::Rank;
use data::order::{EpochOrder, StreamOrder};
use data::shard::{RecordSlot, range_of};

use crate::ReplicaPlacement;

/// Most bytes that a parcel carries out of a rank, and into one.
pub(super) const PARCEL_BYTES: usize = 1 << 20;

/// A record, or a range of its bytes, on its way to its next use. It may stay where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordTransfer {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) record: u64,
    /// Where it lies at `from`.
    pub(super) slot: RecordSlot,
    /// Its next use.
    pub(super) position: u64,
    /// Bytes `start..end`.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether these are the record's last bytes.
    pub(super) is_last: bool,
}

/// Who holds what: the records of a database, their order, and the rank of every replica.
pub(super) struct TransferSchedule {
    pub(super) order: StreamOrder,
    /// By record.
    lengths: Vec<u32>,
    /// By replica.
    ranks: Vec<usize>,
    world: usize,
}

impl TransferSchedule {
    pub(super) fn new(order: StreamOrder, lengths: Vec<u32>, placement: ReplicaPlacement) -> Self {
        let world = placement.ranks;
        let replicas_of =
            |rank| placement.of_rank(Rank::new(rank, world).expect("below the number of ranks"));
        let ranks = (0..world).flat_map(|rank| replicas_of(rank).map(move |_| rank)).collect();
        Self { order, lengths, ranks, world }
    }

    /// From where each rank has loaded its range of the database to the first use from `position`
    /// on. Ranks take turns, so that all links are busy.
    pub(super) fn first_uses(&self, position: u64) -> impl Iterator<Item = RecordTransfer> + '_ {
        let records = self.order.records;
        let (now, next) = self.epochs(position / records);
        let ranges: Vec<_> = (0..self.world).map(|r| range_of(records, (r, self.world))).collect();
        let longest = ranges.iter().map(|range| range.end - range.start).max().unwrap_or(0);
        (0..longest).flat_map(move |turn| {
            let loaded = |(from, range): (usize, &Range<u64>)| {
                let record = Some(range.start + turn).filter(|record| range.contains(record))?;
                let used = Some(now.position_of(record)).filter(|&used| used >= position);
                let used = used.unwrap_or_else(|| next.position_of(record));
                Some(self.transfer(from, RecordSlot::Loaded(record), record, used))
            };
            ranges.iter().enumerate().filter_map(loaded).collect::<Vec<_>>()
        })
    }

    /// From their uses at `positions`, which lie in one epoch, to those in the epoch after it.
    pub(super) fn next_uses(
        &self,
        positions: Range<u64>,
    ) -> impl Iterator<Item = RecordTransfer> + '_ {
        let records = self.order.records;
        let (now, next) = self.epochs(positions.start / records);
        positions.map(move |position| {
            let record = now.at(position % records).record;
            let slot = RecordSlot::Used(position);
            self.transfer(self.rank_of(position), slot, record, next.position_of(record))
        })
    }

    fn epochs(&self, epoch: u64) -> (EpochOrder, EpochOrder) {
        (self.order.epoch(epoch), self.order.epoch(epoch + 1))
    }

    /// The rank whose replica reads `position`.
    fn rank_of(&self, position: u64) -> usize {
        let replica = position % self.ranks.len() as u64;
        self.ranks[usize::try_from(replica).expect("below the number of replicas")]
    }

    fn transfer(
        &self,
        from: usize,
        slot: RecordSlot,
        record: u64,
        position: u64,
    ) -> RecordTransfer {
        let index = usize::try_from(record).expect("below the number of records");
        let (to, end) = (self.rank_of(position), self.lengths[index] as usize);
        RecordTransfer { from, to, record, slot, position, start: 0, end, is_last: true }
    }

    /// Divides `transfers` into parcels, in their order.
    pub(super) fn parcels<I: Iterator<Item = RecordTransfer>>(&self, transfers: I) -> Parcels<I> {
        let empty = vec![0; self.world];
        Parcels { transfers: transfers.peekable(), rest: None, out: empty.clone(), into: empty }
    }
}

/// What one all-to-all-v carries, one after another. No rank sends or receives more than
/// [`PARCEL_BYTES`] in one; a longer record is divided.
pub(super) struct Parcels<I: Iterator> {
    transfers: Peekable<I>,
    /// What is left of a record that was divided.
    rest: Option<RecordTransfer>,
    /// Bytes of the present parcel, by rank.
    out: Vec<usize>,
    into: Vec<usize>,
}

impl<I: Iterator<Item = RecordTransfer>> Iterator for Parcels<I> {
    type Item = Vec<RecordTransfer>;

    fn next(&mut self) -> Option<Vec<RecordTransfer>> {
        self.out.fill(0);
        self.into.fill(0);
        let mut parcel = Vec::new();
        while let Some(whole) = self.rest.or_else(|| self.transfers.peek().copied()) {
            let len = if whole.from == whole.to { 0 } else { whole.end - whole.start };
            let room = PARCEL_BYTES - self.out[whole.from].max(self.into[whole.to]);
            if len > room && (len <= PARCEL_BYTES || room == 0) {
                return Some(parcel); // it fits the next one
            }
            if self.rest.take().is_none() {
                self.transfers.next();
            }
            let mut now = whole;
            if len > room {
                (now.end, now.is_last) = (now.start + room, false);
                self.rest = Some(RecordTransfer { start: now.end, ..whole });
            }
            self.out[now.from] += len.min(room);
            self.into[now.to] += len.min(room);
            parcel.push(now);
        }
        (!parcel.is_empty()).then_some(parcel)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use data::order::StreamOrder;
    use data::shard::RecordSlot;

    use super::{PARCEL_BYTES, RecordTransfer, TransferSchedule};
    use crate::ReplicaPlacement;

    const RECORDS: u64 = 61;

    fn schedule(lengths: impl Fn(u64) -> u32, ranks: usize) -> TransferSchedule {
        let placement = ReplicaPlacement { replicas: 8, workers: 1, ranks };
        let order = StreamOrder { records: RECORDS, shuffle: NonZeroU32::new(3) };
        TransferSchedule::new(order, (0..RECORDS).map(lengths).collect(), placement)
    }

    /// Every record goes from where it lies to the rank that reads it next.
    #[test]
    fn every_record_goes_where_it_is_used_next() {
        for ranks in [1, 2, 4, 8] {
            let schedule = schedule(|_| 1, ranks);
            for position in [0, 5, RECORDS, 200] {
                let mut seen = Vec::new();
                for transfer in schedule.first_uses(position) {
                    let used = (position..).find(|&p| {
                        schedule.order.epoch(p / RECORDS).at(p % RECORDS).record == transfer.record
                    });
                    assert_eq!(Some(transfer.position), used);
                    assert_eq!(transfer.to, (used.unwrap() % 8) as usize * ranks / 8);
                    seen.push(transfer.record);
                }
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..RECORDS));
            }
            for transfer in schedule.next_uses(RECORDS..2 * RECORDS) {
                let RecordSlot::Used(earlier) = transfer.slot else { panic!("a use") };
                let (now, next) = (schedule.order.epoch(1), schedule.order.epoch(2));
                assert_eq!(now.position_of(transfer.record), earlier);
                assert_eq!(next.position_of(transfer.record), transfer.position);
                assert_eq!(transfer.from, (earlier % 8) as usize * ranks / 8);
            }
        }
    }

    /// Short records, long ones, longer ones than a parcel, and empty ones.
    #[test]
    fn parcels_hold_all_bytes_in_order_and_within_bounds() {
        let lengths: [fn(u64) -> u32; 4] = [
            |_| 300_000,
            |r| u32::try_from(r * 37_000).unwrap(),
            |r| if r % 9 == 0 { 3_000_000 } else { 9 },
            |_| 0,
        ];
        for (lengths, ranks) in lengths.into_iter().zip([4, 2, 8, 4]) {
            let schedule = schedule(lengths, ranks);
            let whole: Vec<RecordTransfer> = schedule.next_uses(0..RECORDS).collect();
            let mut joined: Vec<RecordTransfer> = Vec::new();
            for parcel in schedule.parcels(whole.iter().copied()) {
                let (mut out, mut into) = (vec![0; ranks], vec![0; ranks]);
                for transfer in parcel {
                    if transfer.from != transfer.to {
                        out[transfer.from] += transfer.end - transfer.start;
                        into[transfer.to] += transfer.end - transfer.start;
                    }
                    match joined.last_mut().filter(|_| transfer.start > 0) {
                        Some(last) => {
                            assert_eq!((last.end, last.is_last), (transfer.start, false));
                            (last.end, last.is_last) = (transfer.end, transfer.is_last);
                        }
                        None => joined.push(transfer),
                    }
                }
                assert!(out.iter().chain(&into).all(|&bytes| bytes <= PARCEL_BYTES));
            }
            assert!(joined == whole);
        }
    }
}
