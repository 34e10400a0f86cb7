//! A worker's arithmetic: computed by the net and the solver, or, in an
//! [emulated](crate::emulation) run, waited for.

use std::sync::Arc;
use std::time::Duration;

use base::Clock;
use kernels::Cpu;
use solver::{Clipped, ParamRange};
use tensor::SharedSlab;

use crate::emulation::{EmulatedWork, GradientValues};
use crate::step::{StepContext, StepError};
use crate::worker::Worker;

/// Who does a worker's arithmetic.
pub(crate) enum Compute {
    /// The net and the solver.
    Real,
    /// Nobody: it waits.
    Emulated(WorkPacer),
}

/// Paces a worker that does not compute: keeps the time at which all work so far would have ended,
/// and waits for it. Waiting too long once makes the next wait shorter, so errors do not add up.
pub(crate) struct WorkPacer {
    work: Arc<EmulatedWork>,
    /// This worker's part of the update.
    update: Duration,
    /// When all work so far would have ended.
    due: Duration,
    /// When the last wait ended, and the CPU time that this thread had used by then.
    left: (Duration, Duration),
}

impl Compute {
    /// Emulated if there is `work` to wait for. A worker updates `values` of all `all` params.
    pub(crate) fn new(work: Option<Arc<EmulatedWork>>, values: usize, all: usize) -> Self {
        let Some(work) = work else { return Self::Real };
        let fraction = values as f64 / all.max(1) as f64;
        let update = work.durations.update.mul_f64(fraction);
        Self::Emulated(WorkPacer { work, update, due: Duration::ZERO, left: Default::default() })
    }

    /// How long one iteration of an emulated net takes; zero for one that computes.
    pub(crate) fn total(&self) -> Duration {
        match self {
            Self::Real => Duration::ZERO,
            Self::Emulated(pacer) => pacer.work.durations.total(),
        }
    }
}

impl Worker {
    /// Waits for one layer's forward in an emulated run; whether it did. A data layer reads its
    /// batch, emulated or not.
    pub(crate) fn emulates_forward(&mut self, context: &StepContext, layer: usize) -> bool {
        let Compute::Emulated(pacer) = &mut self.compute else { return false };
        if layer == 0 {
            pacer.begin(&*context.shared.clock);
        }
        if self.net.is_data(layer) {
            return false;
        }
        pacer.add(&*context.shared.clock, pacer.work.durations.layers[layer].forward);
        pacer.wait(context);
        true
    }

    /// Waits for one layer's backward in an emulated run, and copies gradients of its params into
    /// the pool; whether it did.
    pub(crate) fn emulates_backward(
        &mut self,
        context: &StepContext,
        layer: usize,
    ) -> Result<bool, StepError> {
        let Compute::Emulated(pacer) = &mut self.compute else { return Ok(false) };
        pacer.add(&*context.shared.clock, pacer.work.durations.layers[layer].backward);
        let before = if layer + 1 < self.net.len() { self.net.ready_after(layer + 1) } else { 0 };
        let ready = before..self.net.ready_after(layer);
        if !ready.is_empty() {
            let position = before + GradientValues::shift(self.first_replica, context.iter);
            let pool = &context.shared.pools[self.index];
            pacer.work.gradients.copy(position, &mut pool.write(ready))?;
        }
        pacer.wait(context);
        Ok(true)
    }
}

impl Compute {
    /// Looks at the summed gradients of `ranges` before any weight is written. An emulated run's
    /// are finite, and the time is part of its update.
    pub(crate) fn inspect_gradients(
        &self,
        context: &StepContext,
        cpu: &Cpu,
        ranges: &[ParamRange],
        sum: &SharedSlab,
    ) {
        match self {
            Self::Real => context.inspect_gradients(cpu, ranges, sum),
            Self::Emulated(_) => {}
        }
    }

    /// The update of `ranges`.
    pub(crate) fn update(
        &mut self,
        context: &StepContext,
        cpu: &Cpu,
        ranges: &[ParamRange],
        sum: &SharedSlab,
    ) -> Option<Clipped> {
        match self {
            Self::Real => context.update(cpu, ranges, sum),
            Self::Emulated(pacer) => {
                pacer.begin(&*context.shared.clock);
                pacer.add(&*context.shared.clock, pacer.update);
                pacer.wait(context);
                None
            }
        }
    }
}

impl WorkPacer {
    /// Work begins now: what came before was a wait for others.
    fn begin(&mut self, clock: &dyn Clock) {
        self.due = clock.now();
        self.left = (self.due, clock.thread_cpu());
    }

    /// Adds work of this length, and what this thread did since the last wait: reading batches,
    /// summing. That took as long as it took, but on a slow clock at least its CPU time.
    fn add(&mut self, clock: &dyn Clock, work: Duration) {
        let between = clock.now().saturating_sub(self.left.0);
        let computed = clock.thread_cpu().saturating_sub(self.left.1);
        self.due += between.max(computed) + work;
    }

    /// Waits for the end of the work so far, which counts as progress.
    fn wait(&mut self, context: &StepContext) {
        let clock = &*context.shared.clock;
        let busy = context.shared.ranks.busy();
        clock.sleep_until(self.due);
        drop(busy);
        self.left = (clock.now(), clock.thread_cpu());
    }
}

/// How many values lie in `ranges`.
pub(crate) fn values_in(ranges: &[ParamRange]) -> usize {
    ranges.iter().map(|range| range.values.len()).sum()
}
