//! The unclaimed tasks of one thread, as one 64-bit word, `end << 32 | next`.
//!
//! Tasks are claimed by a compare-and-swap on the word: the owner claims from the front, thieves
//! from the end. A claim takes a quarter of what is left: many tasks at first, since every claim
//! moves a cache line between cores; single tasks towards the end, so that all threads finish
//! together.

use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

/// A claim takes what is left divided by this number.
const CLAIM_DIVISOR: u64 = 4;

/// Tasks `next..end`, on a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct WorkStealingRange(AtomicU64);

impl WorkStealingRange {
    pub(super) fn set(&self, tasks: Range<usize>) {
        self.0.store(word(tasks.start as u64, tasks.end as u64), Ordering::SeqCst);
    }

    pub(super) fn is_empty(&self) -> bool {
        let (next, end) = bounds(self.0.load(Ordering::SeqCst));
        next >= end
    }

    /// Claims tasks at the front; called by the owner.
    pub(super) fn claim_first(&self) -> Option<Range<usize>> {
        self.claim(|next, end, count| (next..next + count, word(next + count, end)))
    }

    /// Claims tasks at the end, far from where the owner works.
    pub(super) fn claim_last(&self) -> Option<Range<usize>> {
        self.claim(|next, end, count| (end - count..end, word(next, end - count)))
    }

    /// Claims the range that `take(next, end, count)` returns together with the remaining word.
    fn claim(&self, take: impl Fn(u64, u64, u64) -> (Range<u64>, u64)) -> Option<Range<usize>> {
        let mut now = self.0.load(Ordering::Acquire);
        loop {
            let (next, end) = bounds(now);
            if next >= end {
                return None;
            }
            let (taken, rest) = take(next, end, ((end - next) / CLAIM_DIVISOR).max(1));
            let order = (Ordering::AcqRel, Ordering::Acquire);
            match self.0.compare_exchange_weak(now, rest, order.0, order.1) {
                Ok(_) => {
                    let index = |task| usize::try_from(task).unwrap_or(usize::MAX); // was a usize
                    return Some(index(taken.start)..index(taken.end));
                }
                Err(other) => now = other,
            }
        }
    }
}

fn word(next: u64, end: u64) -> u64 {
    end << 32 | next
}

fn bounds(word: u64) -> (u64, u64) {
    (word & u64::from(u32::MAX), word >> 32)
}

#[cfg(test)]
mod tests {
    use super::WorkStealingRange;

    #[test]
    fn owners_take_from_the_front_and_others_from_the_end() {
        let range = WorkStealingRange::default();
        assert!(range.is_empty());
        range.set(10..20);
        assert_eq!(range.claim_first(), Some(10..12));
        assert_eq!(range.claim_last(), Some(18..20));
        assert_eq!(range.claim_last(), Some(17..18));
        let rest: Vec<_> = std::iter::from_fn(|| range.claim_first()).flatten().collect();
        assert_eq!(rest, [12, 13, 14, 15, 16]);
        assert!(range.is_empty() && range.claim_last().is_none());
    }
}
