//! Walks a plan's lanes on one rank.
//!
//! One thread takes turns: every lane goes as far as it can, and when none can move the transport
//! waits for whoever could change that. Receives are announced a little ahead, so that transports
//! with buffers have several segments in flight. Elements of a 16-bit format are encoded when a
//! lane begins a pass and decoded when it ends one, while messages of other lanes travel.
//!
//! ```text
//!   lane 0   ✓ ✓ ✓ Recv(from 2) ..          blocked: waits for 2
//!   lane 1   ✓ ✓ ✓ ✓ ✓ Add Send Recv ..     moves on
//! ```

use crate::wire::{Conversion, WireFormat};
use collective::{LanePass, Plan, PlanStep, SlotRange};
use std::ops::Range;
use transport::{AddBytes, LinkError, Session, Transport, session};

/// Receives announced per lane besides the one being waited for.
const AHEAD: usize = 1;

/// What a plan's elements are.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    /// Bytes of each.
    pub(crate) bytes: usize,
    /// How they are added.
    pub(crate) add: AddBytes,
}

impl Elements {
    /// Bytes, which nothing is added to.
    pub(crate) const BYTES: Self =
        Self { bytes: 1, add: |_, _| unreachable!("the plan of a copy adds nothing") };

    /// Elements of a wire format.
    pub(crate) fn of(format: &WireFormat) -> Self {
        Self { bytes: format.element_bytes, add: format.add }
    }

    fn range(self, range: &Range<usize>) -> Range<usize> {
        range.start * self.bytes..range.end * self.bytes
    }
}

/// Values that travel encoded: slot 0 is their encoding.
pub(crate) struct EncodedValues<'a> {
    pub(crate) values: &'a mut [f32],
    /// What they are multiplied by before they are rounded.
    pub(crate) scale: f32,
    pub(crate) conversion: Conversion,
}

/// Executes `plan` on `slots`, which have its lengths, and returns the bytes that were sent. Of
/// `encoded` values slot 0 is filled pass by pass, and the result decoded pass by pass. `meanwhile`
/// does some microseconds of other work while nothing arrives; `false` if there is none.
pub(crate) fn execute<'a>(
    link: &'a mut dyn Transport,
    elements: Elements,
    plan: &Plan,
    slots: impl Iterator<Item = &'a mut [u8]>,
    mut encoded: Option<EncodedValues<'_>>,
    meanwhile: &mut dyn FnMut() -> bool,
) -> Result<u64, LinkError> {
    let slots = slots.zip(&plan.slots).map(|(slot, &len)| &mut slot[..len * elements.bytes]);
    let lanes = plan.lanes.iter().enumerate();
    let passes = |lane: usize| match encoded {
        Some(_) => &plan.passes[lane][..],
        None => &[],
    };
    let mut walkers: Vec<LaneWalker<'_>> =
        lanes.map(|(lane, steps)| LaneWalker::new(lane, elements, steps, passes(lane))).collect();
    let mut whom = Vec::new();
    session(link, slots, elements.add, |session| {
        loop {
            let mut moved = false;
            whom.clear();
            for walker in &mut walkers {
                moved |= walker.walk(session, encoded.as_mut(), &mut whom)?;
            }
            if walkers.iter().all(LaneWalker::is_done) {
                return Ok(walkers.iter().map(|walker| walker.sent_bytes).sum());
            }
            if !moved && !meanwhile() {
                session.wait(&whom)?;
            }
        }
    })
}

/// One lane and how far it is.
struct LaneWalker<'a> {
    lane: usize,
    elements: Elements,
    steps: &'a [PlanStep],
    next: usize,
    /// Steps before this have been announced if they receive.
    announced: usize,
    /// Announced receives that have not happened.
    ahead: usize,
    /// Passes that have not ended, if there is something to convert.
    passes: &'a [LanePass],
    /// Whether the first of them is encoded.
    is_encoded: bool,
    sent_bytes: u64,
}

impl<'a> LaneWalker<'a> {
    fn new(lane: usize, elements: Elements, steps: &'a [PlanStep], passes: &'a [LanePass]) -> Self {
        let (next, announced, ahead, sent_bytes) = (0, 0, 0, 0);
        let is_encoded = false;
        Self { lane, elements, steps, next, announced, ahead, passes, is_encoded, sent_bytes }
    }

    fn is_done(&self) -> bool {
        self.next == self.steps.len() && self.passes.is_empty()
    }

