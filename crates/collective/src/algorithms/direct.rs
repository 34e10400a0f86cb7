//! Direct: every rank owns a chunk, takes it from all others, and hands the sum back to all.
//!
//! As few bytes as the ring, `2(p-1)/p` per rank, and exact: the owner adds siblings of the
//! canonical tree. No sum waits for another rank's sum, so a late rank delays one chunk's last
//! addition only. Between threads this is the fastest there is: chunks are read where they are. On
//! a cluster it needs a switch that carries any pairing of hosts at full speed.
//!
//! Reducing half for p = 4; chunk c goes to rank c, everyone to another rank at a time:
//!
//! ```text
//! round 1    1──▶0   2──▶1   3──▶2   0──▶3
//! round 2    2──▶0   3──▶1   0──▶2   1──▶3
//! round 3    3──▶0   0──▶1   1──▶2   2──▶3
//! ```

use super::{AlgorithmCost, AlgorithmRow, Pattern, Settings, no_settings};
use crate::canonical::Fold;
use crate::reducing::{ReduceLane, ReduceStep, chunk_of};
use base::Rank;
use std::ops::Range;

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "direct",
    syntax: "direct",
    summary: "every rank owns a chunk, adds it from all others and hands it back to all",
    rounds: "2(p-1)",
    busiest_link: "2(p-1)/p",
    parse: no_settings,
    exact: |_, _| true,
    pattern: Some(Pattern { reduce, segments: |_, world| world, cost }),
};

fn reduce(_: &Settings, rank: Rank, range: Range<usize>) -> Vec<ReduceLane> {
    let (me, world) = (rank.index(), rank.world());
    let mine = chunk_of(&range, world, me);
    let mut steps = Vec::new();
    let mut fold = Fold::new(world, me, mine.clone());
    for step in 1..world {
        let to = (me + world - step) % world;
        steps.push(ReduceStep::Send { to, range: chunk_of(&range, world, to) });
        fold.arrive((me + step) % world, &mut steps);
    }
    vec![ReduceLane { range, steps, owned: vec![mine] }]
}

fn cost(_: &Settings, world: usize) -> AlgorithmCost {
    let p = world as f64;
    AlgorithmCost {
        rounds: 2 * (world - 1),
        busiest_link: 2.0 * (p - 1.0) / p,
        reduced: (p - 1.0) / p,
        owned: 1.0 / p,
        tight: true,
    }
}
