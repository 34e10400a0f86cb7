//! From the reducing half to a plan: halves are mirrored, long buffers divided into passes.
//!
//! Every pass runs the whole algorithm on its own range of the buffer. Passes of one lane follow
//! each other, lanes run side by side, so that some segments travel while others are added:
//!
//! ```text
//!   buffer  | pass 0  | pass 1  | pass 2  | pass 3  | pass 4  |
//!   lane 0    up down ───────────▶ up down ───────────▶ up down
//!   lane 1              up down ───────────▶ up down
//! ```

use crate::algorithms::Algorithm;
use crate::reducing::{ReduceLane, ReduceStep, SumLocation, relabel};
use crate::{Lane, LanePass, Plan, PlanStep, SlotRange};
use base::{Rank, chunk};
use std::ops::Range;

/// Most lanes of a plan: what every transport has. Algorithms that need many lanes for one pass
/// have fewer passes under way.
pub const LANES_MAX: usize = 64;

/// Most passes of one plan: bounds a plan's length, whatever the segment asked for.
const PASSES_MAX: usize = 4096;

/// What a collective leaves in the slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectiveOperation {
    /// The sum over all ranks, on every rank.
    AllReduce,
    /// What `root` had, on every rank.
    Broadcast {
        /// The rank that has the values at the start.
        root: usize,
    },
    /// What every rank contributed, on every rank; lengths differ.
    AllGatherV,
    /// What every rank had for this one; lengths differ.
    AllToAllV,
}

/// How a buffer is divided for the wire or the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segmentation {
    /// Elements of one message, roughly: a pass has as many segments as the algorithm has owners.
    pub segment_elements: usize,
    /// Passes under way at once, as far as [`LANES_MAX`] allows.
    pub lanes: usize,
}

impl Segmentation {
    /// One pass: the algorithm as its header draws it.
    pub const WHOLE: Self = Self { segment_elements: usize::MAX, lanes: 1 };

    /// Number of passes over `len` elements when a pass travels in `segments` segments.
    fn passes(self, len: usize, segments: usize) -> usize {
        let pass = self.segment_elements.max(1).saturating_mul(segments);
        (1 + len.saturating_sub(1) / pass).min(PASSES_MAX)
    }

    /// Segment `index` of a block of `len` elements that travels on its own; `None` after the last.
    pub(crate) fn segment(self, len: usize, index: usize) -> Option<Range<usize>> {
        let segments = if len == 0 { 0 } else { self.passes(len, 1) };
        (index < segments).then(|| chunk(len, segments, index))
    }
}

impl Algorithm {
    /// What `rank` does in an all-reduce of `len` elements. `None` for the library's own algorithm.
    #[must_use]
    pub fn plan(&self, rank: Rank, len: usize, segmentation: Segmentation) -> Option<Plan> {
        let pattern = self.row.pattern.as_ref()?;
        let segments = (pattern.segments)(&self.settings, rank.world());
        let mut builder = Builder::new(segmentation, segments, len);
        builder.each_pass(|range| (pattern.reduce)(&self.settings, rank, range), true);
        Some(builder.plan)
    }
}

/// What `rank` does to receive `root`'s buffer: the reduction tree in reverse, with ranks renamed
/// so that `root` is its root.
///
/// # Panics
///
/// If `root` is not a rank of this world: our own caller chose it.
#[must_use]
pub fn broadcast(root: usize, rank: Rank, len: usize, segmentation: Segmentation) -> Plan {
    let world = rank.world();
    assert!(root < world, "root {root} of {world} ranks");
    let label = Rank::new((rank.index() + world - root) % world, world).expect("a remainder");
    let tree = Algorithm::reduction_tree();
    let pattern = tree.row.pattern.as_ref().expect("the tree is a plan");
    let mut builder = Builder::new(segmentation, 1, len);
    let lanes = |range| {
        let mut lanes = (pattern.reduce)(&tree.settings, label, range);
        for lane in &mut lanes {
            relabel(&mut lane.steps, |label| (label + root) % world);
        }
        lanes
    };
    builder.each_pass(lanes, false);
    builder.plan
}

