//! Binomial-tree reduction, then the same tree backwards as a broadcast.
//!
//! The reduction tree of FireCaffe (Iandola et al., CVPR 2016): `2 ⌈log2 p⌉` rounds where a
//! parameter server needs `2(p-1)`; but the root takes and sends the whole buffer `⌈log2 p⌉` times,
//! so [`ring`](super::ring) wins for buffers whose transfer outweighs their latency.
//!
//! Round k of the reduction, for p = 6; `*` still holds a partial sum afterwards:
//!
//! ```text
//! k = 0   0<-1   2<-3   4<-5      0* 2* 4*
//! k = 1   0<-2          4         0* 4*
//! k = 2   0<-4                    0*
//! ```
//!
//! Before round k the live ranks are the multiples of 2^k, each holding `T(rank, rank + 2^k)`
//! truncated at the world's end: the canonical tree itself, so the sum is exact in every world.

use super::{AlgorithmCost, AlgorithmRow, Pattern, Settings, log2_ceil, no_settings};
use crate::reducing::{ReduceLane, ReduceStep};
use base::Rank;
use std::ops::Range;

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "reduction-tree",
    syntax: "reduction-tree",
    summary: "a binomial tree adds towards rank 0 and spreads back (FireCaffe)",
    rounds: "2⌈log2 p⌉",
    busiest_link: "⌈log2 p⌉",
    parse: no_settings,
    exact: |_, _| true,
    pattern: Some(Pattern { reduce, segments: |_, _| 1, cost }),
};

fn reduce(_: &Settings, rank: Rank, range: Range<usize>) -> Vec<ReduceLane> {
    let (me, world) = (rank.index(), rank.world());
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < world {
        if me & distance != 0 {
            steps.push(ReduceStep::Send { to: me - distance, range: range.clone() });
            return vec![ReduceLane { range, steps, owned: Vec::new() }];
        }
        if me + distance < world {
            steps.push(ReduceStep::recv(me + distance, range.clone()));
        }
        distance *= 2;
    }
    vec![ReduceLane { range: range.clone(), steps, owned: vec![range] }]
}

fn cost(_: &Settings, world: usize) -> AlgorithmCost {
    let height = log2_ceil(world);
    AlgorithmCost {
        rounds: 2 * height,
        busiest_link: height as f64,
        reduced: height as f64,
        owned: 1.0,
        tight: true,
    }
}
