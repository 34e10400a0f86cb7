//! Who takes part in a step, each on a thread of its own: the workers and the communicator.

use std::sync::Arc;

use super::{StepContext, StepError, StepOutput};
use crate::Job;
use crate::sync::Communicator;
use crate::worker::Worker;

/// A member of a step, lent to its thread.
#[expect(clippy::large_enum_variant, reason = "one per worker, moved twice per step")]
pub(super) enum StepMember {
    Worker(Worker),
    Communicator(Communicator),
}

/// A member, given back with what its part of the step gave.
pub(super) type MemberResult = (StepMember, Result<StepOutput, StepError>);

/// Runs a member's part of a step.
pub(super) type MemberTask = Box<dyn FnOnce() -> MemberResult + Send>;

impl StepMember {
    /// Runs this member's part. When it fails or panics, whoever waits for it is told.
    fn run(&mut self, context: &StepContext) -> Result<StepOutput, StepError> {
        let guard = context.sync.fail_on_panic();
        let result = match self {
            Self::Worker(worker) => worker.step(context),
            Self::Communicator(communicator) => communicator.step(context),
        };
        if let Err(error) = &result {
            context.fail(error);
        }
        drop(guard);
        result
    }

    /// What its thread does.
    fn into_task(mut self, context: Arc<StepContext>) -> MemberTask {
        Box::new(move || {
            let result = self.run(&context);
            (self, result)
        })
    }
}

impl Job {
    /// The parts of all workers, worker 0 first, then that of the communicator if there are other
    /// ranks.
    pub(super) fn lend_members(&mut self, context: &Arc<StepContext>) -> Vec<MemberTask> {
        let workers = self.workers.drain(..).map(StepMember::Worker);
        let members = workers.chain(self.communicator.take().map(StepMember::Communicator));
        members.map(|member| member.into_task(Arc::clone(context))).collect()
    }

    /// Takes back what [`lend_members`](Self::lend_members) gave; their results.
    pub(super) fn take_back(
        &mut self,
        members: Vec<MemberResult>,
    ) -> Vec<Result<StepOutput, StepError>> {
        let mut results = Vec::with_capacity(members.len());
        for (member, result) in members {
            results.push(result);
            match member {
                StepMember::Worker(worker) => self.workers.push(worker),
                StepMember::Communicator(communicator) => self.communicator = Some(communicator),
            }
        }
        results
    }
}
