//! Discrete events: every message of a collective passes ports and links of the cluster.
//!
//! ```text
//!   lane sends ─▶ sender's port ── overhead + bytes/bandwidth ──┐ first come, first served
//!                                                                │ latency
//!   lane goes on ◀── receiver's port ── bytes/bandwidth ◀───────┘ first come, first served
//!        └─ adds or converts: one after another on its rank
//! ```
//!
//! A message streams: its first byte reaches the receiver's port one latency after it left, so an
//! idle network takes `overhead + latency + bytes/bandwidth`, less what a burst lets through. A
//! send does not wait for its receiver; a lane waits for its receives in order. Messages between
//! leaf switches share the switches' uplinks fairly ([`fabric`]). Memory that a message still needs
//! is never overwritten by a plan before the message has been answered, so that rule of plans costs
//! nothing here.
//!
//! Cost: about three events per message, each O(log ranks).

mod events;
mod fabric;
mod network;

#[cfg(test)]
mod tests;

pub(crate) use network::NetworkModel;

use crate::program::{CollectiveProgram, ProgramStep, TimedAction};
use events::{EventKind, EventQueue};
use fabric::SharedLinks;
use network::{MessagePath, PortState};

/// A message on its way.
#[derive(Debug, Clone, Copy)]
struct Transfer {
    path: MessagePath,
    from: u32,
    /// The lane that receives it, counted over all ranks.
    to_lane: u32,
    bytes: u64,
    /// When its first byte leaves.
    first_byte: f64,
}

/// Where a lane is.
#[derive(Debug, Clone, Default)]
struct LaneState {
    /// The step to take next.
    next: u32,
    /// The rank that it waits for, if it does.
    waits_for: Option<u32>,
    /// Senders of messages that have come and were not taken.
    arrived: Vec<u32>,
}

/// One run of a collective.
pub(crate) struct Engine<'a> {
    network: &'a NetworkModel,
    program: &'a CollectiveProgram,
    events: EventQueue,
    ports: Vec<PortState>,
    shared: SharedLinks,
    transfers: Vec<Transfer>,
    /// Places of transfers that have ended.
    unused: Vec<u32>,
    lanes: Vec<LaneState>,
    /// When each rank has done the additions that it has begun.
    working_until: Vec<f64>,
    ends: Vec<f64>,
}

/// When each rank has ended `program`, if it begins at `begins[rank]`.
pub(crate) fn run(network: &NetworkModel, program: &CollectiveProgram, begins: &[f64]) -> Vec<f64> {
    let mut engine = Engine {
        network,
        program,
        events: EventQueue::default(),
        ports: network.ports(),
        shared: network.shared_links(),
        transfers: Vec::new(),
        unused: Vec::new(),
        lanes: vec![LaneState::default(); program.world * program.lanes],
        working_until: begins.to_vec(),
        ends: begins.to_vec(),
    };
    for (rank, &begin) in begins.iter().enumerate() {
        for lane in 0..program.lanes {
            engine
                .events
                .push(begin, EventKind::Resume { lane: index(rank * program.lanes + lane) });
        }
    }
    while let Some((now, event)) = engine.events.pop() {
        engine.handle(now, event);
    }
    let steps = |lane: usize| program.lane(lane).len();
    let done = |(lane, state): (usize, &LaneState)| state.next as usize == steps(lane);
    assert!(engine.lanes.iter().enumerate().all(done), "a verified plan ends");
    engine.ends
}

/// Ranks, lanes and transfers are far fewer than 2^32.
fn index(value: usize) -> u32 {
    u32::try_from(value).expect("fewer than 2^32 ranks, lanes and messages")
}

