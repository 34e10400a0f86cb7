//! A training job: what it owns, and one iteration of it.

use base::Clock;
use caffe_format::SolverParameter;
use net::{Net, ReplicaState};
use solver::{BlockSums, ParamSlots, Solver};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tensor::{SharedSlab, Slab};

use crate::board::Board;
use crate::evaluate::TestNet;
use crate::news::News;
use crate::parallel::{BatchNormState, Dealing};
use crate::ranks::Ranks;
use crate::run::SmoothedLoss;
use crate::stage::{Done, Stage, Undone};
use crate::timeline::Spans;
use crate::times::Times;
use crate::worker::{Found, Worker};
use crate::{Config, Control, Event, NoControl, Request, TrainError};

/// Everything needed to train. Built once by [`Job::open`]; no other state exists.
pub struct Job {
    pub(crate) config: Config,
    pub(crate) ranks: Ranks,
    pub(crate) dealing: Dealing,
    /// Rates, preparation and rule.
    pub(crate) solver: Solver,
    /// Where each param and its gradient lie.
    pub(crate) slots: ParamSlots,
    /// Runs of the pool that are summed together.
    pub(crate) buckets: Vec<Range<usize>>,
    pub(crate) shared: Shared,
    pub(crate) workers: Vec<Worker>,
    /// Those of this rank.
    pub(crate) replicas: Vec<ReplicaState>,
    pub(crate) tests: Vec<TestNet>,
    /// Iterations done.
    pub(crate) iter: u64,
    pub(crate) smoothed: SmoothedLoss,
    /// What the thread that talks to other ranks did.
    pub(crate) spans: Spans,
    /// When the run began.
    pub(crate) zero: Duration,
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
        self.step_or_stop(clock, &NoControl, events).map(|(loss, _)| loss)
    }

    /// As [`step`](Self::step); also what was asked of any rank meanwhile.
    pub(crate) fn step_or_stop(
        &mut self,
        clock: &dyn Clock,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<(f32, Request), TrainError> {
        let shown = if self.displays() { Some(self.hash()?) } else { None };
        let (found, news) = self.compute_and_update(clock, control, shown.is_some(), events)?;
        let loss = news.mean_loss();
        self.report(found, &news, shown, clock, events);
        self.iter += 1;
        events(Event::Stepped { done: self.iter, loss });
        Ok((loss, news.request()))
    }

    /// What each replica of this rank found, in their order, and the news of all; the weights are
    /// updated.
    fn compute_and_update(
        &mut self,
        clock: &dyn Clock,
        control: &dyn Control,
        shows: bool,
        events: &mut dyn FnMut(Event),
    ) -> Result<(Vec<Found>, News), TrainError> {
        if let Some(step) = self.solver.rates.step_begins(self.iter) {
            events(Event::RateStep { iter: self.iter, step });
        }
        let board = Board::new(self.workers.len());
        let norms = Mutex::new(vec![BlockSums::default(); self.slots.blocks()]);
        let outputs = if shows { self.output_values() } else { 0 };
        let news = Mutex::new(News::new(self.dealing.replicas, outputs));
        let stage = Stage {
            clock,
            control,
            iter: self.iter,
            shows,
            debug: shows && self.config.solver.debug_info(),
            config: &self.config,
            solver: &self.solver,
            slots: &self.slots,
            buckets: &self.buckets,
            shared: &self.shared,
            dealing: self.dealing,
            ranks: &self.ranks,
            board: &board,
            norms: &norms,
            news: &news,
        };
        let mut replicas = &mut self.replicas[..];
        let (results, talk) = thread::scope(|scope| {
            let stage = &stage;
            let talk = self.ranks.are_several().then(|| scope.spawn(|| stage.communicate()));
            let mut others = Vec::new();
            let mut first = None;
            for (index, worker) in self.workers.iter_mut().enumerate() {
                let dealt = stage.dealing.of_worker(self.ranks.rank(), index);
                let (mine, rest) = replicas.split_at_mut(dealt.len());
                replicas = rest;
                if index == 0 {
                    first = Some((worker, mine));
                } else {
                    others.push(scope.spawn(move || stage.work(index, worker, mine)));
                }
            }
            // Worker 0 is this thread: one worker spawns none.
            let (worker, mine) = first.expect("there is at least one worker");
            let mut results = vec![stage.work(0, worker, mine)];
            results.extend(others.into_iter().map(join));
            (results, talk.map(join).transpose())
        });
        let all = gather(results, &self.workers[0].net, self.iter, events)?;
        match talk {
            Ok(talk) => self.spans.extend(talk.map_or_else(Vec::new, |talk| talk.spans)),
            Err(undone) => return Err(error_of(undone, &self.workers[0].net, self.iter)),
        }
        Ok((all, news.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Values of all outputs of the train net.
    fn output_values(&self) -> usize {
        let Worker { net, cpu, .. } = &self.workers[0];
        net.outputs(cpu).iter().map(|output| output.values.len()).sum()
    }

    /// Iterations done.
    #[must_use]
    pub fn iter(&self) -> u64 {
        self.iter
    }

    /// A hash of all parameters' bits, learned and running, in net order. All ranks ask together.
    pub fn hash(&self) -> Result<u64, TrainError> {
        Ok(self.worker_net().hash(&self.shared.params.read(), &self.running()?))
    }

    /// The train net with its present params, as a model file holds it. All ranks ask together.
    pub fn model(&self) -> Result<caffe_format::NetParameter, TrainError> {
        Ok(self.worker_net().model(&self.shared.params.read(), &self.running()?))
    }

    /// The running statistics that test, snapshot and hash use: the replicas' mean by the canonical
    /// tree, or replica 0's.
    pub(crate) fn running(&self) -> Result<Slab, TrainError> {
        let mut running = self.replicas[0].running.clone();
        if running.is_empty() || self.dealing.replicas == 1 {
            return Ok(running);
        }
        if self.config.batch_norm == BatchNormState::Replica0 {
            self.ranks.broadcast(&mut running)?;
            return Ok(running);
        }
        let own: Vec<&[f32]> = self.replicas.iter().map(|r| &r.running[..]).collect();
        crate::reduce::tree_total(&own, &mut running);
        self.ranks.sum(&mut running)?;
        let scale = 1.0 / self.dealing.replicas as f32;
        running.iter_mut().for_each(|value| *value *= scale);
        Ok(running)
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
        self.workers[0].ledger.times
    }

    /// Which process of the job this is.
    #[must_use]
    pub fn rank(&self) -> base::Rank {
        self.ranks.rank()
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

/// What a worker's thread brings back; its panic goes on here.
pub(crate) fn join<T>(other: thread::ScopedJoinHandle<'_, T>) -> T {
    other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// All workers' findings in replica order, or the error that explains why there are none: a worker's
/// own before one that others have caused.
fn gather(
    results: Vec<Result<Done, Undone>>,
    net: &Net,
    iter: u64,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<Found>, TrainError> {
    let mut all = Vec::new();
    let mut undone = Vec::new();
    for (worker, result) in results.into_iter().enumerate() {
        match result {
            Ok(done) => {
                if let Some(c) = done.clipped.filter(|_| worker == 0) {
                    events(Event::Clipped { norm: c.norm, limit: c.limit, factor: c.factor });
                }
                all.extend(done.found);
            }
            Err(why) => undone.push(why),
        }
    }
    let weight = |undone: &Undone| match undone {
        Undone::Error(_) | Undone::NotFinite(_) | Undone::Loss(Some(_)) => 0,
        Undone::Loss(None) => 1,
        Undone::Exchange(_) => 2,
        Undone::Other => 3,
    };
    let first = undone.into_iter().min_by_key(weight);
    first.map_or(Ok(all), |undone| Err(error_of(undone, net, iter)))
}

fn error_of(undone: Undone, net: &Net, iter: u64) -> TrainError {
    match undone {
        Undone::Error(own) | Undone::Loss(Some(own)) => own,
        Undone::Loss(None) => TrainError::LossElsewhere { iter },
        Undone::NotFinite(slot) => {
            let mut slots = net.params().iter().filter(|param| param.gradient.is_some());
            let param = slots.nth(slot).expect("slots are the params with a gradient");
            TrainError::Gradient { iter, layer: param.layer.clone(), index: param.index }
        }
        Undone::Exchange(error) => error.into(),
        Undone::Other => TrainError::OtherWorker { iter },
    }
}
