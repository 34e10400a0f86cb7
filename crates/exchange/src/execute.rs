//! Walks a plan's lanes on one rank.
//!
//! One thread takes turns: every lane goes as far as it can, and when none can move the transport
//! waits for whoever could change that. Receives are announced a little ahead, so that transports
//! with buffers have several segments in flight.
//!
//! ```text
//!   lane 0   ✓ ✓ ✓ Recv(from 2) ..          blocked: waits for 2
//!   lane 1   ✓ ✓ ✓ ✓ ✓ Add Send Recv ..     moves on
//! ```

use collective::{Place, Plan, Step};
use transport::{LinkError, Session, Transport, session};

/// Receives announced per lane besides the one being waited for.
const AHEAD: usize = 1;

/// Runs `plan` on `buffer`. `scratch` is kept between calls so that it is allocated once.
///
/// # Panics
///
/// If `buffer` has another length than the plan: both come from one caller.
pub fn execute(
    link: &mut dyn Transport,
    plan: &Plan,
    buffer: &mut [f32],
    scratch: &mut Vec<Vec<f32>>,
) -> Result<(), LinkError> {
    assert_eq!(buffer.len(), plan.len, "a plan is made for one length");
    if scratch.len() < plan.scratch.len() {
        scratch.resize(plan.scratch.len(), Vec::new());
    }
    for (slot, &len) in scratch.iter_mut().zip(&plan.scratch) {
        if slot.len() < len {
            slot.resize(len, 0.0);
        }
    }
    let mut lanes: Vec<Walker<'_>> =
        (0..).zip(&plan.lanes).map(|(lane, steps)| Walker::new(lane, steps)).collect();
    let mut whom = Vec::new();
    session(link, buffer, &mut scratch[..plan.scratch.len()], |session| {
        loop {
            let mut moved = false;
            whom.clear();
            for lane in &mut lanes {
                moved |= lane.walk(session, &mut whom)?;
            }
            if lanes.iter().all(Walker::is_done) {
                return Ok(());
            }
            if !moved {
                session.wait(&whom)?;
            }
        }
    })
}

/// One lane and how far it is.
struct Walker<'a> {
    lane: usize,
    steps: &'a [Step],
    next: usize,
    /// Steps before this have been announced if they receive.
    announced: usize,
    /// Announced receives that have not happened.
    ahead: usize,
}

impl<'a> Walker<'a> {
    fn new(lane: usize, steps: &'a [Step]) -> Self {
        Self { lane, steps, next: 0, announced: 0, ahead: 0 }
    }

    fn is_done(&self) -> bool {
        self.next == self.steps.len()
    }

    /// Goes as far as possible. Whom it then waits for is added to `whom`.
    fn walk(
        &mut self,
        session: &mut Session<'_>,
        whom: &mut Vec<usize>,
    ) -> Result<bool, LinkError> {
        let start = self.next;
        while let Some(step) = self.steps.get(self.next) {
            self.announce(session)?;
            let lane = self.lane;
            let done = match step.clone() {
                Step::Send { to, at } => session.send(to, lane, at.slot, at.range)?,
                Step::RecvReduce { from, at } => {
                    session.recv_reduce(from, lane, at.slot, at.range)?
                }
                Step::RecvCopy { from, at } => session.recv_copy(from, lane, at.slot, at.range)?,
                Step::Add { from, into } => {
                    session.add((from.slot, from.range), (into.slot, into.range))?
                }
            };
            if !done {
                whom.push(waits_for(session, step)?);
                break;
            }
            self.ahead -= usize::from(received(step).is_some());
            self.next += 1;
        }
        Ok(self.next > start)
    }

    /// Announces the next receives of the lane, up to [`AHEAD`] beyond the first.
    fn announce(&mut self, session: &mut Session<'_>) -> Result<(), LinkError> {
        while self.ahead <= AHEAD {
            let Some(step) = self.steps.get(self.announced) else {
                return Ok(());
            };
            self.announced += 1;
            if let Some((from, at)) = received(step) {
                session.expect(from, self.lane, at.range.len())?;
                self.ahead += 1;
            }
        }
        Ok(())
    }
}

/// The sender and place of a step that receives.
fn received(step: &Step) -> Option<(usize, &Place)> {
    match step {
        Step::RecvReduce { from, at } | Step::RecvCopy { from, at } => Some((*from, at)),
        Step::Send { .. } | Step::Add { .. } => None,
    }
}

/// Who could let a blocked step happen.
fn waits_for(session: &mut Session<'_>, step: &Step) -> Result<usize, LinkError> {
    let (other, place) = match step {
        Step::Send { to, .. } => return Ok(*to),
        Step::RecvReduce { from, at } | Step::RecvCopy { from, at } => (*from, at),
        Step::Add { into, .. } => (usize::MAX, into),
    };
    // Memory that is still being sent keeps a step waiting for the receiver of that message.
    let lent = session.is_lent(place.slot, &place.range)?;
    Ok(lent.unwrap_or(if other == usize::MAX { session.me() } else { other }))
}
