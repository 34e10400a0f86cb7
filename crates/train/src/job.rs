//! A training job: what it owns, and one iteration of it.

use base::Clock;
use base::random::Mt19937;
use caffe_format::SolverParameter;
use kernels::Cpu;
use layers::Feed;
use net::{Net, Pass};
use solver::{BlockSums, Slots, Solver, block_sums};
use tensor::Slab;

use crate::evaluate::TestNet;
use crate::run::SmoothedLoss;
use crate::times::Times;
use crate::{Config, Event, TrainError};

/// Everything needed to train. Built once by [`Job::open`]; no other state exists.
pub struct Job {
    pub(crate) config: Config,
    /// Rates, preparation and rule.
    pub(crate) solver: Solver,
    /// All learned values, in net order.
    pub(crate) params: Slab,
    /// What the rule remembers, each slab laid out as `params`.
    pub(crate) history: Vec<Slab>,
    /// Where each param and its gradient lie.
    pub(crate) slots: Slots,
    /// What computes.
    pub(crate) worker: Worker,
    /// What the batch, the random numbers and the running statistics come from.
    pub(crate) replica: Replica,
    pub(crate) tests: Vec<TestNet>,
    /// Iterations done.
    pub(crate) iter: u64,
    pub(crate) times: Times,
    pub(crate) smoothed: SmoothedLoss,
}

/// What runs replicas: threads, activations, gradients.
pub(crate) struct Worker {
    pub(crate) cpu: Cpu,
    pub(crate) net: Net,
    /// All gradients, in the order backward makes them.
    pub(crate) pool: Slab,
}

/// One logical copy of the training step: its own data position, random stream and statistics.
pub(crate) struct Replica {
    pub(crate) rng: Mt19937,
    pub(crate) running: Slab,
    pub(crate) feeds: Vec<Box<dyn Feed>>,
}

/// What one iteration found, before its update.
pub(crate) struct Computed {
    /// Mean loss over `iter_size` passes.
    pub(crate) loss: f32,
}

impl Job {
    /// Runs one iteration and returns its loss: data, forward, backward, update. `events` hears of it in
    /// between when it is an iteration to display.
    pub fn step(
        &mut self,
        clock: &dyn Clock,
        events: &mut dyn FnMut(Event),
    ) -> Result<f32, TrainError> {
        let Computed { loss } = self.compute(clock, events)?;
        self.display(loss, clock, events);
        self.update(clock, events)?;
        self.iter += 1;
        events(Event::Stepped { done: self.iter, loss });
        Ok(loss)
    }

    /// Gradients of `iter_size` batches, added up in the pool.
    fn compute(
        &mut self,
        clock: &dyn Clock,
        events: &mut dyn FnMut(Event),
    ) -> Result<Computed, TrainError> {
        let passes = self.solver_param().iter_size();
        let mut loss = 0.0;
        self.worker.net.clear_gradients();
        for _ in 0..passes {
            loss += self.forward(clock, events)?;
            self.backward(clock, events)?;
        }
        let loss = loss / passes as f32;
        if loss.is_finite() {
            return Ok(Computed { loss });
        }
        let (layer, blob) = self.worker.net.first_not_finite().unwrap_or(("?", "?"));
        let (layer, blob) = (layer.to_owned(), blob.to_owned());
        Err(TrainError::Loss { iter: self.iter, loss, layer, blob })
    }

    /// One batch through the net; its loss.
    pub(crate) fn forward(
        &mut self,
        clock: &dyn Clock,
        events: &mut dyn FnMut(Event),
    ) -> Result<f32, TrainError> {
        let debug = self.shows_debug_info();
        let Self { worker: Worker { cpu, net, .. }, replica, params, times, .. } = self;
        let mut pass = Pass {
            cpu,
            params,
            running: &mut replica.running,
            rng: &mut replica.rng,
            feeds: &mut replica.feeds,
        };
        let mut loss = 0.0;
        for layer in 0..net.len() {
            let begin = clock.now();
            loss += net.forward_layer(layer, &mut pass)?;
            times.forward(net.is_data(layer), clock.now().saturating_sub(begin));
            if debug {
                net.forward_debug(layer, &pass).into_iter().for_each(|l| events(Event::Debug(l)));
            }
        }
        for notice in replica.feeds.iter_mut().flat_map(|feed| feed.notices()) {
            events(Event::Note { source: "data_layer.cpp", text: notice });
        }
        Ok(loss)
    }

