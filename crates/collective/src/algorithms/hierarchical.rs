//! Hierarchical: an inner algorithm within groups of consecutive ranks, an outer one between
//! groups.
//!
//! For clusters whose links differ: workers of a process, hosts of a rack. After the inner reducing
//! half every range lies with one rank of the group, its leader there; leaders of one range reduce
//! it between the groups by the outer algorithm. With an inner tree or server one rank leads all
//! (GradientFlow's NCCL-H); with an inner ring, halving or direct every rank leads its chunk, and
//! the outer traffic is shared by the whole group.
//!
//! `hierarchical:4:direct+ring` on 8 ranks; chunk c is led by ranks c and 4 + c:
//!
//! ```text
//!   0 1 2 3    4 5 6 7     direct within each group: chunk c on its leaders
//!   │ │ │ └────┼─┼─┼─┘     ring of 2 between leaders, four rings at once
//!   │ │ └──────┼─┼─┘
//!   0 1 2 3    4 5 6 7     both backwards
//! ```
//!
//! Exact if both algorithms are and the group is a power of two: `T(0, p)` then splits at groups.

use super::{Algorithm, AlgorithmCost, AlgorithmRow, Pattern, Settings, SettingsError};
use crate::reducing::{ReduceLane, relabel};
use base::Rank;
use std::collections::BTreeSet;
use std::ops::Range;

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "hierarchical",
    syntax: "hierarchical:GROUP[:INNER+OUTER]",
    summary: "an inner algorithm in groups of g ranks, an outer one between leaders (default direct+ring)",
    rounds: "inner(g) + outer(p/g) if g divides p",
    busiest_link: "inner(g) + outer(p/g) times the fraction of the buffer that one rank leads",
    parse,
    exact: |settings, world| {
        let (group, groups) = extent(settings, world);
        let [inner, outer] = pair(settings);
        inner.is_exact(group) && outer.is_exact(groups) && (groups == 1 || group.is_power_of_two())
    },
    pattern: Some(Pattern { reduce, segments, cost }),
};

fn parse(rest: &str) -> Result<Settings, SettingsError> {
    let (group, pair) = rest.split_once(':').unwrap_or((rest, "direct+ring"));
    let count = group.parse().ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| SettingsError::Group { written: group.to_owned() })?;
    let both = pair.split_once('+');
    let (inner, outer) = both.ok_or_else(|| SettingsError::Pair { written: pair.to_owned() })?;
    Ok(Settings { count, nested: vec![nested(inner)?, nested(outer)?] })
}

fn nested(name: &str) -> Result<Algorithm, SettingsError> {
    match name.parse::<Algorithm>().map_err(Box::new)? {
        algorithm if algorithm.is_library() => Err(SettingsError::NoPlan { algorithm }),
        algorithm => Ok(algorithm),
    }
}

fn pair(settings: &Settings) -> &[Algorithm; 2] {
    settings.nested.first_chunk().expect("parsed as a pair")
}

/// Ranks of a full group, and number of groups.
fn extent(settings: &Settings, world: usize) -> (usize, usize) {
    let group = settings.count.min(world);
    (group, 1 + (world - 1) / group)
}

fn reduce_lane(
    algorithm: &Algorithm,
    index: usize,
    world: usize,
    range: Range<usize>,
) -> ReduceLane {
    let pattern = algorithm.row.pattern.as_ref().expect("refused when parsed");
    let rank = Rank::new(index, world).expect("an index of this world");
    let mut all = ReduceLane::default();
    for lane in (pattern.reduce)(&algorithm.settings, rank, range) {
        all.steps.extend(lane.steps);
        all.owned.extend(lane.owned);
    }
    all
}

fn reduce(settings: &Settings, rank: Rank, range: Range<usize>) -> Vec<ReduceLane> {
    let (group, groups) = extent(settings, rank.world());
    let [inner, outer] = pair(settings);
    let size = |index: usize| group.min(rank.world() - index * group);
    let (mine, local) = (rank.index() / group, rank.index() % group);
    let mut all = reduce_lane(inner, local, size(mine), range.clone());
    relabel(&mut all.steps, |member| mine * group + member);
    // Who holds what after the inner half: all groups are alike, except perhaps the last.
    let held = |size: usize| -> Vec<ReduceLane> {
        (0..size).map(|member| reduce_lane(inner, member, size, range.clone())).collect()
    };
    let (full, last) = (held(group), held(size(groups - 1)));
    let leader = |index: usize, at: usize| {
        let held = if index + 1 == groups { &last } else { &full };
        let member = held.iter().position(|s| s.owned.iter().any(|range| range.contains(&at)));
        index * group + member.expect("owned ranges tile the buffer")
    };
    let mut owned = Vec::new();
    for led in border_ranges(full.iter().chain(&last)) {
        if leader(mine, led.start) != rank.index() {
            continue;
        }
        let mut lane = reduce_lane(outer, mine, groups, led.clone());
        relabel(&mut lane.steps, |index| leader(index, led.start));
        all.steps.extend(lane.steps);
        owned.extend(lane.owned);
    }
    vec![ReduceLane { range, steps: all.steps, owned }]
}

/// The longest ranges that cross no border of an owned range.
fn border_ranges<'a>(held: impl Iterator<Item = &'a ReduceLane>) -> Vec<Range<usize>> {
    let ranges = held.flat_map(|lane| &lane.owned).filter(|range| !range.is_empty());
    let borders: BTreeSet<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
    let borders: Vec<usize> = borders.into_iter().collect();
    borders.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

fn segments(settings: &Settings, world: usize) -> usize {
    let (group, groups) = extent(settings, world);
    let segments = |algorithm: &Algorithm, world| {
        let pattern = algorithm.row.pattern.as_ref().expect("refused when parsed");
        (pattern.segments)(&algorithm.settings, world)
    };
    let [inner, outer] = pair(settings);
    segments(inner, group) * segments(outer, groups)
}

fn cost(settings: &Settings, world: usize) -> AlgorithmCost {
    let (group, groups) = extent(settings, world);
    let [inner, outer] = pair(settings);
    let cost = |algorithm: &Algorithm, world| {
        let mut cost = algorithm.cost(world).expect("refused when parsed");
        let pattern = algorithm.row.pattern.as_ref().expect("refused when parsed");
        let first = Rank::new(0, world).expect("worlds have a first rank");
        // Lanes that run side by side elsewhere follow each other in the one lane here.
        cost.rounds *= (pattern.reduce)(&algorithm.settings, first, 0..0).len();
        cost
    };
    let (inner, outer) = (cost(inner, group), cost(outer, groups));
    let ragged = world != group * groups;
    // A smaller last group divides differently: its ranks lead larger and more ranges.
    let (led, owned) = if ragged { (2 * group, 1.0) } else { (1, inner.owned) };
    AlgorithmCost {
        rounds: inner.rounds + led * outer.rounds,
        busiest_link: inner.busiest_link + owned * outer.busiest_link,
        reduced: inner.reduced + owned * outer.reduced,
        owned: owned * outer.owned,
        tight: false,
    }
}
