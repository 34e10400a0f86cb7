//! How the members of one step wait for each other: the workers of this process, the communicator
//! that speaks to other ranks, and, through it, the other ranks.
//!
//! # Protocol
//!
//! ```text
//!   worker w         backward ─ ready(w, n) ─ … ─ summed(w, b) ─ … ─ summary ─ wait ─ norms ─ barrier ─ update
//!   communicator                       sum bucket 0 ─ sum bucket 1 ─ … ─ the rest ─ sum summaries ─ exchanged
//! ```
//!
//! 1. A worker announces how much of its pool is ready: a prefix, since gradients lie in the pool
//!    in the order backward finishes them ([`Reducer::submit`]).
//! 2. Between layers a worker sums its chunk of every bucket that is ready in all pools, and
//!    announces how many buckets it has summed. It waits for nobody before its own backward has
//!    ended ([`Reducer::finish`]). With a named plan between the workers there is nothing to
//!    announce: every `submit` that completes a bucket sums it between the workers, so a worker
//!    waits for the others during its backward, bucket by bucket.
//! 3. The communicator sums buckets between ranks in order, each as soon as all workers have summed
//!    it ([`BucketSums`]). So all ranks run the same collectives in the same order, whatever the
//!    pace of their workers. A bucket is all-reduced at once; a compression may put off its sum
//!    until a later bucket or the end, so nobody reads a sum before 4.
//! 4. After the last bucket a compression sums what is left and says where the update applies.
//!    After its last replica a worker enters losses, outputs and requests into the [`StepSummary`].
//!    When all have, the communicator sums it over ranks and announces that everything was
//!    exchanged. With a named plan between the workers each learns from its own end where the
//!    update applies, and all learn the same.
//! 5. Then every worker adds its norms where the update applies, announces gradients that are not
//!    finite, and meets the others at a barrier. After it nobody reads parameters, and all norms
//!    and losses are in: all ranks see the same, and update, skip the step, fail or stop in the
//!    same iteration.
//!
//! A member that fails or panics fails the step: whoever waits, or will, gets an error. Who waits
//! inside a plan between workers does not look here; the failed worker drops its end of the plan
//! with its [`Reducer`], which ends the others' all-reduce with an error. Waiting here sleeps (one
//! lock, one condition variable, a few calls per layer), so workers may outnumber cores.

mod bucket_sums;
mod communicator;
mod fail_on_panic;
mod reducer;
mod summary;

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use exchange::compression::Applied;
use solver::BlockSums;

pub(crate) use bucket_sums::BucketSums;
pub use bucket_sums::SumTraffic;
pub(crate) use communicator::Communicator;
use fail_on_panic::FailOnPanic;
pub(crate) use reducer::{Reducer, WorkerReduction, buckets};
pub(crate) use summary::StepSummary;

use crate::Request;
use crate::step::{ReplicaOutput, SharedState, StepError};

/// Where the members of one step meet.
pub(crate) struct StepSync {
    state: Mutex<SyncState>,
    changed: Condvar,
    /// Sums of squares of all blocks, if the solver needs them; each worker writes those of its own
    /// chunks.
    norms: Mutex<Vec<BlockSums>>,
    summary: Mutex<StepSummary>,
}

struct SyncState {
    /// Per worker: values of its pool that are ready, from the start.
    ready: Vec<usize>,
    /// Per worker: buckets of which it has summed its chunk.
    summed: Vec<usize>,
    /// Workers that have entered their part of the summary.
    summaries: usize,
    /// Where the update applies, once all buckets and the summary were exchanged with the other
    /// ranks.
    exchanged: Option<Applied>,
    /// The first parameter whose summed gradient is not finite.
    not_finite: Option<usize>,
    /// Whether a compression met a value that is not finite and has not arrived in any sum.
    hidden_not_finite: bool,
    /// Workers at the barrier, and how often all have passed it.
    waiting: usize,
    passed: usize,
    failed: bool,
}

impl StepSync {
    /// For one step of a job whose replicas have `outputs` output values each to display.
    pub(crate) fn new(shared: &SharedState, outputs: usize) -> Self {
        let summary = StepSummary::new(shared.placement.replicas, outputs);
        let norms = if shared.solver.needs_norms() { shared.slots.blocks() } else { 0 };
        Self::with(shared.pools.len(), norms, summary)
    }

