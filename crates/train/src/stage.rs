//! What one worker does in one iteration, from its first batch to its share of the update.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::Clock;
use exchange::ExchangeError;
use kernels::Cpu;
use net::ReplicaState;
use solver::{
    BlockSums, Clipped, HISTORIES_MAX, ParamRange, ParamSlots, Solver, UpdateSlice, UpdateStep,
    block_sums,
};
use tensor::SharedSlab;

use crate::board::{Board, Failed};
use crate::job::Shared;
use crate::news::News;
use crate::parallel::Dealing;
use crate::ranks::Ranks;
use crate::reduce::{By, NoSum, Reducer};
use crate::timeline::What;
use crate::worker::{Found, Task, Worker};
use crate::{Config, Control, TrainError};

/// Everything about one iteration that all workers see.
pub(crate) struct Stage<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) control: &'a dyn Control,
    pub(crate) iter: u64,
    /// Whether outputs are wanted.
    pub(crate) shows: bool,
    /// Whether debug lines are wanted.
    pub(crate) debug: bool,
    pub(crate) config: &'a Config,
    pub(crate) solver: &'a Solver,
    pub(crate) slots: &'a ParamSlots,
    pub(crate) buckets: &'a [Range<usize>],
    pub(crate) shared: &'a Shared,
    pub(crate) dealing: Dealing,
    pub(crate) ranks: &'a Ranks,
    pub(crate) board: &'a Board,
    /// Norms of all blocks, each worker's share written by it.
    pub(crate) norms: &'a Mutex<Vec<BlockSums>>,
    /// What all replicas tell.
    pub(crate) news: &'a Mutex<News>,
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
    /// A replica's loss is not finite; if the first such is ours, with where that began.
    Loss(Option<TrainError>),
    /// Values did not arrive.
    Exchange(ExchangeError),
    /// Another worker failed.
    Other,
}

