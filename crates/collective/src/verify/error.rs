//! What can be wrong with a collective. Every variant names the rank, and what was expected.

use crate::Step;

/// Why plans do not make a collective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Plans of one collective must look alike.
    #[error("rank {rank} plans {lanes} lanes over {len} values, rank 0 plans {lanes0} over {len0}")]
    Unlike {
        /// The rank that differs.
        rank: usize,
        /// Its lanes.
        lanes: usize,
        /// Its length.
        len: usize,
        /// Lanes of rank 0.
        lanes0: usize,
        /// Length of rank 0.
        len0: usize,
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
        what: Step,
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
        what: Step,
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
    /// A result without one rank's values.
    #[error("rank {rank} ends without the contribution of rank {contribution}")]
    Missing {
        /// Who lacks it.
        rank: usize,
        /// Whose it is.
        contribution: usize,
    },
    /// A result that is somebody else's.
    #[error("rank {rank} ends with a wrong value in the range at {at}")]
    WrongValue {
        /// Who has it.
        rank: usize,
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
