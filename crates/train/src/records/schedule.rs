//! Which records go from which rank to which, and in which collective: a pure function that every
//! rank computes for all, so nothing but the records themselves travels.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;

use base::Rank;
use data::order::{BlockOrder, StreamOrder};
use data::shard::{RecordSlot, range_of};

use crate::ReplicaPlacement;

/// Most bytes that a parcel carries out of a rank, and into one. So little that the parcels of all
/// ranks for one of them do not queue in the network, which would delay the next ones: an exchange
/// between 8 hosts took 1.99 s with 256 KiB and 2.5 to 2.7 s with 512 KiB to 16 MiB
/// (bench/results.md).
pub(super) const PARCEL_BYTES: usize = 256 << 10;
/// Most transfers that wait for the next parcel: with some ranks' links full and others not.
const WAITING_MAX: usize = 1024;

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
    /// Whether that is the first one in its block.
    pub(super) is_new: bool,
    /// Bytes `start..end`.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether these are the record's last bytes.
    pub(super) is_last: bool,
}

impl RecordTransfer {
    /// Whether it takes its bytes out of a slot for `position` or a later one.
    pub(super) fn takes_from(&self, position: u64) -> bool {
        matches!(self.slot, RecordSlot::Used(slot) if slot >= position)
    }
}

/// Who holds what: the records of a database, their order, and the rank of every replica.
pub(super) struct TransferSchedule {
    /// By group of replicas.
    orders: Vec<StreamOrder>,
    /// By record; shared with the shard.
    lengths: Arc<[u32]>,
    /// By replica, group after group.
    ranks: Vec<usize>,
    world: usize,
}

impl TransferSchedule {
    /// Each group of replicas has ranks of its own, which load every record once.
    pub(super) fn new(
        orders: Vec<StreamOrder>,
        lengths: Arc<[u32]>,
        placement: ReplicaPlacement,
    ) -> Self {
        let world = placement.ranks;
        let replicas_of =
            |rank| placement.of_rank(Rank::new(rank, world).expect("below the number of ranks"));
        let ranks = (0..world).flat_map(|rank| replicas_of(rank).map(move |_| rank)).collect();
        Self { orders, lengths, ranks, world }
    }

    /// Positions of a block of each group.
    pub(super) fn block_len(&self) -> u64 {
        self.orders[0].block_len()
    }

    /// Epochs of a block.
    pub(super) fn epochs_per_block(&self) -> u64 {
        self.block_len() / self.orders[0].records
    }

