//! The table of algorithms. One file, one row each.
//!
//! To add one: write `algorithms/<name>.rs` with a `ROW`, add a `mod` line and a row below. The
//! tests then hold it to its costs for every world up to 33, and `docs/algorithms.md` gains a
//! line.

mod direct;
mod halving_doubling;
mod hierarchical;
mod mpi;
mod multi_color;
mod parameter_server;
mod reduction_tree;
mod ring;

use crate::LANES_MAX;
use crate::reducing::ReduceLane;
use base::Rank;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

/// Every algorithm, by name.
pub const ALGORITHMS: &[AlgorithmRow] = &[
    direct::ROW,
    halving_doubling::ROW,
    hierarchical::ROW,
    mpi::ROW,
    multi_color::ROW,
    parameter_server::ROW,
    reduction_tree::ROW,
    ring::ROW,
];

/// What `auto-any` tries, with the number of colours, in order of preference when costs are equal;
/// `auto` tries the exact ones.
pub(crate) const CANDIDATES: &[(&AlgorithmRow, usize)] = &[
    (&direct::ROW, 0),
    (&halving_doubling::ROW, 0),
    (&reduction_tree::ROW, 0),
    (&ring::ROW, 0),
    (&multi_color::ROW, 2),
    (&multi_color::ROW, 4),
    (&multi_color::ROW, 8),
];

/// One line of the table.
pub struct AlgorithmRow {
    /// What `--allreduce` calls it.
    pub name: &'static str,
    /// How its settings are written.
    pub syntax: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Formula of [`AlgorithmCost::rounds`], for the documentation.
    pub rounds: &'static str,
    /// Formula of [`AlgorithmCost::busiest_link`], for the documentation.
    pub busiest_link: &'static str,
    /// Reads what follows the name and its colon.
    parse: fn(&str) -> Result<Settings, SettingsError>,
    /// Whether the sum follows the canonical tree in this world.
    exact: fn(&Settings, usize) -> bool,
    /// `None`: the library underneath runs it.
    pub(crate) pattern: Option<Pattern>,
}

/// How a row makes plans and what it says they cost.
pub(crate) struct Pattern {
    /// The reducing half of one rank over one range.
    pub(crate) reduce: fn(&Settings, Rank, Range<usize>) -> Vec<ReduceLane>,
    /// Segments in which one pass over the buffer travels.
    pub(crate) segments: fn(&Settings, usize) -> usize,
    /// Cost in this world.
    pub(crate) cost: fn(&Settings, usize) -> AlgorithmCost,
}

/// What an all-reduce by this algorithm costs, in one pass; the tests compare it with the verifier.
/// Volumes are in buffer lengths and hold for buffers that divide evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlgorithmCost {
    /// Messages one after another on the longest chain, each rank taking and sending one at a time.
    pub rounds: usize,
    /// Most that any rank sends, and most that any receives.
    pub busiest_link: f64,
    /// Most that any rank adds.
    pub reduced: f64,
    /// Most that one rank owns after the reducing half.
    pub owned: f64,
    /// Whether the costs are exact; else they are upper bounds.
    pub tight: bool,
}

/// What follows an algorithm's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Servers, colours or ranks of a group; 0 where the row has none.
    pub(crate) count: usize,
    /// Inner and outer algorithm of a hierarchy.
    pub(crate) nested: Vec<Algorithm>,
}

/// A row with its settings: what a name such as `multi-color:4` stands for.
#[derive(Clone)]
pub struct Algorithm {
    pub(crate) row: &'static AlgorithmRow,
    pub(crate) settings: Settings,
    written: Arc<str>,
}

/// Why a name stands for no algorithm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No such row.
    #[error("unknown algorithm `{name}` (known: {})", known())]
    Unknown {
        /// What was written.
        name: String,
    },
    /// The row does not understand what follows the colon.
    #[error("`{written}`: {what}; write `{syntax}`")]
    Settings {
        /// What was written.
        written: String,
        /// What is wrong with it.
        what: SettingsError,
        /// How it should look.
        syntax: &'static str,
    },
}

