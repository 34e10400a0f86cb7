//! Multi-colour: k trees at once, each for 1/k of the buffer, with inner nodes that no two share.
//!
//! After IBM's multi-color all-reduce (Kumar et al., CLUSTER 2018; remembered, about 70 % sure).
//! The heap trees and the rotation are ours. Colour c is reduced along its own heap-shaped tree of
//! fan-out f and spread back the same way. Labels are rotated by `c·⌈(p-1)/f⌉`, the number of inner
//! nodes, so every rank adds for at most one colour and all links work; f is the smallest `f ≥ k`
//! with `k·⌈(p-1)/f⌉ ≤ p`. Depth is logarithmic where a ring's is p, except for one colour, whose
//! tree is a chain. Not exact: each colour has its own tree.
//!
//! p = 8, k = 4: f = 4, two inner nodes per colour:
//!
//! ```text
//!   colour 0      0            colour 1      2            colour 2: 4, 5    colour 3: 6, 7
//!             ┌──┬┴─┬──┐                 ┌──┬┴─┬──┐
//!             1  2  3  4                 3  4  5  6
//!            ┌┼┐                        ┌┼┐
//!            5 6 7                      7 0 1
//! ```

use super::{AlgorithmCost, AlgorithmRow, Pattern, Settings, one_count};
use crate::reducing::{ReduceLane, ReduceStep, chunk_of};
use base::Rank;
use std::ops::Range;

/// Colours unless the name says otherwise: as in the paper's figure of 8 nodes, as remembered.
const COLORS: usize = 4;

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "multi-color",
    syntax: "multi-color[:COLORS]",
    summary: "k trees (default 4) with disjoint inner nodes carry 1/k of the buffer each (IBM)",
    rounds: "2f⌈log_f p⌉ at most, f = fan-out ≥ k",
    busiest_link: "at most 1 + f/k",
    parse: |rest| one_count(rest, COLORS),
    exact: |_, world| world <= 2,
    pattern: Some(Pattern { reduce, segments: |settings, world| settings.count.min(world), cost }),
};

/// The trees of one world: the same heap, rotated.
#[derive(Clone, Copy)]
struct Trees {
    world: usize,
    colors: usize,
    fan_out: usize,
    /// Inner nodes of one tree: by how much the next is rotated.
    inner: usize,
}

impl Trees {
    fn new(settings: &Settings, world: usize) -> Self {
        let colors = settings.count.min(world);
        let inner = |fan_out: usize| if world < 2 { 0 } else { 1 + (world - 2) / fan_out };
        let fan_out = (colors..).find(|&f| colors * inner(f) <= world).expect("f = p - 1 does");
        Self { world, colors, fan_out, inner: inner(fan_out) }
    }

    /// Children of `label` in the heap.
    fn children(self, label: usize) -> Range<usize> {
        let first = self.fan_out * label + 1;
        first.min(self.world)..(first + self.fan_out).min(self.world)
    }

    fn label(self, color: usize, rank: usize) -> usize {
        (rank + self.world * self.colors - color * self.inner) % self.world
    }

    fn rank(self, color: usize, label: usize) -> usize {
        (label + color * self.inner) % self.world
    }

    /// Round in which `label` has the sum of its subtree.
    fn ready(self, label: usize) -> usize {
        self.children(label).fold(0, |now, child| (now + 1).max(self.ready(child) + 1))
    }
}

fn reduce(settings: &Settings, rank: Rank, range: Range<usize>) -> Vec<ReduceLane> {
    let trees = Trees::new(settings, rank.world());
    (0..trees.colors)
        .map(|color| {
            let range = chunk_of(&range, trees.colors, color);
            let label = trees.label(color, rank.index());
            let children = trees.children(label).map(|child| trees.rank(color, child));
            let mut steps: Vec<_> =
                children.map(|child| ReduceStep::recv(child, range.clone())).collect();
            if label == 0 {
                return ReduceLane { range: range.clone(), steps, owned: vec![range] };
            }
            let to = trees.rank(color, (label - 1) / trees.fan_out);
            steps.push(ReduceStep::Send { to, range: range.clone() });
            ReduceLane { range, steps, owned: Vec::new() }
        })
        .collect()
}

fn cost(settings: &Settings, world: usize) -> AlgorithmCost {
    let trees = Trees::new(settings, world);
    let (mut busiest_link, mut reduced) = (0, 0);
    for rank in 0..world {
        let labels = (0..trees.colors).map(|color| trees.label(color, rank));
        let (mut parents, mut children) = (0, 0);
        for label in labels {
            parents += usize::from(label > 0);
            children += trees.children(label).len();
        }
        busiest_link = busiest_link.max(parents + children);
        reduced = reduced.max(children);
    }
    let k = trees.colors as f64;
    AlgorithmCost {
        rounds: 2 * trees.ready(0),
        busiest_link: busiest_link as f64 / k,
        reduced: reduced as f64 / k,
        owned: 1.0 / k,
        tight: true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, Trees, cost};

    /// The formulas of the row, for costs that the tests of the table compare with the verifier.
    #[test]
    fn costs_are_within_the_rows_formulas() {
        for count in 1..=16 {
            let settings = Settings { count, nested: Vec::new() };
            for world in 2..=130 {
                let (cost, trees) = (cost(&settings, world), Trees::new(&settings, world));
                let (f, k) = (trees.fan_out, trees.colors);
                let context = format!("{count} colours, {world} ranks: {cost:?}");
                assert!(f >= k, "{context}");
                assert!(cost.busiest_link <= 1.0 + f as f64 / k as f64 + 1e-9, "{context}");
                let height = (0..).find(|&height| f == 1 || f.pow(height) >= world).unwrap_or(0);
                let rounds = if f == 1 { 2 * (world - 1) } else { 2 * f * height as usize };
                assert!(cost.rounds <= rounds, "{context}");
            }
        }
    }
}
