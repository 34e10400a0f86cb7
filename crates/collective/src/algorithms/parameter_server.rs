//! Parameter server: everyone sends to a server, which adds and sends the sum back.
//!
//! What FireCaffe measures its tree against (Dean et al. 2012 with s servers; s = 1 is the
//! figure's). The server's link carries the buffer `p - 1` times each way, so time grows with the
//! world; s servers each own a chunk and divide that by s.
//!
//! ```text
//!   1 ──┐                s = 2:   1 ──▶ 0  first half    0 ──▶ 1  second half
//!   2 ──┼──▶ 0 ──▶ all            2 ──▶ 0                2 ──▶ 1
//!   3 ──┘                         3 ──▶ 0                3 ──▶ 1
//! ```
//!
//! The server takes contributions in the order of ranks after its own and adds siblings of the
//! canonical tree, so the sum is exact; that takes a segment of scratch per level of the tree.

use super::{AlgorithmCost, AlgorithmRow, Pattern, Settings, one_count};
use crate::canonical::Fold;
use crate::reducing::{ReduceLane, ReduceStep, chunk_of};
use base::Rank;
use std::ops::Range;

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "parameter-server",
    syntax: "parameter-server[:SERVERS]",
    summary: "everyone sends to s servers (default 1), which add and send back",
    rounds: "2(p-1)",
    busiest_link: "(p+s-2)/s",
    parse: |rest| one_count(rest, 1),
    exact: |_, _| true,
    pattern: Some(Pattern { reduce, segments: |settings, world| settings.count.min(world), cost }),
};

fn reduce(settings: &Settings, rank: Rank, range: Range<usize>) -> Vec<ReduceLane> {
    let servers = settings.count.min(rank.world());
    (0..servers)
        .map(|server| server_lane(server, rank, chunk_of(&range, servers, server)))
        .collect()
}

/// The chunk that `server` owns.
fn server_lane(server: usize, rank: Rank, range: Range<usize>) -> ReduceLane {
    let (me, world) = (rank.index(), rank.world());
    if me != server {
        let steps = vec![ReduceStep::Send { to: server, range: range.clone() }];
        return ReduceLane { range, steps, owned: Vec::new() };
    }
    let mut steps = Vec::new();
    let mut fold = Fold::new(world, me, range.clone());
    for step in 1..world {
        fold.arrive((me + step) % world, &mut steps);
    }
    ReduceLane { range: range.clone(), steps, owned: vec![range] }
}

fn cost(settings: &Settings, world: usize) -> AlgorithmCost {
    if world == 1 {
        return AlgorithmCost::ALONE;
    }
    let (p, s) = (world as f64, settings.count.min(world) as f64);
    AlgorithmCost {
        rounds: 2 * (world - 1),
        busiest_link: (p + s - 2.0) / s,
        reduced: (p - 1.0) / s,
        owned: 1.0 / s,
        tight: true,
    }
}
