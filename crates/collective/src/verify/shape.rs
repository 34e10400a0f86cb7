//! What can be checked without running plans: lengths, bounds, and lanes that touch different
//! memory.

use super::VerifyError;
use crate::{CollectiveOperation, LANES_MAX, Plan, PlanStep, SlotRange};
use std::collections::BTreeMap;
use std::ops::Range;

/// The ranges a step touches, and whether it writes there.
fn touched(step: &PlanStep) -> Vec<(&SlotRange, bool)> {
    match step {
        PlanStep::Send { at, .. } => vec![(at, false)],
        PlanStep::RecvReduce { at, .. } | PlanStep::RecvCopy { at, .. } => vec![(at, true)],
        PlanStep::Add { from, into } => vec![(from, false), (into, true)],
    }
}

/// Plans of one collective have as many lanes, and slots of the lengths that the operation demands.
pub(super) fn lengths(operation: CollectiveOperation, plans: &[Plan]) -> Result<(), VerifyError> {
    let world = plans.len();
    for (rank, plan) in plans.iter().enumerate() {
        let (lanes, lanes0) = (plan.lanes.len(), plans[0].lanes.len());
        if lanes != lanes0 || lanes > LANES_MAX {
            return Err(VerifyError::Lanes { rank, lanes, lanes0 });
        }
        // A slot here, and the slot of another rank that must be as long.
        let pairs: Vec<(usize, usize, usize)> = match operation {
            CollectiveOperation::AllReduce | CollectiveOperation::Broadcast { .. } => {
                vec![(0, 0, 0)]
            }
            CollectiveOperation::AllGatherV => (0..world).map(|slot| (slot, 0, slot)).collect(),
            CollectiveOperation::AllToAllV => {
                (0..world).map(|other| (other, other, world + rank)).collect()
            }
        };
        for (slot, other, other_slot) in pairs {
            let (len, want) = (plan.slots.get(slot), plans[other].slots.get(other_slot));
            if len.is_none() || len != want {
                return Err(VerifyError::SlotLength { rank, slot, other, other_slot });
            }
        }
    }
    Ok(())
}

/// Every step stays within the world and its slots, and names another rank.
pub(super) fn bounds(rank: usize, plans: &[Plan]) -> Result<(), VerifyError> {
    let plan = &plans[rank];
    for (lane, steps) in plan.lanes.iter().enumerate() {
        for (step, what) in steps.iter().enumerate() {
            let other = match what {
                PlanStep::Send { to: other, .. }
                | PlanStep::RecvReduce { from: other, .. }
                | PlanStep::RecvCopy { from: other, .. } => Some(*other),
                PlanStep::Add { .. } => None,
            };
            let names = other.is_none_or(|other| other != rank && other < plans.len());
            let fits = touched(what).iter().all(|(at, _)| {
                let slot_len = plan.slots.get(at.slot);
                at.range.start < at.range.end && slot_len.is_some_and(|len| at.range.end <= *len)
            });
            if !names || !fits {
                return Err(VerifyError::OutOfBounds { rank, lane, step, what: what.clone() });
            }
        }
    }
    Ok(())
}

/// Passes tile the buffer and their lane's steps, and steps touch no element of another pass.
pub(super) fn passes(rank: usize, plan: &Plan) -> Result<(), VerifyError> {
    let mut ranges = Vec::new();
    for (lane, steps) in plan.lanes.iter().enumerate() {
        let mut next = 0;
        for pass in plan.passes.get(lane).into_iter().flatten() {
            let within = |step: &PlanStep| {
                touched(step).iter().all(|(at, _)| {
                    let (range, own) = (&at.range, &pass.range);
                    at.slot > 0 || (own.start <= range.start && range.end <= own.end)
                })
            };
            let own = steps.get(pass.steps.clone()).is_some_and(|steps| steps.iter().all(within));
            if pass.steps.start != next || !own {
                return Err(VerifyError::Passes { rank, lane });
            }
            next = pass.steps.end;
            ranges.push((pass.range.start, pass.range.end, lane));
        }
        if next != steps.len() {
            return Err(VerifyError::Passes { rank, lane });
        }
    }
    ranges.sort_unstable();
    let mut at = 0;
    for (start, end, lane) in ranges {
        if start != at {
            return Err(VerifyError::Passes { rank, lane });
        }
        at = end;
    }
    if at == plan.slots[0] { Ok(()) } else { Err(VerifyError::Passes { rank, lane: 0 }) }
}

/// Where a lane writes, no other lane reads or writes: the result cannot depend on their order.
pub(super) fn lanes_apart(rank: usize, plan: &Plan) -> Result<(), VerifyError> {
    if plan.lanes.len() < 2 {
        return Ok(());
    }
    let mut touches: Vec<(usize, Range<usize>, usize, bool)> = Vec::new();
    for (lane, steps) in plan.lanes.iter().enumerate() {
        for (at, writes) in steps.iter().flat_map(touched) {
            touches.push((at.slot, at.range.clone(), lane, writes));
        }
    }
    touches.sort_by_key(|touch| (touch.0, touch.1.start, touch.1.end, touch.2, touch.3));
    touches.dedup();
    // Sorted by start: an overlap is with a touch that reaches furthest, of some lane, so far.
    let mut reach: BTreeMap<(usize, bool), (usize, usize)> = BTreeMap::new();
    for (slot, range, lane, writes) in touches {
        for (&(other, wrote), &(other_slot, end)) in &reach {
            if other != lane && (wrote || writes) && other_slot == slot && end > range.start {
                let lanes = [other, lane];
                return Err(VerifyError::LanesOverlap { rank, lanes, slot, at: range.start });
            }
        }
        let far = reach.entry((lane, writes)).or_insert((slot, range.end));
        *far = if far.0 == slot { (slot, far.1.max(range.end)) } else { (slot, range.end) };
    }
    Ok(())
}
