//! What one worker does in one iteration, from its first batch to its share of the update.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use base::Clock;
use kernels::Cpu;
use solver::{BlockSums, Clipped, HISTORIES_MAX, Piece, Run, Slots, Solver, Step, block_sums};

use crate::board::{Board, Failed};
use crate::job::Shared;
use crate::parallel::Dealing;
use crate::reduce::Reducer;
use crate::worker::{Found, Replica, Task, Worker};
use crate::{Config, TrainError};

/// Everything about one iteration that all workers see.
pub(crate) struct Stage<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) iter: u64,
    /// Whether outputs are wanted.
    pub(crate) shows: bool,
    /// Whether debug lines are wanted.
    pub(crate) debug: bool,
    pub(crate) config: &'a Config,
    pub(crate) solver: &'a Solver,
    pub(crate) slots: &'a Slots,
    pub(crate) buckets: &'a [Range<usize>],
    pub(crate) shared: &'a Shared,
    pub(crate) dealing: Dealing,
    pub(crate) board: &'a Board,
    /// Norms of all blocks, each worker's share written by it.
    pub(crate) norms: &'a Mutex<Vec<BlockSums>>,
}

/// What a worker brings back.
pub(crate) struct Done {
    pub(crate) found: Vec<Found>,
    pub(crate) clipped: Option<Clipped>,
}

/// Why a worker brings nothing back.
pub(crate) enum Undone {
    /// Its own error.
    Error(TrainError),
    /// The gradient of this slot is not finite.
    NotFinite(usize),
    /// Another worker failed.
    Other,
}

impl Stage<'_> {
    /// Runs worker `index` through the iteration; if it fails, the others are told.
    pub(crate) fn work(
        &self,
        index: usize,
        worker: &mut Worker,
        replicas: &mut [Replica],
    ) -> Result<Done, Undone> {
        let _watch = self.board.watch();
        let result = self.compute_then_update(index, worker, replicas);
        if result.is_err() {
            self.board.fail();
        }
        result
    }

    fn compute_then_update(
        &self,
        index: usize,
        worker: &mut Worker,
        replicas: &mut [Replica],
    ) -> Result<Done, Undone> {
        let mut reducer = Reducer {
            worker: index,
            board: self.board,
            slots: self.slots,
            buckets: self.buckets,
            pools: &self.shared.pools,
            sum: self.shared.sum.as_ref(),
            done: 0,
        };
        let found = {
            let params = self.shared.params.read();
            let task = Task {
                clock: self.clock,
                iter: self.iter,
                passes: self.config.solver.iter_size(),
                overlap: self.config.overlap,
                params: &params,
                pool: &self.shared.pools[index],
                shows: self.shows,
                debug: self.debug,
            };
            let first = self.dealing.of_worker(index).start;
            worker.compute(&task, first, replicas, &mut reducer).map_err(Undone::Error)?
        };
        let begin = self.clock.now();
        reducer.finish(&worker.cpu)?;
        let runs: Vec<Run> = reducer.shares().flat_map(|share| self.slots.runs(share)).collect();
        self.add_norms(&runs);
        self.board.barrier()?; // nobody reads params any more, and all norms are in
        let reduced = self.clock.now();
        let clipped = self.update(&worker.cpu, &runs)?;
        worker.times.exchange += reduced.saturating_sub(begin);
        worker.times.update += self.clock.now().saturating_sub(reduced);
        Ok(Done { found, clipped })
    }

    /// What every gradient is multiplied by: the pool holds a sum over replicas.
    fn scale(&self) -> f32 {
        1.0 / self.dealing.replicas as f32
    }

    fn add_norms(&self, runs: &[Run]) {
        if !self.solver.needs_norms() {
            return;
        }
        for run in runs {
            let values = self.shared.params.read_range(self.slots.in_slab(run));
            let gradient = self.shared.sum().read_range(self.slots.in_pool(run));
            let blocks = self.slots.blocks_in(run);
            let mut sums = vec![BlockSums::default(); blocks.len()];
            block_sums(self.scale(), &values, &gradient, &mut sums);
            let mut norms = self.norms.lock().unwrap_or_else(PoisonError::into_inner);
            norms[blocks].copy_from_slice(&sums);
        }
    }

    /// Applies the rule to this worker's share.
    fn update(&self, cpu: &Cpu, runs: &[Run]) -> Result<Option<Clipped>, Undone> {
        let step = {
            let norms = self.norms.lock().unwrap_or_else(PoisonError::into_inner);
            let norms = if self.solver.needs_norms() { &norms[..] } else { &[] };
            self.solver.step(self.iter, self.scale(), self.slots, norms)
        };
        self.apply(cpu, runs, &step)?;
        Ok(step.clipped)
    }

    fn apply(&self, cpu: &Cpu, runs: &[Run], step: &Step) -> Result<(), Undone> {
        let mut guards: Vec<_> = (runs.iter())
            .map(|run| {
                let slab = self.slots.in_slab(run);
                let history: Vec<_> =
                    self.shared.history.iter().map(|history| history.write(slab.clone())).collect();
                let gradient = self.shared.sum().read_range(self.slots.in_pool(run));
                (run.slot, self.shared.params.write(slab), gradient, history)
            })
            .collect();
        let pieces = (guards.iter_mut())
            .map(|(slot, values, gradient, history)| {
                let mut history = history.iter_mut().map(|history| &mut history[..]);
                let history: [_; HISTORIES_MAX] =
                    std::array::from_fn(|_| history.next().unwrap_or_default());
                Piece { slot: *slot, values: &mut values[..], gradient: &gradient[..], history }
            })
            .collect();
        self.solver.update(cpu, step, pieces).map_err(|bad| Undone::NotFinite(bad.slot))
    }
}

impl From<Failed> for Undone {
    fn from(Failed: Failed) -> Self {
        Self::Other
    }
}
