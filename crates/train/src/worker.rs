//! What runs replicas: a group of threads with its own activations, scratch and pool.

use kernels::Cpu;
use net::{Net, ReplicaState};
use solver::ParamRange;

use crate::compute::Compute;
use crate::step::{StepContext, StepError};
use crate::sync::WorkerReduction;
use crate::times::TimeRecorder;

/// A worker. What it does in an iteration is in [`step`](crate::step).
pub(crate) struct Worker {
    /// Its number in this process; its pool is `pools[index]`.
    pub(crate) index: usize,
    /// Number of its first replica, counted over all ranks.
    pub(crate) first_replica: usize,
    pub(crate) cpu: Cpu,
    /// The train net with this worker's activations.
    pub(crate) net: Net,
    /// Whether layers and the update are computed, or waited for.
    pub(crate) compute: Compute,
    /// Run one after another.
    pub(crate) replicas: Vec<ReplicaState>,
    /// The parameters whose gradients lie in its chunks of the buckets.
    pub(crate) param_ranges: Vec<ParamRange>,
    /// Out of the worker during a step, and lost when the step fails.
    pub(crate) reduction: Option<WorkerReduction>,
    pub(crate) times: TimeRecorder,
}

impl Worker {
    /// One batch of replica `index` through the net, without backward; its loss.
    pub(crate) fn forward_replica(
        &mut self,
        context: &StepContext,
        index: usize,
    ) -> Result<f32, StepError> {
        self.net.begin_replica(&mut self.replicas[index]);
        let loss = self.forward(context, index, None)?;
        self.net.end_replica(&mut self.replicas[index]);
        Ok(loss)
    }
}
