//! Which algorithm moves a buffer: a name, rules by size, or the cheapest by the cost model.
//!
//! Written as `--allreduce` takes it: `auto` (cheapest exact one), `auto-any` (cheapest of all),
//! a name such as `multi-color:4`, or rules `halving-doubling:0-256K;multi-color:256K-`, each
//! `name:from-to` in bytes, `to` excluded, together covering every size.

use crate::algorithms::CANDIDATES;
use crate::{ALGORITHMS, Algorithm, NameError, Network, SizeError, parse_size};
use std::fmt;
use std::str::FromStr;

/// How the algorithm of a buffer is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlgorithmChoice {
    /// The cheapest exact one.
    Auto,
    /// The cheapest of all.
    AutoAny,
    /// This one, always.
    Named(Algorithm),
    /// By size; the rules follow each other from 0 to infinity.
    Rules(Vec<AlgorithmRule>),
}

/// One `name:from-to`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlgorithmRule {
    /// What moves buffers of these sizes.
    pub algorithm: Algorithm,
    /// Smallest size in bytes.
    pub from: usize,
    /// First size that is too large; `None` for no end.
    pub to: Option<usize>,
}

/// Why a choice could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AlgorithmChoiceError {
    /// Not a name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Not a size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A rule without sizes among rules.
    #[error("rule `{rule}` has no sizes; write `name:from-to`, such as `ring:256K-`")]
    NoSizes {
        /// What was written.
        rule: String,
    },
    /// Rules leave a gap or overlap.
    #[error("rule `{rule}` starts at {from} bytes, but the rules before it {}", ends(*.end))]
    NotNext {
        /// What was written.
        rule: String,
        /// Where it starts.
        from: usize,
        /// Where it should start; `None` when the rules before it cover every size.
        end: Option<usize>,
    },
    /// The last rule ends.
    #[error("no rule covers sizes from {from} bytes on; end the last rule with `-`")]
    NoEnd {
        /// Where the rules end.
        from: usize,
    },
}

fn ends(end: Option<usize>) -> String {
    end.map_or("cover every size".to_owned(), |end| format!("end at {end} bytes"))
}

impl FromStr for AlgorithmChoice {
    type Err = AlgorithmChoiceError;

    /// Reads what `--allreduce` takes.
    fn from_str(written: &str) -> Result<Self, AlgorithmChoiceError> {
        match written {
            "auto" => return Ok(Self::Auto),
            "auto-any" => return Ok(Self::AutoAny),
            _ => {}
        }
        if !written.contains(';') && sizes_of(written).is_none() {
            return Ok(Self::Named(written.parse()?));
        }
        let mut rules = Vec::new();
        let mut next = Some(0);
        for text in written.split(';').map(str::trim).filter(|text| !text.is_empty()) {
            let rule = parse_rule(text)?;
            if next != Some(rule.from) {
                let (rule, from) = (text.to_owned(), rule.from);
                return Err(AlgorithmChoiceError::NotNext { rule, from, end: next });
            }
            next = rule.to;
            rules.push(rule);
        }
        next.map_or(Ok(Self::Rules(rules)), |from| Err(AlgorithmChoiceError::NoEnd { from }))
    }
}

impl AlgorithmChoice {
    /// The algorithms that it names; none for `auto` and `auto-any`.
    #[must_use]
    pub fn named(&self) -> Vec<&Algorithm> {
        match self {
            Self::Auto | Self::AutoAny => Vec::new(),
            Self::Named(algorithm) => vec![algorithm],
            Self::Rules(rules) => rules.iter().map(|rule| &rule.algorithm).collect(),
        }
    }

    /// The algorithm for `bytes` in a world.
    #[must_use]
    pub fn algorithm(&self, world: usize, bytes: usize, network: &Network) -> Algorithm {
        match self {
            Self::Auto => choose(world, bytes, network, true),
            Self::AutoAny => choose(world, bytes, network, false),
            Self::Named(algorithm) => algorithm.clone(),
            Self::Rules(rules) => {
                let rule = rules.iter().find(|rule| rule.to.is_none_or(|to| bytes < to));
                rule.expect("rules cover every size").algorithm.clone()
            }
        }
    }
}

/// The cheapest algorithm, among exact ones only if `exact`.
fn choose(world: usize, bytes: usize, network: &Network, exact: bool) -> Algorithm {
    let candidates = CANDIDATES.iter().map(|&(row, count)| Algorithm::of_row(row, count));
    candidates
        .filter(|algorithm| !exact || algorithm.is_exact(world))
        .filter_map(|algorithm| Some((algorithm.cost_us(world, bytes, network)?, algorithm)))
        .reduce(|best, other| if other.0 < best.0 { other } else { best })
        .expect("direct is exact and has a cost")
        .1
}

/// The `from-to` at the end of a rule.
fn sizes_of(rule: &str) -> Option<(&str, &str, &str)> {
    let (name, sizes) = rule.rsplit_once(':')?;
    let (from, to) = sizes.split_once('-')?;
    from.starts_with(|first: char| first.is_ascii_digit()).then_some((name, from, to))
}

fn parse_rule(rule: &str) -> Result<AlgorithmRule, AlgorithmChoiceError> {
    let (name, from, to) =
        sizes_of(rule).ok_or_else(|| AlgorithmChoiceError::NoSizes { rule: rule.to_owned() })?;
    let to = if to.is_empty() { None } else { Some(parse_size(to)?) };
    Ok(AlgorithmRule { algorithm: name.parse()?, from: parse_size(from)?, to })
}

impl fmt::Display for AlgorithmChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::AutoAny => f.write_str("auto-any"),
            Self::Named(algorithm) => algorithm.fmt(f),
            Self::Rules(rules) => {
                for (index, rule) in rules.iter().enumerate() {
                    let end = rule.to.map_or(String::new(), |to| to.to_string());
                    let comma = if index > 0 { ";" } else { "" };
                    write!(f, "{comma}{}:{}-{end}", rule.algorithm, rule.from)?;
                }
                Ok(())
            }
        }
    }
}

/// Every row that has a plan, by its shortest name: what `bench allreduce` runs unless told.
#[must_use]
pub fn all_with_plans() -> Vec<Algorithm> {
    let named = ALGORITHMS.iter().filter_map(|row| row.name.parse().ok());
    named.filter(|algorithm: &Algorithm| !algorithm.is_library()).collect()
}

#[cfg(test)]
mod tests;
