//! A row of the table: what a compression is called, what its options are, and what it asks of the
//! update rule.

use super::row::CompressionRow;
use super::{CompressionConfig, CompressionError, CompressionSetup};
use crate::wire::WireFormat;
use std::fmt;

/// One row of [`COMPRESSIONS`](super::COMPRESSIONS).
pub struct CompressionKind {
    /// What `--compression` calls it.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Its options, in the order in which they are written.
    pub keys: &'static [CompressionKey],
    /// What the update rule does with momentum.
    pub momentum: MomentumUse,
    /// What is decided at once: to compress, or to sum densely.
    pub decision: DecisionUnit,
    /// Vectors as long as the pool that each rank of two or more keeps at most, whatever is
    /// decided. Messages, less than half of one, come on top.
    pub state_vectors: usize,
    /// What is known of its bytes before a step.
    pub volume: SentVolume,
    pub(super) build: BuildRow,
}

/// Makes the running row from checked options.
pub(super) type BuildRow =
    fn(&CompressionConfig, &CompressionSetup) -> Result<Box<dyn CompressionRow>, CompressionError>;

/// One option.
pub struct CompressionKey {
    /// What stands before `=`.
    pub name: &'static str,
    /// The value unless one is given.
    pub default: &'static str,
    /// What it means, for the help.
    pub meaning: &'static str,
    /// Which values are valid.
    pub range: KeyRange,
}

/// Valid values of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRange {
    /// Above 0 and at most 1.
    Fraction,
    /// A finite number above 0.
    Positive,
    /// Whole numbers.
    Whole {
        /// The smallest.
        min: u32,
        /// The largest.
        max: u32,
        /// All are multiples of this.
        multiple_of: u32,
    },
}

/// What the update rule does with momentum when gradients come from a compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentumUse {
    /// The rule applies it, to all values: what is summed is a gradient as any other.
    Rule,
    /// The rule applies it where the update applies; the history of everything else stays as it is.
    FrozenWhereUnsent,
    /// Momentum is inside what is summed: the rule runs with momentum 0.
    Corrected,
}

/// What is decided at once: to compress, or to sum densely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionUnit {
    /// Each bucket by itself.
    Bucket,
    /// All buckets of a step together.
    Step,
}

/// What is known of a step's bytes before it.
#[derive(Debug, Clone, Copy)]
pub enum SentVolume {
    /// They are those of the plans.
    Planned,
    /// As many entries as gradients have large values: plans estimate.
    Entries {
        /// Bytes of an entry.
        entry_bytes: fn(&WireFormat) -> usize,
        /// The most entries that a rank sends of a bucket with so many values after the warm-up,
        /// if there is a bound.
        entries_max: Option<fn(&CompressionConfig, usize) -> usize>,
    },
}

impl KeyRange {
    /// The value that `written` stands for, if it is valid.
    pub(super) fn parse(self, written: &str) -> Option<f64> {
        match self {
            Self::Fraction => number(written).filter(|&value| value > 0.0 && value <= 1.0),
            Self::Positive => number(written).filter(|&value| value > 0.0),
            Self::Whole { min, max, multiple_of } => {
                let value: u32 = written.parse().ok()?;
                let is_valid = (min..=max).contains(&value) && value.is_multiple_of(multiple_of);
                is_valid.then_some(f64::from(value))
            }
        }
    }
}

/// A finite number; `inf`, `nan` and what is too large for an `f32` are none.
fn number(written: &str) -> Option<f64> {
    let value: f64 = written.parse().ok()?;
    (value.abs() <= f64::from(f32::MAX)).then_some(value)
}

impl fmt::Display for KeyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fraction => write!(f, "above 0 and at most 1"),
            Self::Positive => write!(f, "a finite number above 0"),
            Self::Whole { min, max, multiple_of: 1 } => {
                write!(f, "a whole number from {min} to {max}")
            }
            Self::Whole { min, max, multiple_of } => {
                write!(f, "a multiple of {multiple_of} from {min} to {max}")
            }
        }
    }
}

impl fmt::Debug for CompressionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for CompressionKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
