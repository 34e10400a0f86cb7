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
//!
//! What the slots hold depends on the operation:
//!
//! | operation | slots |
//! |---|---|
//! | all-reduce, broadcast | 0 is the buffer, `1..` are scratch |
//! | all-gather-v | slot r is what rank r contributes |
//! | all-to-all-v | slot d is what goes to rank d, slot p + s what comes from rank s |

use std::ops::Range;

/// A range of elements in one of the plan's slots.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SlotRange {
    /// Which slot.
    pub slot: usize,
    /// Which elements of the slot.
    pub range: Range<usize>,
}

/// One action of a rank. A collective is a list of these per lane and nothing more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PlanStep {
    /// Send the elements at `at`.
    Send {
        /// Receiving rank.
        to: usize,
        /// What is sent.
        at: SlotRange,
    },
    /// Receive and add into `at`.
    RecvReduce {
        /// Sending rank.
        from: usize,
        /// What is added to.
        at: SlotRange,
    },
    /// Receive and overwrite `at`.
    RecvCopy {
        /// Sending rank.
        from: usize,
        /// What is overwritten.
        at: SlotRange,
    },
    /// Add one range of our own to another.
    Add {
        /// What is added.
        from: SlotRange,
        /// What is added to.
        into: SlotRange,
    },
}

/// Steps that one rank takes in order. Lanes of one plan touch disjoint memory.
pub type Lane = Vec<PlanStep>;

/// One run of an algorithm through a range of the buffer, on one lane. What no rank touches before
/// the first of its steps, and after the last, can be converted then, while other lanes move.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LanePass {
    /// Its steps on the lane.
    pub steps: Range<usize>,
    /// The elements of slot 0 that they touch.
    pub range: Range<usize>,
}

/// What one rank does in a collective.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Elements in each slot.
    pub slots: Vec<usize>,
    /// Independent lists of steps; the same number on every rank, at most
    /// [`LANES_MAX`](crate::LANES_MAX).
    pub lanes: Vec<Lane>,
    /// The passes of each lane of an all-reduce or broadcast, one after another. Over all lanes
    /// their ranges tile the buffer.
    pub passes: Vec<Vec<LanePass>>,
    /// Where this rank holds the finished sum of an all-reduce when the reducing half ends. Over
    /// all ranks these tile the buffer.
    pub owned: Vec<Range<usize>>,
}

impl Plan {
    /// Elements of scratch in an all-reduce or broadcast.
    #[must_use]
    pub fn scratch_len(&self) -> usize {
        self.slots.iter().skip(1).sum()
    }
}
