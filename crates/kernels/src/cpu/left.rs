//! What is left of a thread's run of tasks, as one 64-bit word, `end << 32 | next`.
//!
//! Tasks are claimed by replacing the word: the owner's from the front, others' from the end. A claim takes a part of
//! what is left: many at first, since every claim costs a cache line's way between cores; one by one towards
//! the end, so that all threads end together.

use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

/// A claim takes what is left, divided by so many.
const CLAIMS: u64 = 4;

/// Tasks `next..end`, alone on their cache line.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Left(AtomicU64);

impl Left {
    pub(super) fn set(&self, tasks: Range<usize>) {
        self.0.store(word(tasks.start as u64, tasks.end as u64), Ordering::SeqCst);
    }

    pub(super) fn is_empty(&self) -> bool {
        let (next, end) = bounds(self.0.load(Ordering::SeqCst));
        next >= end
    }

    /// Takes some from the front, as they lie.
    pub(super) fn claim_first(&self) -> Option<Range<usize>> {
        self.claim(|next, end, count| (next..next + count, word(next + count, end)))
    }

    /// Takes some from the end, far from where their owner is.
    pub(super) fn claim_last(&self) -> Option<Range<usize>> {
        self.claim(|next, end, count| (end - count..end, word(next, end - count)))
    }

    /// Takes what `cut(next, end, count)` says, which also gives the word that is left.
    fn claim(&self, cut: impl Fn(u64, u64, u64) -> (Range<u64>, u64)) -> Option<Range<usize>> {
        let mut now = self.0.load(Ordering::Acquire);
        loop {
            let (next, end) = bounds(now);
            if next >= end {
                return None;
            }
            let (taken, rest) = cut(next, end, ((end - next) / CLAIMS).max(1));
            let order = (Ordering::AcqRel, Ordering::Acquire);
            match self.0.compare_exchange_weak(now, rest, order.0, order.1) {
                Ok(_) => {
                    let place = |task| usize::try_from(task).unwrap_or(usize::MAX); // from a usize
                    return Some(place(taken.start)..place(taken.end));
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
    use super::Left;

    #[test]
    fn owners_take_from_the_front_and_others_from_the_end() {
        let left = Left::default();
        assert!(left.is_empty());
        left.set(10..20);
        assert_eq!(left.claim_first(), Some(10..12));
        assert_eq!(left.claim_last(), Some(18..20));
        assert_eq!(left.claim_last(), Some(17..18));
        let rest: Vec<_> = std::iter::from_fn(|| left.claim_first()).flatten().collect();
        assert_eq!(rest, [12, 13, 14, 15, 16]);
        assert!(left.is_empty() && left.claim_last().is_none());
    }
}
