//! What can be wrong with a collective. Every variant names the rank, and what was expected.

use crate::{LANES_MAX, PlanStep};

/// Why plans do not make a collective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Plans of one collective have the same number of lanes, of which there are not many.
    #[error("rank {rank} has {lanes} lanes, rank 0 has {lanes0}; at most {LANES_MAX} are allowed")]
    Lanes {
        /// The rank that differs.
        rank: usize,
        /// Its lanes.
        lanes: usize,
        /// Lanes of rank 0.
        lanes0: usize,
    },
    /// Two slots that the operation makes equally long are not.
    #[error("slot {slot} of rank {rank} is not as long as slot {other_slot} of rank {other}")]
    SlotLength {
        /// Whose slot.
        rank: usize,
        /// Which slot.
        slot: usize,
        /// Whose slot it is compared with.
        other: usize,
        /// Which of its slots.
        other_slot: usize,
    },
    /// A step names a rank, slot or range that does not exist, or its own rank.
    #[error("rank {rank}, lane {lane}, step {step}: {what:?} is out of bounds")]
    OutOfBounds {
        /// Whose plan.
        rank: usize,
        /// Which lane.
        lane: usize,
        /// Which step of it.
        step: usize,
        /// The step.
        what: PlanStep,
    },
    /// Two lanes of one rank touch the same memory.
    #[error("rank {rank}: lanes {lanes:?} both touch slot {slot} at {at}, and one writes")]
    LanesOverlap {
        /// Whose plan.
        rank: usize,
        /// The two lanes.
        lanes: [usize; 2],
        /// Which slot.
        slot: usize,
        /// First value that both touch.
        at: usize,
    },
    /// Passes leave something out, or touch elements of another.
    #[error("rank {rank}, lane {lane}: passes do not tile the steps and the buffer")]
    Passes {
        /// Whose plan.
        rank: usize,
        /// Which lane.
        lane: usize,
    },
    /// Steps are left and none can happen.
    #[error("rank {rank}, lane {lane} waits forever at step {step}: {what:?}")]
    Deadlock {
        /// The first rank that waits.
        rank: usize,
        /// Which lane.
        lane: usize,
        /// Which step of it.
        step: usize,
        /// The step.
        what: PlanStep,
    },
    /// A message meets a receive of another length.
    #[error("rank {rank}, lane {lane} expects {want} values from rank {from}, which sends {got}")]
    Length {
        /// The receiver.
        rank: usize,
        /// Which lane.
        lane: usize,
        /// The sender.
        from: usize,
        /// Values expected.
        want: usize,
        /// Values sent.
        got: usize,
    },
    /// A message that nobody takes.
    #[error("rank {rank} never takes a message from rank {from} on lane {lane}")]
    Unmatched {
        /// The receiver.
        rank: usize,
        /// The sender.
        from: usize,
        /// Which lane.
        lane: usize,
    },
    /// A sum that holds one rank's values twice.
    #[error("the contribution of rank {contribution} is counted twice")]
    CountedTwice {
        /// Whose.
        contribution: usize,
    },
    /// A sum or message from memory that nothing was written to.
    #[error("memory is used before it is written")]
    Unwritten,
    /// Values that are added to values of other elements.
    #[error("different elements are added in slot {slot} in the range at {at}")]
    Misplaced {
        /// Which slot.
        slot: usize,
        /// Start of the range.
        at: usize,
    },
    /// A result without one rank's values.
    #[error("rank {rank} ends without the contribution of rank {contribution}")]
    Missing {
        /// Who lacks it.
        rank: usize,
        /// Whose it is.
        contribution: usize,
    },
    /// A result that another rank should have, or in another place.
    #[error("rank {rank} ends with a wrong value in slot {slot} in the range at {at}")]
    WrongValue {
        /// Who has it.
        rank: usize,
        /// Which slot.
        slot: usize,
        /// Start of the range.
        at: usize,
    },
    /// Owned ranges leave a gap or overlap.
    #[error("owned ranges do not tile the buffer at {at}")]
    NotTiled {
        /// Where.
        at: usize,
    },
}
