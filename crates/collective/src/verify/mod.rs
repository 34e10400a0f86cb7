//! The proof of a collective: all ranks' plans, executed on symbols.
//!
//! Checked: nobody waits forever, no message is left over or meets a receive of another length,
//! lanes do not touch each other's memory, every contribution is counted exactly once and ends
//! where it belongs. Found: whether the sum follows the canonical tree, rounds, messages, values
//! sent, received and added per rank.
//!
//! The execution is as strict as any transport: a rank may have one untaken message per (rank,
//! lane) channel, further sends wait; a step that would change memory that is still being sent
//! waits. A plan that ends under these rules ends on every transport, since deeper channels only
//! let steps happen earlier.
//!
//! ```text
//!   round of a send      = max(sender's last send, sender's last receive) + 1
//!   round of a receive   = max(round of the send, receiver's last receive + 1)
//! ```

mod error;
mod memory;
mod shape;
mod symbolic;
mod term;

pub use error::VerifyError;

use crate::{CollectiveOperation, Plan};
use memory::SymbolicMemory;
use symbolic::SymbolicWorld;
use term::{NOTHING, Term, Terms};

/// What the verifier found out about a collective. Volumes are in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanFigures {
    /// The sum is the canonical tree's, bit for bit. (True where nothing is added.)
    pub exact: bool,
    /// Messages one after another on the longest chain of one lane.
    pub rounds: usize,
    /// Most messages that any rank sends.
    pub messages: usize,
    /// Most elements that any rank sends.
    pub sent: usize,
    /// Most elements that any rank receives.
    pub received: usize,
    /// Most elements that any rank adds.
    pub reduced: usize,
    /// Most scratch that any rank needs; for all-reduce and broadcast.
    pub scratch: usize,
}

/// Executes `plans`, one per rank, and checks that they do what `operation` says.
pub fn verify(operation: CollectiveOperation, plans: &[Plan]) -> Result<PlanFigures, VerifyError> {
    let world = plans.len();
    shape::lengths(operation, plans)?;
    for (rank, plan) in plans.iter().enumerate() {
        shape::bounds(rank, plans)?;
        shape::lanes_apart(rank, plan)?;
    }
    let contributions =
        if operation == CollectiveOperation::AllToAllV { world * world } else { world };
    let mut terms = Terms::new(contributions);
    let slots = (0..world).map(|rank| start(operation, rank, plans, &terms));
    let mut symbolic = SymbolicWorld::new(plans, slots.collect());
    symbolic.finish(&mut terms)?;
    let mut exact = true;
    if operation == CollectiveOperation::AllReduce {
        tiled(plans)?;
        for (rank, plan) in plans.iter().enumerate() {
            shape::passes(rank, plan)?;
        }
        for rank in 0..world {
            exact &= is_canonical_sum(&symbolic, rank, plans, &mut terms)?;
        }
    } else {
        for rank in 0..world {
            check_copies(operation, &symbolic, rank, plans, &terms)?;
        }
    }
    Ok(symbolic.figures(exact))
}

/// What `rank`'s slots hold at the start.
fn start(
    operation: CollectiveOperation,
    rank: usize,
    plans: &[Plan],
    terms: &Terms,
) -> Vec<SymbolicMemory> {
    let world = plans.len();
    let term = |slot: usize| match operation {
        CollectiveOperation::AllReduce if slot == 0 => terms.of(rank),
        CollectiveOperation::Broadcast { root } if (slot, rank) == (0, root) => terms.of(rank),
        CollectiveOperation::AllGatherV if slot == rank => terms.of(rank),
        CollectiveOperation::AllToAllV if slot < world => terms.of(rank * world + slot),
        // The caller has moved what stays.
        CollectiveOperation::AllToAllV if slot == world + rank => terms.of(rank * world + rank),
        _ => NOTHING,
    };
    let slots = plans[rank].slots.iter().enumerate();
    slots.map(|(slot, &len)| SymbolicMemory::new(len, term(slot))).collect()
}

/// Checks that `rank` has the sum over all, element by element; whether it is the canonical one.
fn is_canonical_sum(
    symbolic: &SymbolicWorld<'_>,
    rank: usize,
    plans: &[Plan],
    terms: &mut Terms,
) -> Result<bool, VerifyError> {
    let canonical = terms.canonical(0..plans.len())?;
    let mut exact = true;
    let mut at = 0;
    for held in read_whole(symbolic, rank, 0, plans) {
        if let Some(contribution) = terms.missing(held.term) {
            return Err(VerifyError::Missing { rank, contribution });
        }
        if held.moved != 0 {
            return Err(VerifyError::WrongValue { rank, slot: 0, at });
        }
        exact &= held.term == canonical;
        at = held.end;
    }
    Ok(exact)
}

/// Checks that `rank` has what nothing was added to, where it belongs.
fn check_copies(
    operation: CollectiveOperation,
    symbolic: &SymbolicWorld<'_>,
    rank: usize,
    plans: &[Plan],
    terms: &Terms,
) -> Result<(), VerifyError> {
    let world = plans.len();
    let wanted: Vec<(usize, Term)> = match operation {
        CollectiveOperation::AllReduce => Vec::new(),
        CollectiveOperation::Broadcast { root } => vec![(0, terms.of(root))],
        CollectiveOperation::AllGatherV => (0..world).map(|slot| (slot, terms.of(slot))).collect(),
        CollectiveOperation::AllToAllV => {
            (0..world).map(|from| (world + from, terms.of(from * world + rank))).collect()
        }
    };
    for (slot, term) in wanted {
        let mut at = 0;
        for held in read_whole(symbolic, rank, slot, plans) {
            if held.term != term || held.moved != 0 {
                return Err(VerifyError::WrongValue { rank, slot, at });
            }
            at = held.end;
        }
    }
    Ok(())
}

fn read_whole(
    symbolic: &SymbolicWorld<'_>,
    rank: usize,
    slot: usize,
    plans: &[Plan],
) -> Vec<memory::TermRange> {
    symbolic.slot(rank, slot).read(&(0..plans[rank].slots[slot]))
}

/// Owned ranges cover every buffer, each element once.
fn tiled(plans: &[Plan]) -> Result<(), VerifyError> {
    let mut ranges: Vec<_> = plans.iter().flat_map(|plan| plan.owned.clone()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut at = 0;
    for range in ranges {
        if range.start != at {
            return Err(VerifyError::NotTiled { at: at.min(range.start) });
        }
        at = range.end;
    }
    let len = plans.first().map_or(0, |plan| plan.slots[0]);
    if at == len { Ok(()) } else { Err(VerifyError::NotTiled { at }) }
}

#[cfg(test)]
mod tests;
