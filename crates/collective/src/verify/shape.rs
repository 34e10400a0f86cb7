//! What can be checked of each plan on its own: bounds, and lanes that keep out of each other's way.

use super::VerifyError;
use crate::{Place, Plan, Step};
use std::collections::BTreeMap;
use std::ops::Range;

/// The places a step touches, and whether it writes there.
fn touched(step: &Step) -> Vec<(&Place, bool)> {
    match step {
        Step::Send { at, .. } => vec![(at, false)],
        Step::RecvReduce { at, .. } | Step::RecvCopy { at, .. } => vec![(at, true)],
        Step::Add { from, into } => vec![(from, false), (into, true)],
    }
}

/// Every step stays within the world and its slots, and speaks to somebody else.
pub(super) fn bounds(rank: usize, plans: &[Plan]) -> Result<(), VerifyError> {
    let (plan, first) = (&plans[rank], &plans[0]);
    let (lanes, lanes0, len, len0) = (plan.lanes.len(), first.lanes.len(), plan.len, first.len);
    if lanes != lanes0 || len != len0 {
        return Err(VerifyError::Unlike { rank, lanes, len, lanes0, len0 });
    }
    for (lane, steps) in plan.lanes.iter().enumerate() {
        for (step, what) in steps.iter().enumerate() {
            let other = match what {
                Step::Send { to: other, .. }
                | Step::RecvReduce { from: other, .. }
                | Step::RecvCopy { from: other, .. } => *other,
                Step::Add { .. } => usize::MAX,
            };
            let speaks = other == usize::MAX || (other != rank && other < plans.len());
            let fits = touched(what).iter().all(|(place, _)| {
                place.slot <= plan.scratch.len()
                    && place.range.start < place.range.end
                    && place.range.end <= plan.slot_len(place.slot)
            });
            if !speaks || !fits {
                return Err(VerifyError::OutOfBounds { rank, lane, step, what: what.clone() });
            }
        }
    }
    Ok(())
}

/// Where a lane writes, no other lane reads or writes: the result cannot depend on their order.
pub(super) fn lanes_apart(rank: usize, plan: &Plan) -> Result<(), VerifyError> {
    if plan.lanes.len() < 2 {
        return Ok(());
    }
    let mut touches: Vec<(usize, Range<usize>, usize, bool)> = Vec::new();
    for (lane, steps) in plan.lanes.iter().enumerate() {
        for (place, writes) in steps.iter().flat_map(touched) {
            touches.push((place.slot, place.range.clone(), lane, writes));
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