/// What is wrong with what follows an algorithm's name and its colon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The algorithm has no settings.
    #[error("`:{written}` means nothing")]
    Unexpected {
        /// What was written.
        written: String,
    },
    /// Not a number.
    #[error("`{written}` is not a number")]
    Number {
        /// What was written.
        written: String,
    },
    /// A number of which one is the least.
    #[error("0 is too few")]
    Zero,
    /// Every server or colour has a lane.
    #[error("{count} is too many: a plan has {LANES_MAX} lanes")]
    Lanes {
        /// What was written.
        count: usize,
    },
    /// Not a number of ranks.
    #[error("`{written}` is not a group size")]
    Group {
        /// What was written.
        written: String,
    },
    /// Not an inner and an outer algorithm.
    #[error("`{written}` is not a pair")]
    Pair {
        /// What was written.
        written: String,
    },
    /// An inner or outer algorithm that the library runs.
    #[error("`{algorithm}` has no plan")]
    NoPlan {
        /// Which.
        algorithm: Algorithm,
    },
    /// An inner or outer algorithm that does not exist.
    #[error(transparent)]
    Nested(#[from] Box<NameError>),
}

fn known() -> String {
    let names: Vec<_> = ALGORITHMS.iter().map(|row| row.name).collect();
    names.join(", ")
}

impl FromStr for Algorithm {
    type Err = NameError;

    /// Reads names such as `ring`, `multi-color:4` or `hierarchical:4:direct+ring`.
    fn from_str(written: &str) -> Result<Self, NameError> {
        let (name, rest) = written.split_once(':').unwrap_or((written, ""));
        let row = ALGORITHMS
            .iter()
            .find(|row| row.name == name)
            .ok_or_else(|| NameError::Unknown { name: name.to_owned() })?;
        let settings = (row.parse)(rest).map_err(|what| NameError::Settings {
            written: written.to_owned(),
            what,
            syntax: row.syntax,
        })?;
        Ok(Self { row, settings, written: written.into() })
    }
}

impl Algorithm {
    /// A row with its number of servers or colours; 0 for one without settings.
    pub(crate) fn of_row(row: &'static AlgorithmRow, count: usize) -> Self {
        let written =
            if count == 0 { row.name.into() } else { format!("{}:{count}", row.name).into() };
        Self { row, settings: Settings { count, nested: Vec::new() }, written }
    }

    /// The direct algorithm: what `auto` means where ranks share memory.
    #[must_use]
    pub fn direct() -> Self {
        Self::of_row(&direct::ROW, 0)
    }

    /// The sum of the library underneath, where it has one.
    #[must_use]
    pub fn library() -> Self {
        Self::of_row(&mpi::ROW, 0)
    }

    /// The reduction tree: exact, and few rounds for short buffers.
    #[must_use]
    pub fn reduction_tree() -> Self {
        Self::of_row(&reduction_tree::ROW, 0)
    }

    /// Whether it is [`direct`](Self::direct): ranks that share memory do it without messages.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.row.name == direct::ROW.name
    }

    /// The name as it was written; [`from_str`](Self::from_str) reads it back.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.written
    }

    /// Whether all ranks end with the bits of the canonical tree in this world.
    #[must_use]
    pub fn is_exact(&self, world: usize) -> bool {
        (self.row.exact)(&self.settings, world)
    }

    /// Whether it has no plan: the library underneath runs it.
    #[must_use]
    pub fn is_library(&self) -> bool {
        self.row.pattern.is_none()
    }

    /// What it costs by its row's formulas; `None` when the library runs it.
    #[must_use]
    pub fn cost(&self, world: usize) -> Option<AlgorithmCost> {
        self.row.pattern.as_ref().map(|pattern| (pattern.cost)(&self.settings, world))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.row.name == other.row.name && self.settings == other.settings
    }
}

impl Eq for Algorithm {}

impl AlgorithmCost {
    /// A world of one: nothing moves.
    const ALONE: Self =
        Self { rounds: 0, busiest_link: 0.0, reduced: 0.0, owned: 1.0, tight: true };
}

/// For rows without settings.
fn no_settings(rest: &str) -> Result<Settings, SettingsError> {
    match rest {
        "" => Ok(Settings::default()),
        _ => Err(SettingsError::Unexpected { written: rest.to_owned() }),
    }
}

/// For rows with one number, which may be left out: as many lanes, so no more than there are.
fn one_count(rest: &str, default: usize) -> Result<Settings, SettingsError> {
    let number = || SettingsError::Number { written: rest.to_owned() };
    match if rest.is_empty() { default } else { rest.parse().map_err(|_| number())? } {
        0 => Err(SettingsError::Zero),
        count if count > LANES_MAX => Err(SettingsError::Lanes { count }),
        count => Ok(Settings { count, nested: Vec::new() }),
    }
}

/// Rounds up: 3 for worlds 5 to 8.
fn log2_ceil(world: usize) -> usize {
    world.next_power_of_two().ilog2() as usize
}

#[cfg(test)]
mod tests;
