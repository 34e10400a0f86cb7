//! The reducing half of an algorithm, from which both halves of a plan are made.
//!
//! An algorithm says only how partial sums flow to whoever owns a range in the end. Run backwards,
//! with sends and receives exchanged, the same hops spread the finished sum:
//!
//! ```text
//!   reducing                      spreading (mirrored, last hop first)
//!   Send{to: 3, range}      ◀──▶  RecvCopy{from: 3, range}
//!   Recv{from: 5, range}    ◀──▶  Send{to: 5, range}
//!   Add                     ◀──▶  nothing
//! ```
//!
//! An all-reduce is both halves, a reduce-scatter the first, an all-gather or broadcast the second.

use std::ops::Range;

/// Where a partial sum lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bench {
    /// In the buffer, at the range itself.
    Own,
    /// At the start of this scratch of the lane.
    Scratch(usize),
}

/// One move of the reducing half; ranges are of the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Hand over our partial sum of `range`; it is not ours any more.
    Send { to: usize, range: Range<usize> },
    /// Take a partial sum of `range`, adding it to `bench` or (`reduce: false`) laying it there.
    Recv { from: usize, range: Range<usize>, bench: Bench, reduce: bool },
    /// Add one partial sum of `range` to another.
    Add { range: Range<usize>, from: Bench, into: Bench },
}

impl Hop {
    /// Takes a partial sum straight into the buffer: what most algorithms do.
    pub(crate) fn recv(from: usize, range: Range<usize>) -> Self {
        Self::Recv { from, range, bench: Bench::Own, reduce: true }
    }
}

/// Part of an algorithm that runs on its own: the hops of one rank over one part of the buffer.
/// Every rank has the same number of stripes; they become lanes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Stripe {
    /// The reducing half, in order.
    pub(crate) hops: Vec<Hop>,
    /// What this rank holds finished after it.
    pub(crate) owned: Vec<Range<usize>>,
}

/// Piece `index` of `range` cut into `parts`: [`base::chunk`], shifted.
pub(crate) fn part(range: &Range<usize>, parts: usize, index: usize) -> Range<usize> {
    let piece = base::chunk(range.len(), parts, index);
    range.start + piece.start..range.start + piece.end
}