/// A plan in the making.
struct Builder {
    plan: Plan,
    passes: usize,
    /// Passes under way at once, before [`LANES_MAX`] is looked at.
    wanted: usize,
    /// Slot of each scratch of each lane.
    scratch: Vec<Vec<usize>>,
}

impl Builder {
    fn new(segmentation: Segmentation, segments: usize, len: usize) -> Self {
        let plan =
            Plan { slots: vec![len], lanes: Vec::new(), passes: Vec::new(), owned: Vec::new() };
        let passes = segmentation.passes(len, segments);
        Self { plan, passes, wanted: segmentation.lanes.clamp(1, passes), scratch: Vec::new() }
    }

    /// Adds all passes of an algorithm, whose sum is spread, and made before that if it `reduces`.
    fn each_pass(&mut self, lanes: impl Fn(Range<usize>) -> Vec<ReduceLane>, reduces: bool) {
        for pass in 0..self.passes {
            let lanes = lanes(chunk(self.plan.slots[0], self.passes, pass));
            let abreast = self.wanted.min(LANES_MAX / lanes.len().max(1)).max(1);
            if pass == 0 {
                self.plan.lanes.resize(abreast * lanes.len(), Lane::new());
                self.plan.passes.resize(abreast * lanes.len(), Vec::new());
                self.scratch.resize(abreast * lanes.len(), Vec::new());
            }
            let first = (pass % abreast) * lanes.len();
            for (lane, half) in (first..).zip(lanes) {
                let start = self.plan.lanes[lane].len();
                if reduces {
                    half.steps.iter().for_each(|step| self.reduce(lane, step));
                }
                half.steps.iter().rev().for_each(|step| self.spread(lane, step));
                let steps = start..self.plan.lanes[lane].len();
                if !half.range.is_empty() {
                    self.plan.passes[lane].push(LanePass { steps, range: half.range });
                }
                self.plan.owned.extend(half.owned.into_iter().filter(|range| !range.is_empty()));
            }
        }
    }

    fn reduce(&mut self, lane: usize, step: &ReduceStep) {
        let step = match step.clone() {
            ReduceStep::Send { range, .. }
            | ReduceStep::Recv { range, .. }
            | ReduceStep::Add { range, .. }
                if range.is_empty() =>
            {
                return; // nobody sends nothing: both sides skip it
            }
            ReduceStep::Send { to, range } => PlanStep::Send { to, at: in_buffer(range) },
            ReduceStep::Recv { from, range, at, reduce } => {
                let at = self.locate(lane, at, range);
                match reduce {
                    true => PlanStep::RecvReduce { from, at },
                    false => PlanStep::RecvCopy { from, at },
                }
            }
            ReduceStep::Add { range, from, into } => PlanStep::Add {
                from: self.locate(lane, from, range.clone()),
                into: self.locate(lane, into, range),
            },
        };
        self.plan.lanes[lane].push(step);
    }

    fn spread(&mut self, lane: usize, step: &ReduceStep) {
        let step = match step.clone() {
            ReduceStep::Send { to, range } if !range.is_empty() => {
                PlanStep::RecvCopy { from: to, at: in_buffer(range) }
            }
            ReduceStep::Recv { from, range, .. } if !range.is_empty() => {
                PlanStep::Send { to: from, at: in_buffer(range) }
            }
            _ => return,
        };
        self.plan.lanes[lane].push(step);
    }

    fn locate(&mut self, lane: usize, at: SumLocation, range: Range<usize>) -> SlotRange {
        let SumLocation::Scratch(index) = at else {
            return in_buffer(range);
        };
        while self.scratch[lane].len() <= index {
            self.scratch[lane].push(self.plan.slots.len());
            self.plan.slots.push(0);
        }
        let slot = self.scratch[lane][index];
        self.plan.slots[slot] = self.plan.slots[slot].max(range.len());
        SlotRange { slot, range: 0..range.len() }
    }
}

fn in_buffer(range: Range<usize>) -> SlotRange {
    SlotRange { slot: 0, range }
}
