//! The order between two exchanges.

use super::{GroupShuffle, StreamOrder, permutation::RecordPermutation};

/// The epochs between two exchanges: every record is used at least once.
#[derive(Debug, Clone, Copy)]
pub struct BlockOrder {
    order: StreamOrder,
    number: u64,
    /// `None` for key order.
    permutation: Option<RecordPermutation>,
}

/// The records of one replica in a block of several epochs: those at every `replicas`-th place of
/// the block's permutation, from `replica` on.
#[derive(Debug, Clone, Copy)]
struct BlockShard {
    shuffle: GroupShuffle,
    block: u64,
    replica: u64,
    /// Records, at least 1.
    len: u64,
    /// The replica's first position in the block.
    first: u64,
}

impl BlockOrder {
    pub(super) fn new(order: StreamOrder, number: u64) -> Self {
        let permutation = order.shuffle.map(|shuffle| {
            let seed = u64::from(shuffle.seed.get());
            // Group 0 is what there is without groups.
            let key = [seed, number, shuffle.group];
            RecordPermutation::new(&key[..2 + usize::from(shuffle.group > 0)], order.records)
        });
        Self { order, number, permutation }
    }

    /// The next block.
    #[must_use]
    pub fn next(&self) -> Self {
        Self::new(self.order, self.number + 1)
    }

    /// The first position of this block.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.number * self.order.block_len()
    }

    /// The record that `position`, which is in this block, reads.
    #[must_use]
    pub fn record_at(&self, position: u64) -> u64 {
        let Some(permutation) = self.permutation else { return position - self.start() };
        let Some(shuffle) = self.several_epochs() else {
            return permutation.record(position - self.start());
        };
        let shard = self.shard(shuffle, position % shuffle.replicas);
        let turn = (position - shard.first) / shuffle.replicas;
        let index = shard.cycle(turn / shard.len).record(turn % shard.len);
        permutation.record(shard.replica + index * shuffle.replicas)
    }

    /// Where this block uses `record` for the first time at or after `from`.
    #[must_use]
    pub fn use_of(&self, record: u64, from: u64) -> Option<u64> {
        let place = self.permutation.map_or(record, |permutation| permutation.place(record));
        let Some(shuffle) = self.several_epochs() else {
            return Some(self.start() + place).filter(|&position| position >= from);
        };
        let (replica, index) = (place % shuffle.replicas, place / shuffle.replicas);
        let shard = self.shard(shuffle, replica);
        let turns = from.saturating_sub(shard.first).div_ceil(shuffle.replicas);
        // In the cycle of that turn, or else in the one after it.
        let uses = (turns / shard.len..).map(|cycle| {
            let turn = cycle * shard.len + shard.cycle(cycle).place(index);
            shard.first + turn * shuffle.replicas
        });
        let end = self.start() + self.order.block_len();
        uses.take(2).find(|&position| position >= from).filter(|&position| position < end)
    }

    /// Where this block uses `record` again after `position`.
    #[must_use]
    pub fn use_after(&self, record: u64, position: u64) -> Option<u64> {
        self.several_epochs().and_then(|_| self.use_of(record, position + 1))
    }

    fn several_epochs(&self) -> Option<GroupShuffle> {
        self.order.shuffle.filter(|shuffle| shuffle.exchange_every > 1)
    }

    fn shard(&self, shuffle: GroupShuffle, replica: u64) -> BlockShard {
        let (start, replicas) = (self.start(), shuffle.replicas);
        BlockShard {
            shuffle,
            block: self.number,
            replica,
            len: (self.order.records - replica).div_ceil(replicas),
            first: start + (replica + replicas - start % replicas) % replicas,
        }
    }
}

impl BlockShard {
    /// The order in which the shard is read for the `cycle`-th time.
    fn cycle(&self, cycle: u64) -> RecordPermutation {
        let GroupShuffle { seed, group, .. } = self.shuffle;
        let key = [u64::from(seed.get()), self.block, group, self.replica, cycle];
        RecordPermutation::new(&key, self.len)
    }
}
