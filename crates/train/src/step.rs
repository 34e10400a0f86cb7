//! One iteration. This file is the map of the program: what a worker does, in order.
//!
//! ```text
//!   Job::step ── lends ──▶ Worker::step, on every worker's own thread
//!                            for each of its replicas
//!                              next batch, forward        (a data layer is a layer)
//!                              backward, last layer first
//!                                ready range ──▶ Reducer::submit: sums between workers
//!                            Reducer::finish: waits for workers and, by the communicator, ranks
//!                            norms, barrier, update of the worker's own chunks where it applies;
//!                              no worker writes a weight before all have seen that losses and
//!                              gradients are finite
//! ```
//!
//! One [`StepContext`] goes in, one [`StepOutput`] comes out, one [`StepError`] reports failure.
//! How workers, the communicator and other ranks wait for each other is stated in
//! [`sync`](crate::sync). Whether a layer is computed, or waited for in an emulated run, is decided
//! in [`compute`](crate::compute).

mod context;
mod driven;
mod error;
mod member;
mod output;
mod scale;
mod update;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use net::DebugValue;

pub(crate) use context::{SharedState, StepContext};
pub use driven::DrivenStep;
pub use error::{DivergenceRemedy, StepError};
use output::NotFiniteBlob;
pub use output::{ReplicaOutput, StepOutput};
pub(crate) use scale::GradientScale;

use crate::sync::Reducer;
use crate::timeline::Activity;
use crate::worker::Worker;
use crate::{Control, Event, Job, Overlap, TrainError};

impl Job {
    /// Runs one iteration: every worker takes its replicas' batches forward and backward, sums
    /// gradients with all others on the way, and updates its chunks of the parameters. What
    /// `control` asks for is in the output, the same on all ranks. An iteration that fails ends the
    /// job: later ones return [`StepError::Ended`].
    pub fn step(
        &mut self,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<StepOutput, TrainError> {
        if std::mem::replace(&mut self.ended, true) {
            return Err(StepError::Ended.into());
        }
        let hash = self.report_begin(events)?;
        let context = Arc::new(self.step_context(control.request()));
        let mut tasks = self.lend_members(&context).into_iter();
        let first = tasks.next().expect("there is at least one worker");
        let results = self.threads.run(first, tasks.collect()); // on every member's own thread
        let output = StepOutput::merge(self.take_back(results), &context.sync)?;
        self.ended = false;
        self.adapt_scale(&output, events);
        self.report(&context, &output, hash, events)?;
        self.iter += 1;
        events(Event::Stepped { done: self.iter, loss: output.loss });
        Ok(output)
    }
}

impl Worker {
    /// This worker's part of one iteration.
    fn step(&mut self, context: &StepContext) -> Result<StepOutput, StepError> {
        self.times.begin_iteration();
        let reduction = self.reduction.take().expect("a step that fails ends the job");
        let mut reducer = Reducer::new(context, self.index, reduction);
        let mut output = StepOutput::default();
        for index in 0..self.replicas.len() {
            output.replicas.push(self.run_replica(context, index, &mut reducer)?);
        }
        context.sync.submit_summary(self.first_replica, &output.replicas, context.request);

        let mut begin = context.now();
        reducer.finish(&self.cpu)?; // every gradient of our chunks is now the sum over all replicas
        begin = self.times.add(Activity::ExposedCommunication, begin, context.now());
        let ranges = context.applied_ranges(&self.param_ranges, reducer.applied());
        self.compute.inspect_gradients(context, &self.cpu, &ranges, reducer.sum());
        begin = self.times.add(Activity::Norms, begin, context.now());
        context.sync.barrier()?; // from here on nobody reads params, and all norms and losses are in
        begin = self.times.add(Activity::Barrier, begin, context.now());
        output.skipped = !self.may_update(context, &output.replicas)?;
        if !output.skipped {
            output.clipped = self.compute.update(context, &self.cpu, &ranges, reducer.sum());
        }
        self.times.add(Activity::Update, begin, context.now());
        output.traffic = reducer.traffic();
        let (reduction, local_sums) = reducer.into_parts();
        for (index, time) in local_sums.iter().enumerate() {
            let compressed = reduction.sums.compresses(index).then_some(index);
            let activity = compressed.map_or(Activity::LocalSum(index), Activity::CompressedBucket);
            self.times.add(activity, time.start, time.end);
        }
        (self.reduction, output.local_sums) = (Some(reduction), local_sums);
        Ok(output)
    }

