//! Who takes part in a step on a thread of its own: a worker, or the communicator.

use std::sync::Arc;

use super::{StepContext, StepError, StepOutput};
use crate::NoControl;
use crate::sync::Communicator;
use crate::worker::Worker;

/// A member of a step, lent to its thread.
pub(super) enum StepMember {
    Worker(Worker),
    Communicator(Communicator),
}

/// Runs a member's part of a step and gives the member back with its result.
pub(super) type MemberTask =
    Box<dyn FnOnce() -> (StepMember, Result<StepOutput, StepError>) + Send>;

impl StepMember {
    pub(super) fn task(mut self, context: &Arc<StepContext>) -> MemberTask {
        let context = Arc::clone(context);
        Box::new(move || {
            let result = match &mut self {
                Self::Worker(worker) => worker.step(&context, &NoControl),
                Self::Communicator(communicator) => communicator.step(&context),
            };
            (self, result)
        })
    }
}