impl Stage<'_> {
    /// Runs worker `index` through the iteration; if it fails, the others are told.
    pub(crate) fn work(
        &self,
        index: usize,
        worker: &mut Worker,
        replicas: &mut [ReplicaState],
    ) -> Result<Done, Undone> {
        let _watch = self.board.watch();
        let result = self.compute_then_update(index, worker, replicas);
        if let Err(undone) = &result {
            if let Undone::Error(error) = undone {
                self.ranks.alarm(error); // other ranks would wait for our gradients
            }
            self.board.fail();
        }
        result
    }

    fn compute_then_update(
        &self,
        index: usize,
        worker: &mut Worker,
        replicas: &mut [ReplicaState],
    ) -> Result<Done, Undone> {
        let by = match (worker.link.take(), &self.shared.sum) {
            // Out of the worker until the step has gone well: who waits for us sees that we left.
            (Some(link), _) => By::Plan(link),
            (None, Some(sum)) => By::DirectReads(sum),
            (None, None) => By::Nobody,
        };
        let mut reducer = Reducer {
            worker: index,
            board: self.board,
            slots: self.slots,
            buckets: self.buckets,
            pools: &self.shared.pools,
            by,
            done: 0,
        };
        let found = self.compute(index, worker, replicas, &mut reducer)?;
        let begin = self.clock.now();
        reducer.finish(&worker.cpu)?;
        if self.ranks.are_several() {
            self.board.wait_exchanged()?;
        }
        let runs: Vec<ParamRange> =
            reducer.shares().flat_map(|share| self.slots.param_ranges(share)).collect();
        self.add_norms(&runs, reducer.sum());
        self.board.barrier()?; // nobody reads params any more, and all norms and news are in
        let reduced = self.clock.now();
        self.check_losses(index, &found)?;
        let clipped = self.update(&worker.cpu, &runs, reducer.sum())?;
        let updated = self.clock.now();
        worker.ledger.spend(What::Exchange, begin, reduced);
        worker.ledger.spend(What::Update, reduced, updated);
        if let By::Plan(link) = reducer.by {
            worker.link = Some(link);
        }
        Ok(Done { found, clipped })
    }

    /// All batches of this worker, whose news are told.
    fn compute(
        &self,
        index: usize,
        worker: &mut Worker,
        replicas: &mut [ReplicaState],
        reducer: &mut Reducer<'_>,
    ) -> Result<Vec<Found>, Undone> {
        let params = self.shared.params.read();
        let task = Task {
            clock: self.clock,
            passes: self.config.solver.iter_size(),
            overlap: self.config.overlap,
            params: &params,
            pool: &self.shared.pools[index],
            ranks: self.ranks,
            shows: self.shows,
            debug: self.debug,
        };
        let first = self.dealing.of_worker(self.ranks.rank(), index).start;
        let found = worker.compute(&task, first, replicas, reducer)?;
        let mut news = self.news();
        for (row, found) in (first..).zip(&found) {
            news.tell(row, found.loss, &found.outputs);
        }
        if index == 0 {
            news.ask(self.control.request());
        }
        drop(news);
        self.board.tell();
        Ok(found)
    }

    /// An update that the loss of any replica forbids is forbidden to all. Who ran the first such
    /// replica says where it began, and nobody else: one message from however many ranks.
    fn check_losses(&self, index: usize, found: &[Found]) -> Result<(), Undone> {
        let Some(bad) = self.news().losses().position(|loss| !loss.is_finite()) else {
            return Ok(());
        };
        let first = self.dealing.of_worker(self.ranks.rank(), index).start;
        let own = bad.checked_sub(first).and_then(|place| found.get(place)).and_then(|found| {
            let (layer, blob) = found.not_finite.clone()?;
            Some(TrainError::Loss { iter: self.iter, loss: found.loss, layer, blob })
        });
        Err(Undone::Loss(own))
    }

    pub(crate) fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What every gradient is multiplied by: the pool holds a sum over replicas.
    fn scale(&self) -> f32 {
        1.0 / self.dealing.replicas as f32
    }

    fn add_norms(&self, runs: &[ParamRange], sum: &SharedSlab) {
        if !self.solver.needs_norms() {
            return;
        }
        for run in runs {
            let values = self.shared.params.read_range(self.slots.in_slab(run));
            let gradient = sum.read_range(self.slots.in_pool(run));
            let blocks = self.slots.blocks_in(run);
            let mut sums = vec![BlockSums::default(); blocks.len()];
            block_sums(self.scale(), &values, &gradient, &mut sums);
            let mut norms = self.norms.lock().unwrap_or_else(PoisonError::into_inner);
            norms[blocks].copy_from_slice(&sums);
        }
    }

    /// Applies the rule to this worker's share.
    fn update(
        &self,
        cpu: &Cpu,
        runs: &[ParamRange],
        sum: &SharedSlab,
    ) -> Result<Option<Clipped>, Undone> {
        let step = {
            let norms = self.norms.lock().unwrap_or_else(PoisonError::into_inner);
            let norms = if self.solver.needs_norms() { &norms[..] } else { &[] };
            self.solver.step(self.iter, self.scale(), self.slots, norms)
        };
        self.apply(cpu, runs, sum, &step)?;
        Ok(step.clipped)
    }

    fn apply(
        &self,
        cpu: &Cpu,
        runs: &[ParamRange],
        sum: &SharedSlab,
        step: &UpdateStep,
    ) -> Result<(), Undone> {
        let mut guards: Vec<_> = (runs.iter())
            .map(|run| {
                let slab = self.slots.in_slab(run);
                let history: Vec<_> =
                    self.shared.history.iter().map(|history| history.write(slab.clone())).collect();
                let gradient = sum.read_range(self.slots.in_pool(run));
                (run.slot, self.shared.params.write(slab), gradient, history)
            })
            .collect();
        let pieces = (guards.iter_mut())
            .map(|(slot, values, gradient, history)| {
                let mut history = history.iter_mut().map(|history| &mut history[..]);
                let history: [_; HISTORIES_MAX] =
                    std::array::from_fn(|_| history.next().unwrap_or_default());
                UpdateSlice {
                    slot: *slot,
                    values: &mut values[..],
                    gradient: &gradient[..],
                    history,
                }
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

impl From<TrainError> for Undone {
    fn from(error: TrainError) -> Self {
        Self::Error(error)
    }
}

impl From<NoSum> for Undone {
    fn from(none: NoSum) -> Self {
        match none {
            NoSum::Failed => Self::Other,
            NoSum::Exchange(error) => Self::Exchange(error),
        }
    }
}