    /// Goes as far as possible. Whom it then waits for is added to `whom`.
    fn walk(
        &mut self,
        session: &mut Session<'_>,
        mut encoded: Option<&mut EncodedValues<'_>>,
        whom: &mut Vec<usize>,
    ) -> Result<bool, LinkError> {
        let start = (self.next, self.passes.len());
        loop {
            if let Some(encoded) = &mut encoded {
                self.convert(session, encoded)?;
            }
            let Some(step) = self.steps.get(self.next) else { break };
            self.announce(session)?;
            if !self.take(session, step)? {
                whom.push(self.waits_for(session, step)?);
                break;
            }
            self.ahead -= usize::from(received(step).is_some());
            self.sent_bytes += sent_elements(step) as u64 * self.elements.bytes as u64;
            self.next += 1;
        }
        Ok((self.next, self.passes.len()) != start)
    }

    /// Takes a step, if it can be taken now.
    fn take(&self, session: &mut Session<'_>, step: &PlanStep) -> Result<bool, LinkError> {
        let (lane, bytes) = (self.lane, |at: &SlotRange| self.elements.range(&at.range));
        match step {
            PlanStep::Send { to, at } => session.send(*to, lane, at.slot, bytes(at)),
            PlanStep::RecvReduce { from, at } => {
                session.recv_reduce(*from, lane, at.slot, bytes(at))
            }
            PlanStep::RecvCopy { from, at } => session.recv_copy(*from, lane, at.slot, bytes(at)),
            PlanStep::Add { from, into } => {
                session.add((from.slot, bytes(from)), (into.slot, bytes(into)))
            }
        }
    }

    /// Decodes a pass that has ended and encodes the next one.
    fn convert(
        &mut self,
        session: &mut Session<'_>,
        encoded: &mut EncodedValues<'_>,
    ) -> Result<(), LinkError> {
        while let Some((pass, rest)) = self.passes.split_first() {
            let (values, bytes) =
                (&mut encoded.values[pass.range.clone()], self.elements.range(&pass.range));
            if !self.is_encoded {
                let (encode, scale) = (encoded.conversion.encode, encoded.scale);
                session.write(0, bytes.clone(), |bytes| encode(scale, values, bytes))?;
                self.is_encoded = true;
            }
            if self.next < pass.steps.end {
                return Ok(());
            }
            (encoded.conversion.decode)(session.read(0, &bytes), values);
            (self.passes, self.is_encoded) = (rest, false);
        }
        Ok(())
    }

    /// Announces the next receives of the lane, up to [`AHEAD`] beyond the first.
    fn announce(&mut self, session: &mut Session<'_>) -> Result<(), LinkError> {
        while self.ahead <= AHEAD {
            let Some(step) = self.steps.get(self.announced) else {
                return Ok(());
            };
            self.announced += 1;
            if let Some((from, at)) = received(step) {
                session.expect(from, self.lane, self.elements.range(&at.range).len())?;
                self.ahead += 1;
            }
        }
        Ok(())
    }

    /// Who could let a blocked step happen.
    fn waits_for(&self, session: &mut Session<'_>, step: &PlanStep) -> Result<usize, LinkError> {
        let (other, at) = match step {
            PlanStep::Send { to, .. } => return Ok(*to),
            PlanStep::RecvReduce { from, at } | PlanStep::RecvCopy { from, at } => (*from, at),
            PlanStep::Add { into, .. } => (session.me(), into),
        };
        // Memory that is still being sent keeps a step waiting for the receiver of that message.
        let lent = session.is_lent(at.slot, &self.elements.range(&at.range))?;
        Ok(lent.unwrap_or(other))
    }
}

/// The sender and range of a step that receives.
fn received(step: &PlanStep) -> Option<(usize, &SlotRange)> {
    match step {
        PlanStep::RecvReduce { from, at } | PlanStep::RecvCopy { from, at } => Some((*from, at)),
        PlanStep::Send { .. } | PlanStep::Add { .. } => None,
    }
}

/// How many elements a step sends.
fn sent_elements(step: &PlanStep) -> usize {
    match step {
        PlanStep::Send { at, .. } => at.range.len(),
        PlanStep::RecvReduce { .. } | PlanStep::RecvCopy { .. } | PlanStep::Add { .. } => 0,
    }
}

/// How many elements a rank sends that executes `plan`.
pub(crate) fn planned_elements(plan: &Plan) -> u64 {
    plan.lanes.iter().flatten().map(|step| sent_elements(step) as u64).sum()
}
