//! What a step takes from outside: the one context type of an iteration.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use base::Clock;
use solver::{ParamRange, ParamSlots, Solver};
use tensor::SharedSlab;

use crate::ranks::Ranks;
use crate::step::{GradientScale, StepError};
use crate::sync::StepSync;
use crate::{Job, JobConfig, ReplicaPlacement, Request};

/// What all workers share for as long as the job lives. Memory is read by all, and written by each
/// worker in chunks of its own; [`SharedSlab`] checks that.
pub(crate) struct SharedState {
    pub(crate) config: JobConfig,
    pub(crate) ranks: Ranks,
    pub(crate) placement: ReplicaPlacement,
    /// Data layers and the numbers of their records, where the order depends on them.
    pub(crate) record_counts: Vec<(String, u64)>,
    /// Layers and fingerprints of what they read.
    pub(crate) data_prints: Vec<(String, u64)>,
    /// Learning rates, gradient preparation and update rule.
    pub(crate) solver: Solver,
    /// Where each parameter and its gradient lie.
    pub(crate) slots: ParamSlots,
    /// Ranges of the pool that are reduced in one collective each, in the order backward finishes
    /// them.
    pub(crate) buckets: Vec<Range<usize>>,
    pub(crate) clock: Arc<dyn Clock>,
    /// All learned values, in net order.
    pub(crate) params: Arc<SharedSlab>,
    /// In mixed precision the same values, rounded: what forward and backward compute with.
    pub(crate) rounded: Option<SharedSlab>,
    /// What the update rule remembers; each slab is laid out as `params`.
    pub(crate) history: Vec<SharedSlab>,
    /// One pool of gradients per worker.
    pub(crate) pools: Vec<Arc<SharedSlab>>,
    /// The sum over the workers; `None` where every pool holds the sum itself.
    pub(crate) sum: Option<SharedSlab>,
}

impl SharedState {
    /// The chunk of `bucket` that `worker` owns.
    pub(crate) fn chunk(&self, bucket: &Range<usize>, worker: usize) -> Range<usize> {
        self.slots.chunk(bucket.clone(), self.pools.len(), worker)
    }

    /// Whether nothing is added to what the workers here sum apart from their pools.
    pub(crate) fn local_sums_are_final(&self) -> bool {
        self.sum.is_some() && !self.ranks.are_several()
    }

    /// The params that forward and backward compute with.
    pub(crate) fn computed_params(&self) -> &SharedSlab {
        self.rounded.as_ref().unwrap_or(&self.params)
    }

    /// The parameter whose gradient is at `position` of the pool.
    pub(crate) fn slot_at(&self, position: usize) -> Option<usize> {
        self.slots.as_slice().iter().position(|slot| slot.gradient.contains(&position))
    }

    /// The parameters whose gradients lie in the chunks of `worker`.
    pub(crate) fn param_ranges(&self, worker: usize) -> Vec<ParamRange> {
        let chunks = self.buckets.iter().map(|bucket| self.chunk(bucket, worker));
        chunks.flat_map(|chunk| self.slots.param_ranges(chunk)).collect()
    }
}

/// Everything about one iteration that workers need to know.
pub(crate) struct StepContext {
    /// Iterations done before this one.
    pub(crate) iter: u64,
    /// Whether the outputs of every replica are wanted.
    pub(crate) displays: bool,
    /// Whether replica 0 reports `debug_info`.
    pub(crate) debug: bool,
    /// What gradients are multiplied by on their way; `None` if they need no scale.
    pub(crate) scale: Option<GradientScale>,
    /// What was asked of this rank before the iteration.
    pub(crate) request: Request,
    pub(crate) shared: Arc<SharedState>,
    pub(crate) sync: StepSync,
}

impl Job {
    pub(crate) fn step_context(&self, request: Request) -> StepContext {
        let displays = self.displays();
        StepContext {
            iter: self.iter,
            displays,
            debug: displays && self.shared.config.solver.debug_info(),
            scale: self.scale,
            request,
            sync: StepSync::new(&self.shared, if displays { self.output_values() } else { 0 }),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl StepContext {
    /// What losses, and so all gradients of backward, are multiplied by.
    pub(crate) fn loss_scale(&self) -> f32 {
        self.scale_if(self.scales_loss())
    }

    /// What every replica's gradient is multiplied by when it enters the sum.
    pub(crate) fn entry_scale(&self) -> f32 {
        self.scale_if(!self.scales_loss())
    }

    /// The same if the communicator multiplies by it: where a rank has a single replica, encoding
    /// its gradient to be sent scales and rounds it, in one pass beside backward.
    pub(crate) fn scale_of_rank(&self) -> Option<f32> {
        let SharedState { ranks, placement, .. } = &*self.shared;
        let is_single = ranks.are_several() && placement.replicas == ranks.rank().world();
        is_single.then(|| self.entry_scale())
    }

    /// Where blobs are `f16`, diffs would vanish before they reach the sum.
    fn scales_loss(&self) -> bool {
        self.shared.config.precision.is_narrow()
    }

    fn scale_if(&self, here: bool) -> f32 {
        self.scale.filter(|_| here).map_or(1.0, GradientScale::factor)
    }

    pub(crate) fn now(&self) -> Duration {
        self.shared.clock.now()
    }

    /// Wakes everybody who waits for a worker that failed. Other ranks cannot be woken: they
    /// would wait for our gradients, so the job is ended.
    pub(crate) fn fail(&self, error: &StepError) {
        if error.is_own() {
            self.shared.ranks.alarm(error);
        }
        self.sync.fail();
    }
}
