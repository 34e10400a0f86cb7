//! Runs all ranks' plans side by side on symbolic memory.

use super::memory::{Memory, Run as Values};
use super::shape::{bounds, lanes_apart};
use super::term::{NOTHING, Terms};
use super::{Figures, VerifyError};
use crate::{Place, Plan, Step};
use std::collections::BTreeMap;

/// Messages a rank may have untaken per channel before its next send there waits.
const CHANNEL_DEPTH: usize = 1;

/// A message under way.
struct Message {
    values: Vec<Values>,
    len: usize,
    /// Round in which it is sent.
    round: usize,
    /// Where it came from: must not change until it is taken.
    at: Place,
}

/// A rank's part of the run.
struct Worker {
    slots: Vec<Memory>,
    /// Next step of each lane.
    next: Vec<usize>,
    /// Per lane, round of its last receive.
    taken: Vec<usize>,
    /// Per lane, round of its last send.
    sent_at: Vec<usize>,
    /// Places that were sent from and not yet taken.
    lent: Vec<Place>,
    messages: usize,
    sent: usize,
    received: usize,
    reduced: usize,
}

/// All ranks and the messages between them.
pub(super) struct Run<'a> {
    plans: &'a [Plan],
    workers: Vec<Worker>,
    /// Untaken messages by (from, to, lane).
    channels: BTreeMap<(usize, usize, usize), Vec<Message>>,
}

impl<'a> Run<'a> {
    /// Checks each plan on its own and sets up the memory.
    pub(super) fn new(plans: &'a [Plan], buffers: Vec<Memory>) -> Result<Self, VerifyError> {
        for (rank, plan) in plans.iter().enumerate() {
            bounds(rank, plans)?;
            lanes_apart(rank, plan)?;
        }
        let workers = plans.iter().zip(buffers).map(|(plan, buffer)| {
            let scratch = plan.scratch.iter().map(|&len| Memory::new(len, NOTHING));
            let lanes = vec![0; plan.lanes.len()];
            Worker {
                slots: [buffer].into_iter().chain(scratch).collect(),
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
        Ok(Self { plans, workers: workers.collect(), channels: BTreeMap::new() })
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
                let step = self.workers[rank].next[lane];
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
        let Some(step) = plans[rank].lanes[lane].get(self.workers[rank].next[lane]) else {
            return Ok(false);
        };
        let done = match step {
            Step::Send { to, at } => self.send(rank, lane, *to, at)?,
            Step::RecvReduce { from, at } => self.receive(rank, lane, *from, at, Some(terms))?,
            Step::RecvCopy { from, at } => self.receive(rank, lane, *from, at, None)?,
            Step::Add { from, into } => {
                let worker = &mut self.workers[rank];
                let free = !worker.lends(into);
                if free {
                    let values = worker.slots[from.slot].read(&from.range);
                    worker.reduce(into, &values, terms)?;
                }
                free
            }
        };
        self.workers[rank].next[lane] += usize::from(done);
        Ok(done)
    }

    fn send(
        &mut self,
        rank: usize,
        lane: usize,
        to: usize,
        at: &Place,
    ) -> Result<bool, VerifyError> {
        let channel = self.channels.entry((rank, to, lane)).or_default();
        if channel.len() >= CHANNEL_DEPTH {
            return Ok(false);
        }
        let worker = &mut self.workers[rank];
        let values = worker.slots[at.slot].read(&at.range);
        if values.iter().any(|&(_, term)| term == NOTHING) {
            return Err(VerifyError::Unwritten);
        }
        let round = worker.sent_at[lane].max(worker.taken[lane]) + 1;
        worker.sent_at[lane] = round;
        worker.messages += 1;
        worker.sent += at.range.len();
        worker.lent.push(at.clone());
        channel.push(Message { values, len: at.range.len(), round, at: at.clone() });
        Ok(true)
    }

    fn receive(
        &mut self,
        rank: usize,
        lane: usize,
        from: usize,
        at: &Place,
        terms: Option<&mut Terms>,
    ) -> Result<bool, VerifyError> {
        let Some(channel) = self.channels.get_mut(&(from, rank, lane)) else {
            return Ok(false);
        };
        if channel.is_empty() || self.workers[rank].lends(at) {
            return Ok(false);
        }
        let Message { values, len, round, at: lent } = channel.remove(0);
        if len != at.range.len() {
            return Err(VerifyError::Length { rank, lane, from, want: at.range.len(), got: len });
        }
        let sender = &mut self.workers[from].lent;
        let index = sender.iter().position(|place| *place == lent).expect("lent when sent");
        sender.swap_remove(index);
        let worker = &mut self.workers[rank];
        worker.taken[lane] = round.max(worker.taken[lane] + 1);
        worker.received += len;
        match terms {
            Some(terms) => worker.reduce(at, &values, terms)?,
            None => worker.slots[at.slot].write(&at.range, &values),
        }
        Ok(true)
    }

    /// A rank's slot 0.
    pub(super) fn buffer(&self, rank: usize) -> &Memory {
        &self.workers[rank].slots[0]
    }

    /// The largest figures of any rank.
    pub(super) fn figures(&self, exact: bool) -> Figures {
        let most =
            |figure: fn(&Worker) -> usize| self.workers.iter().map(figure).max().unwrap_or(0);
        Figures {
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

impl Worker {
    /// Whether `place` overlaps memory that is being sent.
    fn lends(&self, place: &Place) -> bool {
        self.lent.iter().any(|lent| {
            lent.slot == place.slot
                && lent.range.start < place.range.end
                && place.range.start < lent.range.end
        })
    }

    fn reduce(
        &mut self,
        at: &Place,
        values: &[Values],
        terms: &mut Terms,
    ) -> Result<(), VerifyError> {
        let own = self.slots[at.slot].read(&at.range);
        let mut sums = Vec::with_capacity(own.len().max(values.len()));
        let (mut ours, mut theirs) = (own.iter().peekable(), values.iter().peekable());
        while let (Some(&&(a_end, a)), Some(&&(b_end, b))) = (ours.peek(), theirs.peek()) {
            let end = a_end.min(b_end);
            sums.push((end, terms.add(a, b)?));
            if a_end == end {
                ours.next();
            }
            if b_end == end {
                theirs.next();
            }
        }
        self.reduced += at.range.len();
        self.slots[at.slot].write(&at.range, &sums);
        Ok(())
    }
}
