//! Executes all ranks' plans side by side on symbolic memory.

use super::memory::{SymbolicMemory, TermRange};
use super::term::{NOTHING, Terms};
use super::{PlanFigures, VerifyError};
use crate::{Plan, PlanStep, SlotRange};
use std::collections::BTreeMap;

/// Messages a rank may have untaken per channel before its next send there waits.
const CHANNEL_DEPTH: usize = 1;

/// A message under way.
struct SymbolicMessage {
    values: Vec<TermRange>,
    len: usize,
    /// Round in which it is sent.
    round: usize,
    /// Where it came from: must not change until it is taken.
    at: SlotRange,
}

/// A rank's memory, and how far it is.
struct SymbolicRank {
    slots: Vec<SymbolicMemory>,
    /// Next step of each lane.
    next: Vec<usize>,
    /// Per lane, round of its last receive.
    taken: Vec<usize>,
    /// Per lane, round of its last send.
    sent_at: Vec<usize>,
    /// Ranges that were sent from and not yet taken.
    lent: Vec<SlotRange>,
    messages: usize,
    sent: usize,
    received: usize,
    reduced: usize,
}

/// All ranks and the messages between them.
pub(super) struct SymbolicWorld<'a> {
    plans: &'a [Plan],
    ranks: Vec<SymbolicRank>,
    /// Untaken messages by (from, to, lane).
    channels: BTreeMap<(usize, usize, usize), Vec<SymbolicMessage>>,
}

impl<'a> SymbolicWorld<'a> {
    /// All ranks before their first step; `slots` is what each holds.
    pub(super) fn new(plans: &'a [Plan], slots: Vec<Vec<SymbolicMemory>>) -> Self {
        let ranks = plans.iter().zip(slots).map(|(plan, slots)| {
            let lanes = vec![0; plan.lanes.len()];
            SymbolicRank {
                slots,
                next: lanes.clone(),
                taken: lanes.clone(),
                sent_at: lanes,
                lent: Vec::new(),
                messages: 0,
                sent: 0,
                received: 0,
                reduced: 0,
            }
        });
        Self { plans, ranks: ranks.collect(), channels: BTreeMap::new() }
    }

    /// Takes steps until all lanes have ended or none can move.
    pub(super) fn finish(&mut self, terms: &mut Terms) -> Result<(), VerifyError> {
        let mut moved = true;
        while moved {
            moved = false;
            for rank in 0..self.plans.len() {
                for lane in 0..self.plans[rank].lanes.len() {
                    while self.step(rank, lane, terms)? {
                        moved = true;
                    }
                }
            }
        }
        for (rank, plan) in self.plans.iter().enumerate() {
            for (lane, steps) in plan.lanes.iter().enumerate() {
                let step = self.ranks[rank].next[lane];
                if let Some(what) = steps.get(step) {
                    return Err(VerifyError::Deadlock { rank, lane, step, what: what.clone() });
                }
            }
        }
        let left = self.channels.iter().find(|(_, queue)| !queue.is_empty());
        left.map_or(Ok(()), |(&(from, rank, lane), _)| {
            Err(VerifyError::Unmatched { rank, from, lane })
        })
    }

    /// Takes the next step of a lane if it can be taken now.
    fn step(&mut self, rank: usize, lane: usize, terms: &mut Terms) -> Result<bool, VerifyError> {
        let plans = self.plans;
        let Some(step) = plans[rank].lanes[lane].get(self.ranks[rank].next[lane]) else {
            return Ok(false);
        };
        let done = match step {
            PlanStep::Send { to, at } => self.send(rank, lane, *to, at)?,
            PlanStep::RecvReduce { from, at } => {
                self.receive(rank, lane, *from, at, Some(terms))?
            }
            PlanStep::RecvCopy { from, at } => self.receive(rank, lane, *from, at, None)?,
            PlanStep::Add { from, into } => {
                let worker = &mut self.ranks[rank];
                let free = !worker.lends(into);
                if free {
                    let values = worker.slots[from.slot].read(&from.range);
                    worker.reduce(into, &values, terms)?;
                }
                free
            }
        };
        self.ranks[rank].next[lane] += usize::from(done);
        Ok(done)
    }

