//! The exchange of one bucket: entries to their owners, sums back to all, and what a rank sent out
//! of its own state.

use super::TopK;
use super::borders::counts_per_owner;
use super::bucket::{TopKBucket, UndoEntry};
use super::entries::{entry_bytes, read_entries, write_entries};
use crate::ExchangeError;
use crate::compression::pool::with_range;
use crate::compression::row::RowContext;

impl TopK {
    /// Sends entries to their owners and sums those of our range.
    pub(super) fn reduce(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        let Self { me, wire, selected, sent, outgoing, incoming, counts, owner, .. } = self;
        let borders = &self.buckets[index].borders;
        let ours = counts_per_owner(selected, borders);
        let mut start = 0;
        for ((rank, block), &count) in outgoing.iter_mut().enumerate().zip(&ours) {
            let range = start..start + count;
            write_entries(wire, &selected[range.clone()], &sent[range], block);
            start += count;
            context.record.entries += if rank == *me { 0 } else { count as u64 };
        }
        counts.swap(context.exchange, |rank| ours[rank])?;
        for (rank, block) in incoming.iter_mut().enumerate() {
            let count = if rank == *me { 0 } else { counts.from(rank) };
            block.resize(count * entry_bytes(wire));
        }
        context.exchange.swap_known(outgoing, incoming, &mut || false)?;
        let begin = context.record.spent();
        let blocks = incoming.iter().zip(&*outgoing).enumerate();
        let blocks = blocks.map(|(rank, (theirs, own))| if rank == *me { own } else { theirs });
        owner.add_all(wire, borders[*me]..borders[*me + 1], blocks.map(|block| &block[..]));
        context.record.decoded_since(begin);
        Ok(())
    }

    /// Keeps the largest sums of all owners and gathers them.
    pub(super) fn spread(
        &mut self,
        index: usize,
        k: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        let renews = self.renews();
        let Self { me, wire, kept_sent, gathered, owner, .. } = self;
        let bucket = &mut self.buckets[index];
        let start = bucket.borders[*me];
        let known = bucket.global_threshold.filter(|_| !renews);
        let threshold = owner.keep_largest(context.exchange, start, k, known)?;
        bucket.global_threshold = Some(threshold);
        owner.clear(start);
        kept_sent.clone_from(&owner.kept_sums);
        wire.round(kept_sent);
        let world = gathered.len();
        for (rank, block) in gathered.iter_mut().enumerate() {
            let count = owner.kept_counts[rank];
            block.resize(count * entry_bytes(wire));
            // On the ring a rank passes on every block but that of its right neighbour.
            if world > 1 && rank != (*me + 1) % world {
                context.record.entries += count as u64;
            }
        }
        write_entries(wire, &owner.kept, kept_sent, &mut gathered[*me]);
        context.exchange.gather_known(gathered)
    }

    /// Writes what was kept to the pool, and takes it out of our own state. Returns whether all is
    /// finite.
    pub(super) fn apply(&mut self, index: usize, context: &mut RowContext<'_>) -> bool {
        let Self { wire, values, gathered, .. } = self;
        let TopKBucket { range, applied, .. } = &mut self.buckets[index];
        let mut is_finite = true;
        applied.clear();
        with_range(context.pool, range.clone(), |pool| {
            pool.fill(0.0);
            for block in gathered {
                let indices = read_entries(wire, block, values);
                applied.extend_from_slice(indices);
                for (&index, &value) in indices.iter().zip(&*values) {
                    pool[index as usize] = value;
                    is_finite &= value.is_finite();
                }
            }
        });
        self.take_out(index);
        is_finite
    }

    /// Takes what was applied out of u and v of the values that this rank sent, and adds to v what
    /// rounding took from the sums that it owns.
    fn take_out(&mut self, index: usize) {
        let Self { selected, sent, kept_sent, owner, velocity, accumulated, .. } = self;
        let TopKBucket { range, applied, undo, .. } = &mut self.buckets[index];
        let (velocity, accumulated) =
            (&mut velocity[range.clone()], &mut accumulated[range.clone()]);
        let mut note = |index: u32, velocity: f32, accumulated: f32| {
            undo.push(UndoEntry { index, velocity, accumulated });
        };
        let mut ours = selected.iter().zip(&*sent).peekable();
        for index in &*applied {
            while ours.next_if(|(ours, _)| *ours < index).is_some() {}
            if let Some((_, sent)) = ours.next_if(|(ours, _)| *ours == index) {
                let at = *index as usize;
                note(*index, velocity[at], accumulated[at]);
                velocity[at] = 0.0;
                accumulated[at] -= sent;
            }
        }
        for ((index, sum), sent) in owner.kept.iter().zip(&owner.kept_sums).zip(&*kept_sent) {
            let lost = sum - sent;
            if lost != 0.0 && lost.is_finite() {
                let at = *index as usize;
                note(*index, velocity[at], accumulated[at]);
                accumulated[at] += lost;
            }
        }
    }
}
