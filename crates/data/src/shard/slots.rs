//! Which record a position of the endless stream finds, for the positions of some replicas.

use std::collections::VecDeque;

use super::arena::RecordBlocks;

/// The replicas `first..end` of `replicas`: their positions are those of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnedReplicas {
    /// The first replica.
    pub first: u64,
    /// The one after the last.
    pub end: u64,
    /// Replicas of all shards together.
    pub replicas: u64,
}

impl OwnedReplicas {
    /// How many positions below `position` belong to these replicas.
    #[must_use]
    pub fn before(&self, position: u64) -> u64 {
        let (rounds, rest) = (position / self.replicas, position % self.replicas);
        rounds * (self.end - self.first) + rest.clamp(self.first, self.end) - self.first
    }
}

/// Blocks by position, from the first that was not released on.
pub(super) struct UseSlots {
    owned: OwnedReplicas,
    /// Owned positions that were released, from the start of the stream.
    released: u64,
    slots: VecDeque<UseSlot>,
}

#[derive(Debug, Clone, Copy)]
enum UseSlot {
    /// Its record has not arrived.
    Empty,
    /// This use frees the blocks.
    Own(RecordBlocks),
    /// A later use frees them.
    Lent(RecordBlocks),
}

impl UseSlots {
    /// Positions before `position` are past.
    pub(super) fn new(owned: OwnedReplicas, position: u64) -> Self {
        Self { owned, released: owned.before(position), slots: VecDeque::new() }
    }

    /// The blocks of the record that `position` uses, if it is here.
    pub(super) fn get(&self, position: u64) -> Option<RecordBlocks> {
        match *self.slots.get(self.index(position)?)? {
            UseSlot::Empty => None,
            UseSlot::Own(blocks) | UseSlot::Lent(blocks) => Some(blocks),
        }
    }

    /// `position`, which is not past, uses `blocks` and frees them.
    pub(super) fn put(&mut self, position: u64, blocks: RecordBlocks) {
        let index = self.index(position).expect("a use that is to come");
        if index >= self.slots.len() {
            self.slots.resize(index + 1, UseSlot::Empty);
        }
        self.slots[index] = UseSlot::Own(blocks);
    }

    /// A later use frees the blocks of `position`.
    pub(super) fn lend(&mut self, position: u64) {
        if let (Some(blocks), Some(index)) = (self.get(position), self.index(position)) {
            self.slots[index] = UseSlot::Lent(blocks);
        }
    }

    /// All positions before `position` are past: `free` gets the blocks that nobody uses again.
    pub(super) fn release_before(&mut self, position: u64, mut free: impl FnMut(RecordBlocks)) {
        let past = self.owned.before(position);
        while self.released < past {
            self.released += 1;
            if let Some(UseSlot::Own(blocks)) = self.slots.pop_front() {
                free(blocks);
            }
        }
    }

    /// `None` for a position that is past.
    fn index(&self, position: u64) -> Option<usize> {
        usize::try_from(self.owned.before(position).checked_sub(self.released)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::OwnedReplicas;

    #[test]
    fn positions_are_counted_as_one_by_one() {
        for (first, end, replicas) in [(0, 1, 1), (0, 2, 8), (6, 8, 8), (2, 3, 5), (0, 5, 5)] {
            let owned = OwnedReplicas { first, end, replicas };
            let mut count = 0;
            for position in 0..50 {
                assert_eq!(owned.before(position), count, "{owned:?} before {position}");
                count += u64::from((first..end).contains(&(position % replicas)));
            }
        }
    }
}
