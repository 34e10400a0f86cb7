//! A training job: what it owns. One iteration of it is in [`step`](crate::step), the loop in
//! `run`.

use std::sync::Arc;
use std::time::Duration;

use caffe_format::SolverParameter;
use exchange::canonical::tree_sum;
use exchange::wire;
use net::{Net, ReplicaState};
use tensor::{SharedSlab, Slab, SlabReadGuard};

use crate::compression::CompressionDecision;
use crate::evaluate::TestNet;
use crate::pace::DataPace;
use crate::run::SmoothedLoss;
use crate::step::{GradientScale, SharedState};
use crate::stragglers::StragglerWatch;
use crate::sync::Communicator;
use crate::threads::WorkerThreads;
use crate::worker::Worker;
use crate::{BatchNormState, PhaseTimes, TrainError};

/// Everything needed to train. Built once by [`Job::open`]; no other state exists.
pub struct Job {
    /// Shared with the workers' threads during a step, and with nobody between steps.
    pub(crate) shared: Arc<SharedState>,
    /// Those of this rank. A step lends each to its thread.
    pub(crate) workers: Vec<Worker>,
    /// Speaks to other ranks during a step; `None` when there are none.
    pub(crate) communicator: Option<Communicator>,
    /// Where the workers and the communicator run.
    pub(crate) threads: WorkerThreads,
    pub(crate) tests: Vec<TestNet>,
    /// Iterations done.
    pub(crate) iter: u64,
    /// Tells its snapshots from those of other runs: see [`run_id`](crate::run_id).
    pub(crate) run_id: u64,
    /// What gradients are multiplied by on their way; `None` if they need no scale.
    pub(crate) scale: Option<GradientScale>,
    /// Where compressing pays; `None` if nobody asked.
    pub(crate) decision: Option<CompressionDecision>,
    /// An iteration failed, or is under way.
    pub(crate) ended: bool,
    pub(crate) smoothed: SmoothedLoss,
    /// When the run began, by the clock: the zero of its timeline.
    pub(crate) started: Duration,
    /// The pool of nets that learn nothing.
    pub(crate) no_gradients: Arc<SharedSlab>,
    /// How many threads prepare data.
    pub(crate) data_pace: DataPace,
    pub(crate) stragglers: StragglerWatch,
}

impl Job {
    /// Iterations done.
    #[must_use]
    pub fn iter(&self) -> u64 {
        self.iter
    }

    /// A hash of all parameters' bits, learned and running, in net order. A collective: all ranks
    /// call it.
    ///
    /// # Panics
    ///
    /// If the run is emulated, so that there are none.
    pub fn hash(&self) -> Result<u64, TrainError> {
        Ok(self.net().hash(&self.shared.params.read(), &self.running()?))
    }

    /// The train net with its present parameters, as a model file holds it. A collective: all ranks
    /// call it.
    ///
    /// # Panics
    ///
    /// If the run is emulated, so that there are no parameters.
    pub fn model(&self) -> Result<caffe_format::NetParameter, TrainError> {
        Ok(self.net().model(&self.shared.params.read(), &self.running()?))
    }

    /// The running statistics that test, snapshot and hash use: the mean over replicas by the
    /// canonical tree, or those of replica 0.
    pub(crate) fn running(&self) -> Result<Slab, TrainError> {
        let mut running = self.first_replica().running.clone();
        let replicas = self.shared.placement.replicas;
        if running.is_empty() || replicas == 1 {
            return Ok(running);
        }
        if self.shared.config.batch_norm == BatchNormState::Replica0 {
            self.shared.ranks.broadcast(&mut running)?;
            return Ok(running);
        }
        let own: Vec<&[f32]> = self.replicas().map(|replica| &replica.running[..]).collect();
        tree_sum(wire::F32, &own, 0, &mut running);
        self.shared.ranks.sum(&mut running)?;
        let scale = 1.0 / replicas as f32;
        running.iter_mut().for_each(|value| *value *= scale);
        Ok(running)
    }

    /// The gradients that the last iteration summed over this rank's workers, and over ranks, in
    /// the order of the pool.
    #[must_use]
    pub fn gradients(&self) -> SlabReadGuard<'_> {
        self.shared.sum.as_ref().unwrap_or(&self.shared.pools[0]).read()
    }

    /// The solver as written.
    #[must_use]
    pub fn solver_param(&self) -> &SolverParameter {
        &self.shared.config.solver
    }

    /// The train net.
    #[must_use]
    pub fn net(&self) -> &Net {
        &self.workers[0].net
    }

    /// Images (or other items) of one iteration, over all replicas; 0 when unknown.
    #[must_use]
    pub fn items_per_iteration(&self) -> usize {
        let batches = usize::try_from(self.solver_param().iter_size()).unwrap_or(1);
        self.net().batch_items() * self.shared.placement.replicas * batches
    }

    /// What worker 0 spent its time on so far.
    #[must_use]
    pub fn times(&self) -> PhaseTimes {
        self.workers[0].times.times
    }

    /// Which process of the job this is.
    pub(crate) fn rank(&self) -> base::Rank {
        self.shared.ranks.rank()
    }

    /// The replicas of this rank, in their order.
    pub(crate) fn replicas(&self) -> impl Iterator<Item = &ReplicaState> {
        self.workers.iter().flat_map(|worker| &worker.replicas)
    }

    pub(crate) fn replicas_mut(&mut self) -> impl Iterator<Item = &mut ReplicaState> {
        self.workers.iter_mut().flat_map(|worker| &mut worker.replicas)
    }

    /// The first replica of this rank.
    pub(crate) fn first_replica(&self) -> &ReplicaState {
        self.replicas().next().expect("every worker has a replica")
    }

    /// Values of all outputs of the train net.
    pub(crate) fn output_values(&self) -> usize {
        let Worker { net, cpu, .. } = &self.workers[0];
        net.outputs(cpu).iter().map(|output| output.values.len()).sum()
    }

    /// Whether this iteration is one to display. An emulated one has nothing to show.
    pub(crate) fn displays(&self) -> bool {
        let interval = u64::from(self.solver_param().display().unsigned_abs());
        interval > 0 && self.iter.is_multiple_of(interval) && !self.emulates()
    }
}
