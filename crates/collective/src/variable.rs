//! Collectives whose lengths differ from rank to rank: all-gather-v and all-to-all-v.
//!
//! Nothing is added, so every rank's block has a slot of its own and arrives where it stays. Blocks
//! may be empty, and their sum may be any length. A block travels in segments, whose lanes follow
//! from round and number: sender and receiver need to know no more than its length.
//!
//! All-gather-v is a ring; every rank passes on what it received, and each link carries every block
//! once. Segment k goes by lane k modulo lanes. For p = 4, who sends whose block to its right
//! neighbour:
//!
//! ```text
//!            0 ──▶ 1 ──▶ 2 ──▶ 3 ──▶ 0
//! round 1    0     1     2     3
//! round 2    3     0     1     2
//! round 3    2     3     0     1
//! ```
//!
//! All-to-all-v pairs every rank with another one in each round: in round s rank r sends to `r + s`
//! and receives from `r - s`:
//!
//! ```text
//! round 1    0──▶1   1──▶2   2──▶3   3──▶0
//! round 2    0──▶2   1──▶3   2──▶0   3──▶1
//! round 3    0──▶3   1──▶0   2──▶1   3──▶2
//! ```
//!
//! Rounds depend on nothing, so each has a lane of its own while there are lanes: blocks differ in
//! length, and a pair with a long one keeps nobody else waiting.

use crate::plan::LANES_MAX;
use crate::{Lane, Plan, PlanStep, Segmentation, SlotRange};
use base::Rank;

/// What `rank` does so that all have every rank's block; `lens[r]` is the length of rank r's. Slot
/// r is rank r's block, filled on rank r.
///
/// # Panics
///
/// If there is not a length per rank: our own caller made them.
#[must_use]
pub fn all_gather_v(rank: Rank, lens: &[usize], segmentation: Segmentation) -> Plan {
    let (me, world) = (rank.index(), rank.world());
    assert_eq!(lens.len(), world, "a length per rank");
    let behind = |steps: usize| (me + world - steps) % world;
    let rounds = (1..world).map(|round| Round {
        to: (me + 1) % world,
        sent: behind(round - 1),
        from: behind(1),
        received: behind(round),
    });
    in_segments(lens.to_vec(), &rounds.collect::<Vec<_>>(), segmentation, |_, segment| segment)
}

/// What `rank` does so that each has what every other had for it: `outgoing[d]` elements for rank d
/// in slot d, `incoming[s]` elements from rank s in slot p + s. What a rank has for itself does not
/// travel: the caller moves it.
///
/// # Panics
///
/// If there is not a length per rank: our own caller made them.
#[must_use]
pub fn all_to_all_v(
    rank: Rank,
    outgoing: &[usize],
    incoming: &[usize],
    segmentation: Segmentation,
) -> Plan {
    let (me, world) = (rank.index(), rank.world());
    assert_eq!([outgoing.len(), incoming.len()], [world; 2], "two lengths per rank");
    let rounds = (1..world).map(|round| {
        let (to, from) = ((me + round) % world, (me + world - round) % world);
        Round { to, sent: to, from, received: world + from }
    });
    let (slots, rounds) = ([outgoing, incoming].concat(), rounds.collect::<Vec<_>>());
    in_segments(slots, &rounds, segmentation, |round, segment| round + segment * rounds.len())
}

/// One message out and one in: the ranks and the slots.
struct Round {
    to: usize,
    sent: usize,
    from: usize,
    received: usize,
}

/// All rounds for the first segments of all blocks, then for the second ones, and so on. `lane`
/// gives the lane of a round's segment, before it is taken modulo lanes.
fn in_segments(
    slots: Vec<usize>,
    rounds: &[Round],
    segmentation: Segmentation,
    lane: impl Fn(usize, usize) -> usize,
) -> Plan {
    let mut lanes = vec![Lane::new(); segmentation.lanes.clamp(1, LANES_MAX)];
    for index in 0.. {
        let mut ended = true;
        let mut segment = |slot: usize| {
            let range = segmentation.segment(slots[slot], index)?;
            ended = false;
            Some(SlotRange { slot, range })
        };
        for (round, &Round { to, sent, from, received }) in rounds.iter().enumerate() {
            let lane = lane(round, index) % lanes.len();
            lanes[lane].extend(segment(sent).map(|at| PlanStep::Send { to, at }));
            lanes[lane].extend(segment(received).map(|at| PlanStep::RecvCopy { from, at }));
        }
        if ended {
            break;
        }
    }
    Plan { slots, lanes, passes: Vec::new(), owned: Vec::new() }
}

#[cfg(test)]
mod tests;