    /// From where each rank has loaded its range of the database to the first use from `position`
    /// on. Ranks take turns, so that all links are busy.
    pub(super) fn first_uses(&self, position: u64) -> impl Iterator<Item = RecordTransfer> + '_ {
        let blocks = self.blocks(position);
        let group_ranks = self.world / self.orders.len();
        let records = self.lengths.len() as u64;
        let ranges: Vec<_> =
            (0..self.world).map(|r| range_of(records, (r % group_ranks, group_ranks))).collect();
        let longest = ranges.iter().map(|range| range.end - range.start).max().unwrap_or(0);
        (0..longest).flat_map(move |turn| {
            let loaded = |(from, range): (usize, &Range<u64>)| {
                let record = Some(range.start + turn).filter(|record| range.contains(record))?;
                let group = from / group_ranks;
                let (now, next) = &blocks[group];
                let used = now.use_of(record, position).or_else(|| next.use_of(record, 0));
                let used = used.expect("every block uses every record");
                let slot = RecordSlot::Loaded(record);
                Some(self.transfer(group, (from, slot), (record, used), true))
            };
            ranges.iter().enumerate().filter_map(loaded).collect::<Vec<_>>()
        })
    }

    /// From their uses at `positions` of each group, which lie in one block, to those after them.
    pub(super) fn next_uses(
        &self,
        positions: Range<u64>,
    ) -> impl Iterator<Item = RecordTransfer> + '_ {
        let blocks = self.blocks(positions.start);
        positions.flat_map(move |position| {
            let moved = |(group, (now, next)): (usize, &(BlockOrder, BlockOrder))| {
                let record = now.record_at(position);
                let again = now.use_after(record, position);
                let used = again.or_else(|| next.use_of(record, 0));
                let used = used.expect("every block uses every record");
                let from = (self.rank_of(group, position), RecordSlot::Used(position));
                self.transfer(group, from, (record, used), again.is_none())
            };
            blocks.iter().enumerate().map(moved).collect::<Vec<_>>()
        })
    }

    /// Of each group, the block that `position` is in and the one after it.
    fn blocks(&self, position: u64) -> Vec<(BlockOrder, BlockOrder)> {
        let pair = |order: &StreamOrder| {
            let now = order.block_of(position);
            (now, now.next())
        };
        self.orders.iter().map(pair).collect()
    }

    /// The rank whose replica of `group` reads `position`.
    fn rank_of(&self, group: usize, position: u64) -> usize {
        let replicas = self.ranks.len() / self.orders.len();
        let replica = position % replicas as u64;
        let replica = usize::try_from(replica).expect("below the number of replicas");
        self.ranks[group * replicas + replica]
    }

    fn transfer(
        &self,
        group: usize,
        (from, slot): (usize, RecordSlot),
        (record, position): (u64, u64),
        is_new: bool,
    ) -> RecordTransfer {
        let index = usize::try_from(record).expect("below the number of records");
        let (to, end) = (self.rank_of(group, position), self.lengths[index] as usize);
        RecordTransfer { from, to, record, slot, position, is_new, start: 0, end, is_last: true }
    }

    /// Divides `transfers` into parcels, nearly in their order.
    pub(super) fn parcels<I: Iterator<Item = RecordTransfer>>(&self, transfers: I) -> Parcels<I> {
        let empty = vec![0; self.world];
        let (transfers, waiting) = (transfers.peekable(), VecDeque::new());
        Parcels { transfers, waiting, out: empty.clone(), into: empty }
    }
}

/// What one all-to-all-v carries, one after another. No rank sends or receives more than
/// [`PARCEL_BYTES`] in one; a longer record is divided. Where a rank has as much as it may, its
/// records wait for the next parcel and others take their place, since a parcel takes as long as
/// its busiest rank. Nothing leaves a slot that the same parcel, or a record that waits, fills.
pub(super) struct Parcels<I: Iterator> {
    transfers: Peekable<I>,
    /// What did not fit the parcel before, in its order.
    waiting: VecDeque<RecordTransfer>,
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
        for transfer in std::mem::take(&mut self.waiting) {
            self.add(transfer, &mut parcel);
        }
        let filled = parcel.iter().chain(&self.waiting).map(|transfer| transfer.position);
        let mut earliest = filled.min().unwrap_or(u64::MAX);
        while self.waiting.len() < WAITING_MAX {
            let Some(transfer) = self.transfers.next_if(|next| !next.takes_from(earliest)) else {
                break;
            };
            earliest = earliest.min(transfer.position);
            self.add(transfer, &mut parcel);
        }
        (!parcel.is_empty()).then_some(parcel)
    }
}

impl<I: Iterator> Parcels<I> {
    /// Adds as much of a transfer as fits; the rest waits.
    fn add(&mut self, whole: RecordTransfer, parcel: &mut Vec<RecordTransfer>) {
        let len = if whole.from == whole.to { 0 } else { whole.end - whole.start };
        let room = PARCEL_BYTES - self.out[whole.from].max(self.into[whole.to]);
        let fits = match len {
            _ if len <= room => len,
            _ if len > PARCEL_BYTES && room > 0 => room,
            _ => return self.waiting.push_back(whole),
        };
        let mut now = whole;
        if fits < len {
            (now.end, now.is_last) = (now.start + room, false);
            self.waiting.push_back(RecordTransfer { start: now.end, ..whole });
        }
        self.out[now.from] += fits;
        self.into[now.to] += fits;
        parcel.push(now);
    }
}

#[cfg(test)]
mod tests;
