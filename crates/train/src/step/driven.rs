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

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use caffe_format::SolverParameter;
use solver::{Clipped, Solver};

use super::{DivergenceRemedy, NotFiniteBlob, ReplicaOutput, StepContext, StepError, StepOutput};
use crate::restore::restore_from;
use crate::worker::Worker;
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

    /// Whether this is an iteration to test before.
    #[must_use]
    pub fn tests_are_due(&self) -> bool {
        let first = self.iter == 0 && !self.solver_param().test_initialization();
        !self.tests.is_empty() && self.tests_now() && !first
    }

    /// Tests, if this is an iteration to do so before; `false` if a request interrupted it.
    pub fn test_if_due(
        &mut self,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<bool, TrainError> {
        if self.tests_are_due() { self.test_all(control, events) } else { Ok(true) }
    }

    /// Writes a snapshot, if this is an iteration to do so after.
    pub fn snapshot_if_due(&mut self, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        if self.snapshots_now() { self.snapshot_driven(events) } else { Ok(()) }
    }

    /// Writes a snapshot of a job whose passes a program runs.
    pub fn snapshot_driven(&mut self, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        self.with_replica_parked(|job| job.snapshot(events))
    }

    /// What [`Job::run`] does after the last iteration, for such a job.
    pub fn finish_driven(
        &mut self,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        self.with_replica_parked(|job| job.finish(false, control, events))
    }

    /// Sets such a job to a snapshot.
    pub fn restore_driven(
        &mut self,
        state: &Path,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        self.with_replica_parked(|job| restore_from(job, state, events))
    }

    /// Sets the learning rate that the policy starts from.
    ///
    /// # Panics
    ///
    /// If an iteration is under way.
    pub fn set_base_lr(&mut self, rate: f32) -> Result<(), TrainError> {
        let solver = SolverParameter { base_lr: Some(rate), ..self.solver_param().clone() };
        let lowered = Solver::lower(&solver)?;
        let shared = Arc::get_mut(&mut self.shared).expect("no step is running");
        (shared.config.solver, shared.solver) = (solver, lowered);
        Ok(())
    }

    /// The learning rate of the next iteration.
    #[must_use]
    pub fn rate(&self) -> f32 {
        self.shared.solver.rates.at(self.iter)
    }

    /// Between a program's passes the net holds what layers carry from batch to batch; the rest of
    /// this crate looks for it in the replica.
    fn with_replica_parked<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let Worker { net, replicas, .. } = &mut self.workers[0];
        net.end_replica(&mut replicas[0]);
        let result = run(self);
        let Worker { net, replicas, .. } = &mut self.workers[0];
        net.begin_replica(&mut replicas[0]);
        result
    }
}
