//! The vocabulary of plans: four steps over slots of memory, in independent lanes.
//!
//! ```text
//!   rank 0, lane 1   Send ──────────▶ RecvReduce   rank 3, lane 1
//!   rank 0, lane 1   Send ──────────▶ RecvCopy     rank 5, lane 1
//! ```
//!
//! The n-th message from rank a to rank b on lane l meets the n-th receive on b's lane l from a.
//! A send does not wait to be received. Memory that was sent from must not change before the
//! message is taken: whoever runs the plan makes a step wait that would write there.

use std::ops::Range;

/// A run of values in one of the plan's slots.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// 0 is the worker's own buffer, `1..` are scratch slots.
    pub slot: usize,
    /// Which values of the slot.
    pub range: Range<usize>,
}

/// One thing a rank does. A collective is a list of these per lane and nothing more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Send the values at `at`.
    Send {
        /// Receiving rank.
        to: usize,
        /// What is sent.
        at: Place,
    },
    /// Receive and add into `at`.
    RecvReduce {
        /// Sending rank.
        from: usize,
        /// What is added to.
        at: Place,
    },
    /// Receive and overwrite `at`.
    RecvCopy {
        /// Sending rank.
        from: usize,
        /// What is overwritten.
        at: Place,
    },
    /// Add one place of our own to another.
    Add {
        /// What is added.
        from: Place,
        /// What is added to.
        into: Place,
    },
}

/// Steps that one rank takes in order. Lanes of one plan touch disjoint memory.
pub type Lane = Vec<Step>;

/// What one rank does in a collective.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Values in slot 0.
    pub len: usize,
    /// Values in slots 1, 2, …: memory the plan needs besides the buffer.
    pub scratch: Vec<usize>,
    /// Independent lists of steps; the same number on every rank.
    pub lanes: Vec<Lane>,
    /// Where this rank holds the finished sum when the reducing half ends. Over all ranks these
    /// tile `0..len`; after a reduce-scatter they are this rank's share.
    pub owned: Vec<Range<usize>>,
}

impl Plan {
    /// Number of values in `slot`.
    #[must_use]
    pub fn slot_len(&self, slot: usize) -> usize {
        slot.checked_sub(1).map_or(self.len, |scratch| self.scratch[scratch])
    }

    /// All scratch together, in values.
    #[must_use]
    pub fn scratch_len(&self) -> usize {
        self.scratch.iter().sum()
    }
}
