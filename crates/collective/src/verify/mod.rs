//! The proof of a collective: all ranks' plans, run on symbols.
//!
//! Checked: nobody waits forever, no message is left over or meets a receive of another length,
//! lanes do not touch each other's memory, every contribution is counted exactly once. Found: whether
//! the sum follows the canonical tree, rounds, messages, values sent, received and added per rank.
//!
//! The run is as strict as any transport: a rank may have one untaken message per (rank, lane)
//! channel, further sends wait; a step that would change memory that is still being sent waits. A plan that
//! ends under these rules ends on every transport, since deeper channels only let steps happen
//! earlier.
//!
//! ```text
//!   round of a send      = max(sender's last send, sender's last receive) + 1
//!   round of a receive   = max(round of the send, receiver's last receive + 1)
//! ```

mod error;
mod memory;
mod run;
mod shape;
mod term;

pub use error::VerifyError;

use crate::{Operation, Plan};
use memory::Memory;
use run::Run;
use term::{NOTHING, Term, Terms};

/// What the verifier found out about a collective. Volumes are in values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// The sum is the canonical tree's, bit for bit. (True where nothing is added.)
    pub exact: bool,
    /// Messages one after another on the longest chain of one lane.
    pub rounds: usize,
    /// Most messages that any rank sends.
    pub messages: usize,
    /// Most values that any rank sends.
    pub sent: usize,
    /// Most values that any rank receives.
    pub received: usize,
    /// Most values that any rank adds.
    pub reduced: usize,
    /// Most scratch that any rank needs.
    pub scratch: usize,
}

/// Runs `plans`, one per rank, and checks that they do what `operation` says.
pub fn verify(operation: Operation, plans: &[Plan]) -> Result<Figures, VerifyError> {
    let world = plans.len();
    let mut terms = Terms::new(world);
    let buffers = plans.iter().enumerate().map(|(rank, plan)| start(operation, rank, plan, &terms));
    let mut run = Run::new(plans, buffers.collect())?;
    run.finish(&mut terms)?;
    let canonical = if world == 0 { NOTHING } else { terms.canonical(0..world)? };
    let mut exact = true;
    if operation != Operation::AllReduce {
        tiled(plans, operation)?;
    }
    for (rank, plan) in plans.iter().enumerate() {
        for (range, want) in wanted(operation, plan, plans, &terms) {
            for (_, term) in run.buffer(rank).read(&range) {
                match want {
                    Some(want) if term != want => {
                        return Err(VerifyError::WrongValue { rank, at: range.start });
                    }
                    Some(_) => {}
                    None => {
                        if let Some(missing) = terms.missing(term) {
                            return Err(VerifyError::Missing { rank, contribution: missing });
                        }
                        exact &= term == canonical;
                    }
                }
            }
        }
    }
    Ok(run.figures(exact))
}

/// What rank `rank` holds at the start.
fn start(operation: Operation, rank: usize, plan: &Plan, terms: &Terms) -> Memory {
    let own = terms.of(rank);
    match operation {
        Operation::AllReduce | Operation::ReduceScatter => Memory::new(plan.len, own),
        Operation::Broadcast { root } if rank == root => Memory::new(plan.len, own),
        Operation::Broadcast { .. } => Memory::new(plan.len, NOTHING),
        Operation::AllGather => {
            let mut memory = Memory::new(plan.len, NOTHING);
            for range in &plan.owned {
                memory.write(range, &[(range.len(), own)]);
            }
            memory
        }
    }
}

/// Ranges of a rank's buffer at the end, and the term each must hold; `None`: the sum over all.
fn wanted(
    operation: Operation,
    plan: &Plan,
    plans: &[Plan],
    terms: &Terms,
) -> Vec<(std::ops::Range<usize>, Option<Term>)> {
    let whole = || (plan.len > 0).then_some(0..plan.len);
    match operation {
        Operation::AllReduce => whole().map(|range| (range, None)).into_iter().collect(),
        Operation::ReduceScatter => plan.owned.iter().map(|range| (range.clone(), None)).collect(),
        Operation::Broadcast { root } => {
            whole().map(|range| (range, Some(terms.of(root)))).into_iter().collect()
        }
        Operation::AllGather => plans
            .iter()
            .enumerate()
            .flat_map(|(rank, plan)| plan.owned.iter().map(move |range| (rank, range.clone())))
            .map(|(rank, range)| (range, Some(terms.of(rank))))
            .collect(),
    }
}

/// Owned ranges cover every buffer, each value once.
fn tiled(plans: &[Plan], operation: Operation) -> Result<(), VerifyError> {
    if matches!(operation, Operation::Broadcast { .. }) {
        return Ok(());
    }
    let mut ranges: Vec<_> = plans.iter().flat_map(|plan| plan.owned.clone()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut at = 0;
    for range in ranges {
        if range.start != at {
            return Err(VerifyError::NotTiled { at: at.min(range.start) });
        }
        at = range.end;
    }
    let len = plans.first().map_or(0, |plan| plan.len);
    if at == len { Ok(()) } else { Err(VerifyError::NotTiled { at }) }
}

#[cfg(test)]
mod tests;
