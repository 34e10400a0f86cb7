//! A training job: what it owns, and one iteration of it.

use base::Clock;
use caffe_format::SolverParameter;
use net::{Net, Output};
use solver::{BlockSums, Slots, Solver};
use std::ops::Range;
use std::sync::Mutex;
use std::thread;
use tensor::{SharedSlab, Slab};

use crate::board::Board;
use crate::evaluate::TestNet;
use crate::parallel::{BatchNormState, Dealing};
use crate::run::SmoothedLoss;
use crate::stage::{Done, Stage, Undone};
use crate::times::Times;
use crate::worker::{Found, Replica, Worker};
use crate::{Config, Event, TrainError};

/// Everything needed to train. Built once by [`Job::open`]; no other state exists.
pub struct Job {
    pub(crate) config: Config,
    pub(crate) dealing: Dealing,
    /// Rates, preparation and rule.
    pub(crate) solver: Solver,
    /// Where each param and its gradient lie.
    pub(crate) slots: Slots,
    /// Runs of the pool that are summed together.
    pub(crate) buckets: Vec<Range<usize>>,
    pub(crate) shared: Shared,
    pub(crate) workers: Vec<Worker>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) tests: Vec<TestNet>,
    /// Iterations done.
    pub(crate) iter: u64,
    pub(crate) smoothed: SmoothedLoss,
}

/// What all workers see: they read it together, and each writes shares of its own.
pub(crate) struct Shared {
    /// All learned values, in net order.
    pub(crate) params: SharedSlab,
    /// What the rule remembers, each slab laid out as `params`.
    pub(crate) history: Vec<SharedSlab>,
    /// Every worker's gradients, in the order backward makes them.
    pub(crate) pools: Vec<SharedSlab>,
    /// The sum over workers; with one worker its pool is the sum.
    pub(crate) sum: Option<SharedSlab>,
}

impl Shared {
    /// Where the sum of all gradients is.
    pub(crate) fn sum(&self) -> &SharedSlab {
        self.sum.as_ref().unwrap_or(&self.pools[0])
    }
}

impl Job {
    /// Runs one iteration and returns its loss, the mean over replicas: every worker takes its replicas'
    /// batches forward and backward, sums gradients with the others on the way, and updates its share.
    pub fn step(
        &mut self,
        clock: &dyn Clock,
        events: &mut dyn FnMut(Event),
    ) -> Result<f32, TrainError> {
        let shown = self.displays().then(|| self.hash());
        let found = self.compute_and_update(clock, shown.is_some(), events)?;
        let loss = mean(found.iter().map(|found| found.loss));
        self.report(found, loss, shown, clock, events);
        self.iter += 1;
        events(Event::Stepped { done: self.iter, loss });
        Ok(loss)
    }

    /// What each replica found, in their order; the weights are updated.
    fn compute_and_update(
        &mut self,
        clock: &dyn Clock,
        shows: bool,
        events: &mut dyn FnMut(Event),
    ) -> Result<Vec<Found>, TrainError> {
        if let Some(step) = self.solver.rates.step_begins(self.iter) {
            events(Event::RateStep { iter: self.iter, step });
        }
        let board = Board::new(self.workers.len());
        let norms = Mutex::new(vec![BlockSums::default(); self.slots.blocks()]);
        let stage = Stage {
            clock,
            iter: self.iter,
            shows,
            debug: shows && self.config.solver.debug_info(),
            config: &self.config,
            solver: &self.solver,
            slots: &self.slots,
            buckets: &self.buckets,
            shared: &self.shared,
            dealing: self.dealing,
            board: &board,
            norms: &norms,
        };
        let mut replicas = &mut self.replicas[..];
        let results: Vec<_> = thread::scope(|scope| {
            let mut others = Vec::new();
            let mut first = None;
            for (index, worker) in self.workers.iter_mut().enumerate() {
                let (mine, rest) = replicas.split_at_mut(stage.dealing.of_worker(index).len());
                replicas = rest;
                let stage = &stage;
                if index == 0 {
                    first = Some((worker, mine));
                } else {
                    others.push(scope.spawn(move || stage.work(index, worker, mine)));
                }
            }
            // Worker 0 is this thread: one worker spawns none.
            let (worker, mine) = first.expect("there is at least one worker");
            let mut results = vec![stage.work(0, worker, mine)];
            let join = |other: thread::ScopedJoinHandle<'_, _>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            results.extend(others.into_iter().map(join));
            results
        });
        gather(results, self.worker_net(), self.iter, events)
    }