    /// One replica: `iter_size` batches forward and backward. During the last backward of the
    /// worker's last replica every range of the pool that becomes ready is handed to the reducer.
    fn run_replica(
        &mut self,
        context: &StepContext,
        index: usize,
        reducer: &mut Reducer<'_>,
    ) -> Result<ReplicaOutput, StepError> {
        let mut output = ReplicaOutput::default();
        let passes = context.shared.config.solver.iter_size();
        let mut debug = (context.debug && self.first_replica + index == 0).then(Vec::new);
        let last_replica = index + 1 == self.replicas.len();
        self.net.clear_gradients();
        self.net.begin_replica(&mut self.replicas[index]);
        for pass in 0..passes {
            output.loss += self.forward(context, index, debug.as_mut())?;
            let submits = last_replica && pass + 1 == passes;
            self.backward(context, submits.then_some(&mut *reducer), debug.as_mut())?;
        }
        self.net.end_replica(&mut self.replicas[index]);
        output.loss /= passes as f32;
        if !output.loss.is_finite() {
            let (layer, blob) = self.net.first_not_finite().unwrap_or(("?", "?"));
            let (layer, blob) = (layer.to_owned(), blob.to_owned());
            let remedy = DivergenceRemedy::new(&self.net, Some(&self.replicas[index]));
            output.not_finite = Some(NotFiniteBlob { layer, blob, remedy });
        }
        if context.displays {
            output.outputs = self.net.outputs(&self.cpu);
        }
        output.debug = debug.unwrap_or_default();
        if !last_replica {
            reducer.add_replica(); // its gradient makes room for the next replica's
        }
        Ok(output)
    }

    /// The next batch through all layers; its loss.
    pub(crate) fn forward(
        &mut self,
        context: &StepContext,
        index: usize,
        mut debug: Option<&mut Vec<DebugValue>>,
    ) -> Result<f32, StepError> {
        let params = context.shared.computed_params().read();
        let mut loss = 0.0;
        for layer in 0..self.net.len() {
            let begin = context.now();
            if !self.emulates_forward(context, layer) {
                let replica = &mut self.replicas[index];
                loss += self.net.forward_layer(layer, &self.cpu, &params, replica)?;
            }
            let is_data = self.net.is_data(layer);
            let activity = if is_data { Activity::Data(layer) } else { Activity::Forward(layer) };
            self.times.add(activity, begin, context.now());
            context.shared.ranks.report_progress();
            if let Some(debug) = &mut debug {
                debug.append(&mut self.net.forward_debug(layer, &params, &self.replicas[index]));
            }
        }
        Ok(loss)
    }

    /// Backward, last layer first.
    fn backward(
        &mut self,
        context: &StepContext,
        mut reducer: Option<&mut Reducer<'_>>,
        mut debug: Option<&mut Vec<DebugValue>>,
    ) -> Result<(), StepError> {
        let params = context.shared.computed_params().read();
        let pool = &context.shared.pools[self.index];
        // Debug values are of the whole pool as backward left it, so nothing may be summed before
        // the end.
        let overlaps = context.shared.config.overlap == Overlap::DuringBackward && debug.is_none();
        let mut begin = context.now();
        for layer in (0..self.net.len()).rev() {
            if !self.emulates_backward(context, layer)? {
                self.net.backward_layer(layer, &self.cpu, &params, pool, context.loss_scale())?;
            }
            context.shared.ranks.report_progress();
            if let Some(debug) = &mut debug {
                debug.append(&mut self.net.backward_debug(layer, &pool.read()));
            }
            if let Some(reducer) = reducer.as_deref_mut().filter(|_| overlaps) {
                reducer.submit(&self.cpu, self.net.ready_after(layer))?;
            }
            let end = context.now();
            self.times.add(Activity::Backward(layer), begin, end);
            begin = end;
        }
        if let Some(debug) = debug {
            debug.push(self.net.backward_totals(&params, &pool.read()));
        }
        match reducer {
            Some(reducer) => reducer.submit(&self.cpu, pool.len()),
            None => Ok(()),
        }
    }

    /// A loss or a gradient that is not finite forbids the update to all, and ends the job unless a
    /// smaller scale of gradients may help. The worker that ran the first such replica says where
    /// its loss began; the others only that it was elsewhere.
    fn may_update(
        &self,
        context: &StepContext,
        replicas: &[ReplicaOutput],
    ) -> Result<bool, StepError> {
        if let Some(bad) = context.sync.summary().first_bad_loss() {
            let own = bad.checked_sub(self.first_replica).and_then(|index| replicas.get(index));
            return Err(StepError::loss(context.iter, own));
        }
        match context.sync.not_finite() {
            None => Ok(true),
            Some(_) if context.scale.is_some_and(GradientScale::can_skip) => Ok(false),
            Some(found) => {
                let replica = self.replicas.first();
                Err(StepError::gradient(context.iter, &self.net, found, replica))
            }
        }
    }
}
