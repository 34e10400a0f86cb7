//! Iterations whose passes a program runs itself, layer by layer, on the net that
//! [`Job::lend_train_net`] lends: for programs that look into the net between layers. They have the
//! bits of [`Job::step`].
//!
//! ```text
//!   begin_driven ─ forward and backward, iter_size times ─ end_driven: update, display
//! ```
//!
//! Such a job has one worker, one replica and one rank, and [keeps its
//! diffs](crate::JobConfig::keep_diffs).

use std::time::Duration;

use solver::Clipped;

use super::{DivergenceRemedy, NotFiniteBlob, ReplicaOutput, StepContext, StepError, StepOutput};
use crate::{Control, Event, Job, Request, TrainError};

/// An iteration that has begun.
#[must_use = "an iteration ends with `Job::end_driven`"]
pub struct DrivenStep {
    /// Of the weights, if it is one to display.
    hash: Option<u64>,
}

impl Job {
    /// Begins an iteration: forgets gradients.
    pub fn begin_driven(
        &mut self,
        events: &mut dyn FnMut(Event),
    ) -> Result<DrivenStep, TrainError> {
        let hash = self.report_begin(events)?;
        self.workers[0].net.clear_gradients();
        Ok(DrivenStep { hash })
    }

    /// Ends an iteration whose passes had this mean loss: updates the weights and reports it.
    pub fn end_driven(
        &mut self,
        step: DrivenStep,
        loss: f32,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let context = self.step_context(Request::None);
        let worker = &self.workers[0];
        let mut replica = ReplicaOutput { loss, ..ReplicaOutput::default() };
        if !loss.is_finite() {
            let (layer, blob) = worker.net.first_not_finite().unwrap_or(("?", "?"));
            let (layer, blob) = (layer.to_owned(), blob.to_owned());
            let remedy = DivergenceRemedy::new(&worker.net, worker.replicas.first());
            replica.not_finite = Some(NotFiniteBlob { layer, blob, remedy });
            return Err(StepError::loss(context.iter, Some(&replica)).into());
        }
        if context.displays {
            replica.outputs = worker.net.outputs(&worker.cpu);
        }
        let replicas = vec![replica];
        context.sync.submit_summary(0, &replicas, Request::None);
        let clipped = self.update_from_pool(&context)?;
        let local_sums = vec![Duration::ZERO..Duration::ZERO; self.shared.buckets.len()];
        let output = StepOutput { loss, replicas, clipped, local_sums, ..StepOutput::default() };
        self.report(&context, &output, step.hash, events)?;
        self.iter += 1;
        events(Event::Stepped { done: self.iter, loss });
        Ok(())
    }

    /// Applies what the pool holds to the weights, as one iteration does, without counting one.
    pub fn apply_update(&mut self) -> Result<(), TrainError> {
        self.update_from_pool(&self.step_context(Request::None))?;
        Ok(())
    }

    fn update_from_pool(&self, context: &StepContext) -> Result<Option<Clipped>, StepError> {
        let (worker, pool) = (&self.workers[0], &context.shared.pools[0]);
        context.inspect_gradients(&worker.cpu, &worker.param_ranges, pool);
        if let Some(found) = context.sync.not_finite() {
            let replica = worker.replicas.first();
            return Err(StepError::gradient(context.iter, &worker.net, found, replica));
        }
        Ok(context.update(&worker.cpu, &worker.param_ranges, pool))
    }

    /// Tests, if this is an iteration to do so before; `false` if a request interrupted it.
    pub fn test_if_due(
        &mut self,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<bool, TrainError> {
        let first = self.iter == 0 && !self.solver_param().test_initialization();
        if self.tests_now() && !first { self.test_all(control, events) } else { Ok(true) }
    }

    /// Writes a snapshot, if this is an iteration to do so after.
    pub fn snapshot_if_due(&mut self, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        if self.snapshots_now() { self.snapshot(events) } else { Ok(()) }
    }
}