    fn backward(
        &mut self,
        clock: &dyn Clock,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let debug = self.shows_debug_info();
        let begin = clock.now();
        let Worker { cpu, net, pool } = &mut self.worker;
        for layer in (0..net.len()).rev() {
            net.backward_layer(layer, cpu, &self.params, pool)?;
            if debug {
                net.backward_debug(layer, pool).into_iter().for_each(|l| events(Event::Debug(l)));
            }
        }
        if debug {
            events(Event::Debug(net.backward_totals(&self.params, pool)));
        }
        self.times.backward += clock.now().saturating_sub(begin);
        Ok(())
    }

    /// Clips, normalises, decays and applies the rule.
    fn update(
        &mut self,
        clock: &dyn Clock,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let begin = clock.now();
        if let Some(step) = self.solver.rates.step_begins(self.iter) {
            events(Event::RateStep { iter: self.iter, step });
        }
        let runs = self.slots.all();
        let mut sums = Vec::new();
        if self.solver.needs_norms() {
            sums = vec![BlockSums::default(); self.slots.blocks()];
            for run in &runs {
                let values = &self.params[self.slots.in_slab(run)];
                let gradient = &self.worker.pool[self.slots.in_pool(run)];
                block_sums(1.0, values, gradient, &mut sums[self.slots.blocks_in(run)]);
            }
        }
        let step = self.solver.step(self.iter, 1.0, &self.slots, &sums);
        if let Some(c) = &step.clipped {
            events(Event::Clipped { norm: c.norm, limit: c.limit, factor: c.factor });
        }
        let mut history = self.history.iter_mut().map(|slab| &mut slab[..]);
        let history = std::array::from_fn(|_| history.next().unwrap_or_default());
        let (params, pool) = (&mut self.params, &self.worker.pool);
        let pieces = solver::pieces(&self.slots, &runs, params, pool, history);
        let result = self.solver.update(&self.worker.cpu, &step, pieces);
        self.times.update += clock.now().saturating_sub(begin);
        result.map_err(|bad| {
            let params = self.worker.net.params();
            let param = params.iter().filter(|p| p.gradient.is_some()).nth(bad.slot);
            let (layer, index) =
                param.map_or_else(Default::default, |p| (p.layer.clone(), p.index));
            TrainError::Gradient { iter: self.iter, layer, index }
        })
    }

    /// Iterations done.
    #[must_use]
    pub fn iter(&self) -> u64 {
        self.iter
    }

    /// A hash of all parameters' bits, learned and running, in net order.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.worker.net.hash(&self.params, &self.replica.running)
    }

    /// The train net with its present params, as a model file holds it.
    #[must_use]
    pub fn model(&self) -> caffe_format::NetParameter {
        self.worker.net.model(&self.params, &self.replica.running)
    }

    /// The solver as written.
    #[must_use]
    pub fn solver_param(&self) -> &SolverParameter {
        &self.config.solver
    }

    /// The train net.
    #[must_use]
    pub fn net(&self) -> &Net {
        &self.worker.net
    }

    /// Whether this iteration is one to display.
    pub(crate) fn displays(&self) -> bool {
        let interval = u64::from(self.config.solver.display().unsigned_abs());
        interval > 0 && self.iter.is_multiple_of(interval)
    }

    fn shows_debug_info(&self) -> bool {
        self.config.solver.debug_info() && self.displays()
    }
}