    /// Iterations done.
    #[must_use]
    pub fn iter(&self) -> u64 {
        self.iter
    }

    /// A hash of all parameters' bits, learned and running, in net order.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.worker_net().hash(&self.shared.params.read(), &self.running())
    }

    /// The train net with its present params, as a model file holds it.
    #[must_use]
    pub fn model(&self) -> caffe_format::NetParameter {
        self.worker_net().model(&self.shared.params.read(), &self.running())
    }

    /// The running statistics that test, snapshot and hash use: the replicas' mean by the canonical
    /// tree, or replica 0's.
    pub(crate) fn running(&self) -> Slab {
        let mut running = self.replicas[0].running.clone();
        if self.config.batch_norm == BatchNormState::Averaged && self.replicas.len() > 1 {
            let all: Vec<&[f32]> = self.replicas.iter().map(|r| &r.running[..]).collect();
            crate::reduce::tree_mean(&all, &mut running);
        }
        running
    }

    /// The solver as written.
    #[must_use]
    pub fn solver_param(&self) -> &SolverParameter {
        &self.config.solver
    }

    /// The train net.
    #[must_use]
    pub fn net(&self) -> &Net {
        self.worker_net()
    }

    /// How replicas are dealt to workers.
    #[must_use]
    pub fn dealing(&self) -> Dealing {
        self.dealing
    }

    /// Images (or other items) in the global batch of one pass, for throughput; 0 when unknown.
    #[must_use]
    pub fn items_per_iteration(&self) -> usize {
        let items = self.worker_net().batch_items();
        items * self.dealing.replicas * usize::try_from(self.config.solver.iter_size()).unwrap_or(1)
    }

    /// Where worker 0's time went so far.
    #[must_use]
    pub fn times(&self) -> Times {
        self.workers[0].times
    }

    fn worker_net(&self) -> &Net {
        &self.workers[0].net
    }

    /// Whether this iteration is one to display.
    pub(crate) fn displays(&self) -> bool {
        let interval = u64::from(self.config.solver.display().unsigned_abs());
        interval > 0 && self.iter.is_multiple_of(interval)
    }
}

/// All workers' findings in replica order, or the first worker's error that is its own.
fn gather(
    results: Vec<Result<Done, Undone>>,
    net: &Net,
    iter: u64,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<Found>, TrainError> {
    let mut all = Vec::new();
    let mut error = None;
    for (worker, result) in results.into_iter().enumerate() {
        match result {
            Ok(done) => {
                if let Some(c) = done.clipped.filter(|_| worker == 0) {
                    events(Event::Clipped { norm: c.norm, limit: c.limit, factor: c.factor });
                }
                all.extend(done.found);
            }
            Err(Undone::Error(own)) => error = error.or(Some(own)),
            Err(Undone::NotFinite(slot)) => {
                let mut slots = net.params().iter().filter(|param| param.gradient.is_some());
                let param = slots.nth(slot).expect("slots are the params with a gradient");
                let (layer, index) = (param.layer.clone(), param.index);
                error = error.or(Some(TrainError::Gradient { iter, layer, index }));
            }
            Err(Undone::Other) => {}
        }
    }
    error.map_or(Ok(all), Err)
}

/// Mean in the order given.
pub(crate) fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0_f32, 0.0_f32), |(sum, n), value| (sum + value, n + 1.0));
    sum / count
}

/// Means of outputs over replicas, in replica order.
pub(crate) fn mean_outputs(found: &mut [Found]) -> Vec<Output> {
    let Some((first, rest)) = found.split_first_mut() else { return Vec::new() };
    let mut outputs = std::mem::take(&mut first.outputs);
    for other in rest.iter() {
        for (sum, output) in outputs.iter_mut().zip(&other.outputs) {
            sum.values.iter_mut().zip(&output.values).for_each(|(sum, value)| *sum += value);
        }
    }
    let count = (rest.len() + 1) as f32;
    outputs.iter_mut().flat_map(|output| &mut output.values).for_each(|value| *value /= count);
    outputs
}