    fn send(
        &mut self,
        rank: usize,
        lane: usize,
        to: usize,
        at: &SlotRange,
    ) -> Result<bool, VerifyError> {
        let channel = self.channels.entry((rank, to, lane)).or_default();
        if channel.len() >= CHANNEL_DEPTH {
            return Ok(false);
        }
        let worker = &mut self.ranks[rank];
        let values = worker.slots[at.slot].read(&at.range);
        if values.iter().any(|held| held.term == NOTHING) {
            return Err(VerifyError::Unwritten);
        }
        let round = worker.sent_at[lane].max(worker.taken[lane]) + 1;
        worker.sent_at[lane] = round;
        worker.messages += 1;
        worker.sent += at.range.len();
        worker.lent.push(at.clone());
        channel.push(SymbolicMessage { values, len: at.range.len(), round, at: at.clone() });
        Ok(true)
    }

    fn receive(
        &mut self,
        rank: usize,
        lane: usize,
        from: usize,
        at: &SlotRange,
        terms: Option<&mut Terms>,
    ) -> Result<bool, VerifyError> {
        let Some(channel) = self.channels.get_mut(&(from, rank, lane)) else {
            return Ok(false);
        };
        if channel.is_empty() || self.ranks[rank].lends(at) {
            return Ok(false);
        }
        let SymbolicMessage { values, len, round, at: lent } = channel.remove(0);
        if len != at.range.len() {
            return Err(VerifyError::Length { rank, lane, from, want: at.range.len(), got: len });
        }
        let sender = &mut self.ranks[from].lent;
        let index = sender.iter().position(|at| *at == lent).expect("lent when sent");
        sender.swap_remove(index);
        let worker = &mut self.ranks[rank];
        worker.taken[lane] = round.max(worker.taken[lane] + 1);
        worker.received += len;
        match terms {
            Some(terms) => worker.reduce(at, &values, terms)?,
            None => worker.slots[at.slot].write(&at.range, &values),
        }
        Ok(true)
    }

    /// What a rank's slot holds.
    pub(super) fn slot(&self, rank: usize, slot: usize) -> &SymbolicMemory {
        &self.ranks[rank].slots[slot]
    }

    /// The largest figures of any rank.
    pub(super) fn figures(&self, exact: bool) -> PlanFigures {
        let most =
            |figure: fn(&SymbolicRank) -> usize| self.ranks.iter().map(figure).max().unwrap_or(0);
        PlanFigures {
            exact,
            rounds: most(|worker| worker.taken.iter().copied().max().unwrap_or(0)),
            messages: most(|worker| worker.messages),
            sent: most(|worker| worker.sent),
            received: most(|worker| worker.received),
            reduced: most(|worker| worker.reduced),
            scratch: self.plans.iter().map(Plan::scratch_len).max().unwrap_or(0),
        }
    }
}

impl SymbolicRank {
    /// Whether `at` overlaps memory that is being sent.
    fn lends(&self, at: &SlotRange) -> bool {
        self.lent.iter().any(|lent| {
            lent.slot == at.slot
                && lent.range.start < at.range.end
                && at.range.start < lent.range.end
        })
    }

    fn reduce(
        &mut self,
        at: &SlotRange,
        values: &[TermRange],
        terms: &mut Terms,
    ) -> Result<(), VerifyError> {
        let own = self.slots[at.slot].read(&at.range);
        let mut sums = Vec::with_capacity(own.len().max(values.len()));
        let (mut ours, mut theirs) = (own.iter().peekable(), values.iter().peekable());
        while let (Some(&&a), Some(&&b)) = (ours.peek(), theirs.peek()) {
            let end = a.end.min(b.end);
            let term = terms.add(a.term, b.term)?;
            if a.moved != b.moved {
                return Err(VerifyError::Misplaced { slot: at.slot, at: at.range.start });
            }
            sums.push(TermRange { end, term, moved: a.moved });
            if a.end == end {
                ours.next();
            }
            if b.end == end {
                theirs.next();
            }
        }
        self.reduced += at.range.len();
        self.slots[at.slot].write(&at.range, &sums);
        Ok(())
    }
}
