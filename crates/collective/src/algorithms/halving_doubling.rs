//! Recursive halving, then recursive doubling, neighbours first; other worlds by binary blocks.
//!
//! Rabenseifner 2004 halves with the farthest rank first and folds odd ranks away beforehand. Here
//! distances grow 1, 2, 4, …, so that partial sums are always `T(a, a + 2^k)`, and a world that is
//! no power of two is divided into blocks that are, largest first. Each block halves within itself;
//! then the smallest block's sums go into the next larger, and so on:
//! `T(0, 7) = T(0,4) + (T(4,6) + T(6,7))`. The sum is exact in every world. Bytes of the ring in
//! `2 log2 p` rounds for powers of two.
//!
//! ```text
//! p = 4   distance 1   0 ⇄ 1   2 ⇄ 3     even ranks keep the lower half, odd ranks the upper
//!         distance 2   0 ⇄ 2   1 ⇄ 3     quarters: 0, 2 of the lower half; 1, 3 of the upper
//!
//! p = 7   block 0: ranks 0-3     block 1: ranks 4-5     block 2: rank 6
//!         6 ──▶ 4 (lower half), 6 ──▶ 5 (upper half); then 4 ──▶ 0, 2 and 5 ──▶ 1, 3 (quarters)
//! ```

use super::{AlgorithmCost, AlgorithmRow, Pattern, Settings, no_settings};
use crate::reducing::{ReduceLane, ReduceStep, chunk_of};
use base::Rank;
use std::ops::Range;

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "halving-doubling",
    syntax: "halving-doubling",
    summary: "recursive halving, then doubling, nearest ranks first; binary blocks if p is not a power of two",
    rounds: "2 log2 p (powers of two)",
    busiest_link: "2(p-1)/p (powers of two)",
    parse: no_settings,
    exact: |_, _| true,
    pattern: Some(Pattern { reduce, segments: |_, world| world, cost }),
};

/// The powers of two that make up `world`, largest first, as ranges of ranks.
fn blocks(world: usize) -> Vec<Range<usize>> {
    let mut start = 0;
    let bits = (0..usize::BITS).rev().map(|bit| 1 << bit).filter(|size| world & size != 0);
    bits.map(|size| {
        start += size;
        start - size..start
    })
    .collect()
}

/// What rank `local` of a block of `size` ranks holds after halving: bit k picks half k.
fn held(range: &Range<usize>, size: usize, local: usize) -> Range<usize> {
    let mut held = range.clone();
    let mut distance = 1;
    while distance < size {
        held = chunk_of(&held, 2, usize::from(local & distance != 0));
        distance *= 2;
    }
    held
}

fn reduce(_: &Settings, rank: Rank, range: Range<usize>) -> Vec<ReduceLane> {
    let blocks = blocks(rank.world());
    let at = blocks.iter().position(|b| b.contains(&rank.index())).expect("blocks tile the world");
    let block = &blocks[at];
    let local = rank.index() - block.start;
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < block.len() {
        let other = local ^ distance;
        let half = held(&range, 2 * distance, other & (2 * distance - 1));
        steps.push(ReduceStep::Send { to: block.start + other, range: half });
        let half = held(&range, 2 * distance, local & (2 * distance - 1));
        steps.push(ReduceStep::recv(block.start + other, half));
        distance *= 2;
    }
    let mine = held(&range, block.len(), local);
    if let Some(smaller) = blocks.get(at + 1) {
        steps.push(ReduceStep::recv(smaller.start + local % smaller.len(), mine.clone()));
    }
    let Some(larger) = at.checked_sub(1).map(|before| &blocks[before]) else {
        return vec![ReduceLane { range, steps, owned: vec![mine] }];
    };
    for other in (local..larger.len()).step_by(block.len()) {
        let half = held(&range, larger.len(), other);
        steps.push(ReduceStep::Send { to: larger.start + other, range: half });
    }
    vec![ReduceLane { range, steps, owned: Vec::new() }]
}

fn cost(_: &Settings, world: usize) -> AlgorithmCost {
    let blocks = blocks(world);
    let (mut busiest_link, mut reduced) = (0.0_f64, 0.0_f64);
    let mut ready = 0; // round in which the blocks from here on are one sum
    for (at, block) in blocks.iter().enumerate().rev() {
        let size = block.len() as f64;
        let (takes, gives) = (at + 1 < blocks.len(), at > 0);
        let folded = (f64::from(u8::from(takes)) + f64::from(u8::from(gives))) / size;
        busiest_link = busiest_link.max(2.0 * (size - 1.0) / size + folded);
        reduced = reduced.max((size - 1.0) / size + f64::from(u8::from(takes)) / size);
        let halved = block.len().ilog2() as usize;
        ready = match blocks.get(at + 1) {
            Some(smaller) => (halved + 1).max(ready + block.len() / smaller.len()),
            None => halved,
        };
    }
    let owned = 1.0 / blocks[0].len() as f64;
    AlgorithmCost { rounds: 2 * ready, busiest_link, reduced, owned, tight: true }
}