    fn with(workers: usize, norms: usize, summary: StepSummary) -> Self {
        let state = SyncState {
            ready: vec![0; workers],
            summed: vec![0; workers],
            summaries: 0,
            exchanged: None,
            not_finite: None,
            hidden_not_finite: false,
            waiting: 0,
            passed: 0,
            failed: false,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            norms: Mutex::new(vec![BlockSums::default(); norms]),
            summary: Mutex::new(summary),
        }
    }

    /// Announces that the first `count` values of `worker`'s pool are ready; returns how many are
    /// in all pools.
    fn announce_ready(&self, worker: usize, count: usize) -> usize {
        self.change(|state| {
            state.ready[worker] = count;
            state.ready.iter().copied().min().unwrap_or(0)
        })
    }

    fn wait_ready(&self, count: usize) -> Result<(), StepError> {
        self.wait(|state| state.ready.iter().all(|&ready| ready >= count))
    }

    fn announce_summed(&self, worker: usize, buckets: usize) {
        self.change(|state| state.summed[worker] = buckets);
    }

    fn wait_summed(&self, buckets: usize) -> Result<(), StepError> {
        self.wait(|state| state.summed.iter().all(|&summed| summed >= buckets))
    }

    /// Enters what a worker's replicas found, of which `first` is the first, and what was asked of
    /// it.
    pub(crate) fn submit_summary(
        &self,
        first: usize,
        replicas: &[ReplicaOutput],
        request: Request,
    ) {
        let mut summary = self.summary();
        for (row, replica) in (first..).zip(replicas) {
            summary.set_row(row, replica.loss, &replica.outputs);
        }
        summary.add_request(request);
        drop(summary);
        self.change(|state| state.summaries += 1);
    }

    fn wait_summaries(&self) -> Result<(), StepError> {
        self.wait(|state| state.summaries == state.ready.len())
    }

    fn announce_exchanged(&self, applied: Applied) {
        self.change(|state| state.exchanged = Some(applied));
    }

    /// Where the update applies.
    fn wait_exchanged(&self) -> Result<Applied, StepError> {
        self.wait(|state| state.exchanged.is_some())?;
        Ok(self.lock().exchanged.clone().unwrap_or(Applied::Everything))
    }

    /// Announces that a compression met a value that is not finite.
    fn announce_hidden_not_finite(&self) {
        self.change(|state| state.hidden_not_finite = true);
    }

    /// Announces that the summed gradient of parameter `slot` is not finite.
    pub(crate) fn announce_not_finite(&self, slot: usize) {
        self.change(|state| {
            state.not_finite = Some(state.not_finite.map_or(slot, |first| first.min(slot)));
        });
    }

    /// The first gradient that is not finite; known to all after the barrier.
    pub(crate) fn not_finite(&self) -> Option<NotFiniteSum> {
        let state = self.lock();
        let hidden = state.hidden_not_finite.then_some(NotFiniteSum::Hidden);
        state.not_finite.map(NotFiniteSum::Param).or(hidden)
    }

    /// Waits until all workers are here.
    pub(crate) fn barrier(&self) -> Result<(), StepError> {
        let passed = self.change(|state| {
            let passed = state.passed;
            state.waiting += 1;
            if state.waiting == state.ready.len() {
                state.waiting = 0;
                state.passed += 1;
            }
            passed
        });
        self.wait(|state| state.passed > passed)
    }

    /// Makes every wait fail from now on.
    pub(crate) fn fail(&self) {
        self.change(|state| state.failed = true);
    }

    /// A guard that fails the step when its member panics.
    pub(crate) fn fail_on_panic(&self) -> FailOnPanic<'_> {
        FailOnPanic(self)
    }

    pub(crate) fn norms(&self) -> MutexGuard<'_, Vec<BlockSums>> {
        self.norms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn summary(&self) -> MutexGuard<'_, StepSummary> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut SyncState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    fn wait(&self, done: impl Fn(&SyncState) -> bool) -> Result<(), StepError> {
        let mut state = self.lock();
        while !state.failed && !done(&state) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.failed { Err(StepError::OtherWorker) } else { Ok(()) }
    }

    fn lock(&self) -> MutexGuard<'_, SyncState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A gradient that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotFiniteSum {
    /// That of a parameter.
    Param(usize),
    /// One that a compression met, and whose parameter is not known.
    Hidden,
}

#[cfg(test)]
mod tests;
