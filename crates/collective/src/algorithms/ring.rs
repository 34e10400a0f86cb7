//! Ring: chunks travel round, gathering contributions, then round again as sums.
//!
//! Patarasuk & Yuan 2009; GradientFlow's choice for large tensors. Every link carries the same load
//! and no rank sends more than `2(p-1)/p` of the buffer, the least possible; but `2(p-1)` rounds,
//! so short buffers pay latency. Not exact: chunk c is added starting at rank c + 1.
//!
//! Reducing half for p = 4, who sends which chunk to its right neighbour:
//!
//! ```text
//!            0 ──▶ 1 ──▶ 2 ──▶ 3 ──▶ 0
//! round 1    3     0     1     2
//! round 2    2     3     0     1
//! round 3    1     2     3     0         rank r now holds the sum of chunk r
//! ```

use super::{AlgorithmCost, AlgorithmRow, Pattern, Settings, no_settings};
use crate::reducing::{ReduceLane, ReduceStep, chunk_of};
use base::Rank;
use std::ops::Range;

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "ring",
    syntax: "ring",
    summary: "chunks travel round a ring twice: once adding, once spreading",
    rounds: "2(p-1)",
    busiest_link: "2(p-1)/p",
    parse: no_settings,
    exact: |_, world| world <= 2,
    pattern: Some(Pattern { reduce, segments: |_, world| world, cost }),
};

fn reduce(_: &Settings, rank: Rank, range: Range<usize>) -> Vec<ReduceLane> {
    let (me, world) = (rank.index(), rank.world());
    let (to, from) = ((me + 1) % world, (me + world - 1) % world);
    // The chunk whose owner lies `steps` ranks behind us.
    let behind = |steps: usize| chunk_of(&range, world, (me + 2 * world - steps) % world);
    let steps = (1..world)
        .flat_map(|step| {
            [ReduceStep::Send { to, range: behind(step) }, ReduceStep::recv(from, behind(step + 1))]
        })
        .collect();
    let owned = vec![chunk_of(&range, world, me)];
    vec![ReduceLane { range, steps, owned }]
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
