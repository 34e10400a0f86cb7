//! From stripes to a plan: halves are mirrored, long buffers cut into pieces, pieces dealt to lanes.
//!
//! Every piece runs the whole algorithm on its own part of the buffer. Pieces of one lane follow
//! each other, lanes run side by side, so that some segments travel while others are added:
//!
//! ```text
//!   buffer  | piece 0 | piece 1 | piece 2 | piece 3 | piece 4 |
//!   lane 0    up down ───────────▶ up down ───────────▶ up down
//!   lane 1              up down ───────────▶ up down
//! ```

use crate::algorithms::{Algorithm, find};
use crate::stripe::{Bench, Hop, Stripe};
use crate::{Lane, Place, Plan, Step};
use base::{Rank, chunk};
use std::ops::Range;

/// Most pieces of one plan: bounds a plan's length, whatever the segment asked for.
const PIECES_MAX: usize = 4096;

/// What a collective leaves in the buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The sum over all ranks, on every rank.
    AllReduce,
    /// The sum, on every rank the part it owns ([`Plan::owned`]).
    ReduceScatter,
    /// What every rank had in the part it owns, on every rank.
    AllGather,
    /// What `root` had, on every rank.
    Broadcast {
        /// The rank that has the values at the start.
        root: usize,
    },
}

/// How a buffer is cut for the wire or the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Values of one message, roughly: a piece is as many segments as the algorithm has shares.
    pub segment: usize,
    /// Pieces under way at once.
    pub lanes: usize,
}

impl Cut {
    /// One piece: the algorithm as its header draws it.
    pub const WHOLE: Self = Self { segment: usize::MAX, lanes: 1 };

    /// Number of pieces for `len` values when a piece is cut into `shares` messages.
    fn pieces(self, len: usize, shares: usize) -> usize {
        let piece = self.segment.max(1).saturating_mul(shares);
        (1 + len.saturating_sub(1) / piece).min(PIECES_MAX)
    }
}

impl Algorithm {
    /// What `rank` does. `None` for an algorithm that the transport runs itself, and for
    /// [`Operation::Broadcast`], which [`broadcast`] plans.
    #[must_use]
    pub fn plan(&self, operation: Operation, rank: Rank, len: usize, cut: Cut) -> Option<Plan> {
        let pattern = self.row.pattern.as_ref()?;
        let (reduces, spreads) = match operation {
            Operation::AllReduce => (true, true),
            Operation::ReduceScatter => (true, false),
            Operation::AllGather => (false, true),
            Operation::Broadcast { .. } => return None,
        };
        let shares = (pattern.shares)(&self.settings, rank.world());
        let mut builder = Builder::new(cut, cut.pieces(len, shares), len);
        builder.each_piece(
            |range| (pattern.stripes)(&self.settings, rank, range),
            reduces,
            spreads,
        );
        Some(builder.plan)
    }
}

/// What `rank` does to receive `root`'s buffer: the reduction tree backwards, turned so that `root`
/// is its root.
///
/// # Panics
///
/// If `root` is not a rank of this world: our own caller chose it.
#[must_use]
pub fn broadcast(root: usize, rank: Rank, len: usize, cut: Cut) -> Plan {
    let world = rank.world();
    assert!(root < world, "root {root} of {world} ranks");
    let turned = Rank::new((rank.index() + world - root) % world, world).expect("a remainder");
    let back = |label: usize| (label + root) % world;
    let tree = find("reduction-tree").expect("a row of the table");
    let pattern = tree.row.pattern.as_ref().expect("the tree is a plan");
    let mut builder = Builder::new(cut, cut.pieces(len, 1), len);
    let stripes = |range| {
        let mut stripes = (pattern.stripes)(&tree.settings, turned, range);
        stripes.iter_mut().for_each(|stripe| relabel(&mut stripe.hops, back));
        stripes
    };
    builder.each_piece(stripes, false, true);
    builder.plan
}

/// Renames the ranks that `hops` speak to.
pub(crate) fn relabel(hops: &mut [Hop], name: impl Fn(usize) -> usize) {
    for hop in hops {
        match hop {
            Hop::Send { to: other, .. } | Hop::Recv { from: other, .. } => *other = name(*other),
            Hop::Add { .. } => {}
        }
    }
}

/// A plan in the making.
struct Builder {
    plan: Plan,
    pieces: usize,
    /// Pieces under way at once.
    abreast: usize,
    /// Slot of each scratch of each lane.
    benches: Vec<Vec<usize>>,
}

impl Builder {
    fn new(cut: Cut, pieces: usize, len: usize) -> Self {
        let plan = Plan { len, scratch: Vec::new(), lanes: Vec::new(), owned: Vec::new() };
        Self { plan, pieces, abreast: cut.lanes.clamp(1, pieces), benches: Vec::new() }
    }

    fn each_piece(
        &mut self,
        stripes: impl Fn(Range<usize>) -> Vec<Stripe>,
        reduces: bool,
        spreads: bool,
    ) {
        for piece in 0..self.pieces {
            let stripes = stripes(chunk(self.plan.len, self.pieces, piece));
            if piece == 0 {
                self.plan.lanes.resize(self.abreast * stripes.len(), Lane::new());
                self.benches.resize(self.abreast * stripes.len(), Vec::new());
            }
            let first = (piece % self.abreast) * stripes.len();
            for (lane, stripe) in (first..).zip(stripes) {
                if reduces {
                    stripe.hops.iter().for_each(|hop| self.reduce(lane, hop));
                }
                if spreads {
                    stripe.hops.iter().rev().for_each(|hop| self.spread(lane, hop));
                }
                self.plan.owned.extend(stripe.owned.into_iter().filter(|range| !range.is_empty()));
            }
        }
    }

    fn reduce(&mut self, lane: usize, hop: &Hop) {
        let step = match hop.clone() {
            Hop::Send { range, .. } | Hop::Recv { range, .. } | Hop::Add { range, .. }
                if range.is_empty() =>
            {
                return; // nobody sends nothing: both sides skip it
            }
            Hop::Send { to, range } => Step::Send { to, at: Place { slot: 0, range } },
            Hop::Recv { from, range, bench, reduce } => {
                let at = self.place(lane, bench, range);
                if reduce { Step::RecvReduce { from, at } } else { Step::RecvCopy { from, at } }
            }
            Hop::Add { range, from, into } => Step::Add {
                from: self.place(lane, from, range.clone()),
                into: self.place(lane, into, range),
            },
        };
        self.plan.lanes[lane].push(step);
    }

    fn spread(&mut self, lane: usize, hop: &Hop) {
        let step = match hop.clone() {
            Hop::Send { to, range } if !range.is_empty() => {
                Step::RecvCopy { from: to, at: Place { slot: 0, range } }
            }
            Hop::Recv { from, range, .. } if !range.is_empty() => {
                Step::Send { to: from, at: Place { slot: 0, range } }
            }
            _ => return,
        };
        self.plan.lanes[lane].push(step);
    }

    fn place(&mut self, lane: usize, bench: Bench, range: Range<usize>) -> Place {
        let Bench::Scratch(index) = bench else {
            return Place { slot: 0, range };
        };
        while self.benches[lane].len() <= index {
            self.plan.scratch.push(0);
            self.benches[lane].push(self.plan.scratch.len()); // slot 0 is the buffer
        }
        let slot = self.benches[lane][index];
        self.plan.scratch[slot - 1] = self.plan.scratch[slot - 1].max(range.len());
        Place { slot, range: 0..range.len() }
    }
}