impl Engine<'_> {
    fn handle(&mut self, now: f64, event: EventKind) {
        match event {
            EventKind::Resume { lane } => self.proceed(now, lane),
            EventKind::Sent { transfer, version } => {
                if self.shared.is_current(transfer, version) {
                    self.sent(now, transfer);
                }
            }
            EventKind::Arrived { lane, from } => {
                let state = &mut self.lanes[lane as usize];
                state.arrived.push(from);
                if state.waits_for == Some(from) {
                    self.proceed(now, lane);
                }
            }
        }
    }

    /// A lane goes as far as it can.
    fn proceed(&mut self, now: f64, lane: u32) {
        let rank = lane as usize / self.program.lanes;
        let steps = self.program.lane(lane as usize);
        while let Some(step) = steps.get(self.lanes[lane as usize].next as usize) {
            if matches!(step.action, TimedAction::Receive | TimedAction::ReceiveAdd) {
                let state = &mut self.lanes[lane as usize];
                let Some(at) = state.arrived.iter().position(|from| *from == step.peer) else {
                    state.waits_for = Some(step.peer);
                    return;
                };
                state.arrived.remove(at);
                state.waits_for = None;
            }
            self.lanes[lane as usize].next += 1;
            if step.action == TimedAction::Send {
                self.send(now, rank, lane, step);
                continue;
            }
            let seconds = self.network.work_s(step.action, step.bytes, self.program.is_half);
            if seconds > 0.0 {
                let until = now.max(self.working_until[rank]) + seconds;
                self.working_until[rank] = until;
                self.events.push(until, EventKind::Resume { lane });
                return;
            }
        }
        self.ends[rank] = self.ends[rank].max(now);
    }

    fn send(&mut self, now: f64, rank: usize, lane: u32, step: &ProgramStep) {
        let path = self.network.path(rank, step.peer as usize);
        let lane = lane as usize % self.program.lanes;
        let to_lane = index(step.peer as usize * self.program.lanes + lane);
        let transfer =
            Transfer { path, from: index(rank), to_lane, bytes: step.bytes, first_byte: now };
        let place = match self.unused.pop() {
            Some(place) => {
                self.transfers[place as usize] = transfer;
                place
            }
            None => {
                self.transfers.push(transfer);
                index(self.transfers.len() - 1)
            }
        };
        let port = &mut self.ports[path.egress as usize];
        if port.is_sending {
            port.waiting.push_back(place);
        } else {
            self.begin(now, place);
        }
    }

    /// A transfer's turn: its port is idle, or will be once it has received.
    ///
    /// A link with a burst is a token bucket: the bytes so far are due at `free_at`, and after a
    /// rest that may lie behind the present by as long as the burst lasts.
    fn begin(&mut self, now: f64, place: u32) {
        let Transfer { path, bytes, .. } = self.transfers[place as usize];
        let port = &mut self.ports[path.egress as usize];
        port.is_sending = true;
        let link = self.network.link(path);
        let rate = link.bytes_per_s(bytes);
        let handed = now + link.overhead_s;
        let first_byte = handed.max(port.free_at);
        self.transfers[place as usize].first_byte = first_byte;
        match path.uplinks {
            None => {
                port.free_at = port.free_at.max(handed - link.burst_s(rate)) + bytes as f64 / rate;
                let end = port.free_at.max(handed);
                let version = self.shared.forget(place);
                self.events.push(end, EventKind::Sent { transfer: place, version });
            }
            Some(uplinks) => {
                port.free_at = first_byte + bytes as f64 / rate;
                let begin = first_byte - link.overhead_s;
                let amount = bytes as f64 + link.overhead_s * rate;
                self.shared.join(begin, place, uplinks, amount, rate, &mut self.events);
            }
        }
    }

    /// The last byte has left.
    fn sent(&mut self, now: f64, place: u32) {
        let Transfer { path, from, to_lane, bytes, first_byte } = self.transfers[place as usize];
        self.unused.push(place);
        if path.uplinks.is_some() {
            self.shared.leave(now, place, &mut self.events);
            let egress = &mut self.ports[path.egress as usize];
            egress.free_at = egress.free_at.max(now);
        }
        let link = self.network.link(path);
        let rate = link.bytes_per_s(bytes);
        let burst = link.burst_s(rate);
        let ingress = &mut self.ports[path.ingress as usize];
        let streaming = bytes as f64 / rate;
        let due = ingress.free_at.max(first_byte + link.latency_s - burst) + streaming;
        let end = due.max(now + link.latency_s);
        ingress.free_at = due.max(end - burst);
        self.events.push(end, EventKind::Arrived { lane: to_lane, from });
        let egress = &mut self.ports[path.egress as usize];
        egress.is_sending = false;
        if let Some(next) = egress.waiting.pop_front() {
            self.begin(now, next);
        }
    }
}
