//! The reducing half of an algorithm, from which both halves of a plan are made.
//!
//! An algorithm says only how partial sums flow to whoever owns a range in the end. In reverse,
//! with sends and receives exchanged, the same steps spread the finished sum:
//!
//! ```text
//!   reducing                      spreading (mirrored, last step first)
//!   Send{to: 3, range}      ◀──▶  RecvCopy{from: 3, range}
//!   Recv{from: 5, range}    ◀──▶  Send{to: 5, range}
//!   Add                     ◀──▶  nothing
//! ```
//!
//! An all-reduce is both halves, a broadcast the second.

use std::ops::Range;

/// Where a partial sum is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumLocation {
    /// In the buffer, at the range itself.
    Buffer,
    /// At the start of this scratch of the lane.
    Scratch(usize),
}

/// One step of the reducing half; ranges are of the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReduceStep {
    /// Hand over our partial sum of `range`; it is not ours any more.
    Send { to: usize, range: Range<usize> },
    /// Take a partial sum of `range`, adding it at `at` or (`reduce: false`) storing it there.
    Recv { from: usize, range: Range<usize>, at: SumLocation, reduce: bool },
    /// Add one partial sum of `range` to another.
    Add { range: Range<usize>, from: SumLocation, into: SumLocation },
}

impl ReduceStep {
    /// Takes a partial sum straight into the buffer: what most algorithms do.
    pub(crate) fn recv(from: usize, range: Range<usize>) -> Self {
        Self::Recv { from, range, at: SumLocation::Buffer, reduce: true }
    }
}

/// The reducing half of one rank over one range, independent of others: it becomes a lane. Every
/// rank has the same number of them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ReduceLane {
    /// What all steps touch.
    pub(crate) range: Range<usize>,
    /// In order.
    pub(crate) steps: Vec<ReduceStep>,
    /// What this rank holds finished after them.
    pub(crate) owned: Vec<Range<usize>>,
}

/// Chunk `index` of `range` divided into `count`: [`base::chunk`], shifted.
pub(crate) fn chunk_of(range: &Range<usize>, count: usize, index: usize) -> Range<usize> {
    let chunk = base::chunk(range.len(), count, index);
    range.start + chunk.start..range.start + chunk.end
}

/// Renames the ranks that `steps` name.
pub(crate) fn relabel(steps: &mut [ReduceStep], name: impl Fn(usize) -> usize) {
    for step in steps {
        match step {
            ReduceStep::Send { to: other, .. } | ReduceStep::Recv { from: other, .. } => {
                *other = name(*other);
            }
            ReduceStep::Add { .. } => {}
        }
    }
}
