//! The plans of all ranks, reduced to what takes time: messages, additions, conversions.
//!
//! A plan's ranges become numbers of bytes, 16 bytes per step, so that the plans of 512 ranks fit
//! in a few tens of megabytes. Order and lanes are the plan's own.

use base::Rank;
use collective::{Algorithm, LanePass, Plan, PlanStep, Segmentation, all_gather_v, all_to_all_v};

/// One step of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProgramStep {
    pub(crate) action: TimedAction,
    /// The other rank of a message.
    pub(crate) peer: u32,
    pub(crate) bytes: u64,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimedAction {
    Send,
    /// Waits for a message and adds it.
    ReceiveAdd,
    /// Waits for a message.
    Receive,
    /// Adds memory to memory.
    Add,
    /// Encodes or decodes.
    Convert,
}

/// A collective of all ranks.
#[derive(Debug, Default)]
pub(crate) struct CollectiveProgram {
    pub(crate) world: usize,
    /// Lanes of every rank.
    pub(crate) lanes: usize,
    /// Whether elements have 16 bits.
    pub(crate) is_half: bool,
    steps: Vec<ProgramStep>,
    /// Where the steps of lane `rank · lanes + lane` end; they begin where those before end.
    ends: Vec<usize>,
}

/// How the elements of an all-reduce travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementCost {
    pub(crate) bytes: usize,
    /// Whether values are encoded before and decoded after.
    pub(crate) converts: bool,
}

impl CollectiveProgram {
    /// An all-reduce; `None` if the library runs it.
    pub(crate) fn all_reduce(
        algorithm: &Algorithm,
        world: usize,
        values: usize,
        segmentation: Segmentation,
        element: ElementCost,
    ) -> Option<Self> {
        let mut program = Self { is_half: element.converts, ..Self::default() };
        for rank in ranks(world) {
            program.add_rank(&algorithm.plan(rank, values, segmentation)?, element);
        }
        Some(program)
    }

    /// Every rank receives every rank's block of `lens[r]` bytes.
    pub(crate) fn all_gather_v(lens: &[usize], segmentation: Segmentation) -> Self {
        let mut program = Self::default();
        for rank in ranks(lens.len()) {
            program.add_rank(&all_gather_v(rank, lens, segmentation), ElementCost::BYTES);
        }
        program
    }

    /// Every rank has `outgoing[d]` bytes for rank d.
    pub(crate) fn all_to_all_v(outgoing: &[usize], segmentation: Segmentation) -> Self {
        let mut program = Self::default();
        for rank in ranks(outgoing.len()) {
            let incoming = vec![outgoing[rank.index()]; outgoing.len()];
            let plan = all_to_all_v(rank, outgoing, &incoming, segmentation);
            program.add_rank(&plan, ElementCost::BYTES);
        }
        program
    }

    /// The steps of a rank's lane.
    pub(crate) fn lane(&self, index: usize) -> &[ProgramStep] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.steps[start..self.ends[index]]
    }

    /// Messages of all ranks.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> usize {
        self.steps.iter().filter(|step| step.action == TimedAction::Send).count()
    }

    fn add_rank(&mut self, plan: &Plan, element: ElementCost) {
        self.world += 1;
        self.lanes = plan.lanes.len();
        for (index, lane) in plan.lanes.iter().enumerate() {
            let passes = plan.passes.get(index).map_or(&[][..], Vec::as_slice);
            self.add_lane(lane, if element.converts { passes } else { &[] }, element);
            self.ends.push(self.steps.len());
        }
    }

    /// Adds a lane's steps; before and after each pass its range is converted.
    fn add_lane(&mut self, lane: &[PlanStep], passes: &[LanePass], element: ElementCost) {
        let mut at = 0;
        for pass in passes {
            let bytes = (pass.range.len() * element.bytes) as u64;
            let convert = ProgramStep { action: TimedAction::Convert, peer: 0, bytes };
            self.steps.push(convert);
            self.steps.extend(lane[at..pass.steps.end].iter().map(|step| timed(step, element)));
            self.steps.push(convert);
            at = pass.steps.end;
        }
        self.steps.extend(lane[at..].iter().map(|step| timed(step, element)));
    }
}

impl ElementCost {
    const BYTES: Self = Self { bytes: 1, converts: false };
}

fn ranks(world: usize) -> impl Iterator<Item = Rank> {
    (0..world).map(move |index| Rank::new(index, world).expect("below the world"))
}

fn timed(step: &PlanStep, element: ElementCost) -> ProgramStep {
    let (action, peer, at) = match step {
        PlanStep::Send { to, at } => (TimedAction::Send, *to, at),
        PlanStep::RecvReduce { from, at } => (TimedAction::ReceiveAdd, *from, at),
        PlanStep::RecvCopy { from, at } => (TimedAction::Receive, *from, at),
        PlanStep::Add { into, .. } => (TimedAction::Add, 0, into),
    };
    let peer = u32::try_from(peer).expect("worlds have fewer ranks");
    ProgramStep { action, peer, bytes: (at.range.len() * element.bytes) as u64 }
}
