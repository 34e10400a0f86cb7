//! What runs replicas: threads, activations, gradients, and the part of a step that they do.

use std::ops::Range;

use base::Clock;
use exchange::Exchange;
use exchange::canonical::add_assign;
use kernels::Cpu;
use net::{DebugValue, Net, Output, ReplicaState};
use tensor::{SharedSlab, Slab};

use crate::TrainError;
use crate::parallel::Overlap;
use crate::ranks::Ranks;
use crate::reduce::Reducer;
use crate::stage::Undone;
use crate::timeline::What;
use crate::times::Ledger;

/// A thread group with the memory of one replica.
pub(crate) struct Worker {
    pub(crate) cpu: Cpu,
    pub(crate) net: Net,
    /// Sums of replicas that are finished, one a level of the tree.
    pub(crate) partial: Vec<Slab>,
    /// This worker's end of a plan between the workers' pools, if one was asked for.
    pub(crate) link: Option<Exchange>,
    pub(crate) ledger: Ledger,
}

/// What one replica found.
#[derive(Default)]
pub(crate) struct Found {
    /// Mean loss over its passes.
    pub(crate) loss: f32,
    /// Outputs of its last pass, when they are to be shown.
    pub(crate) outputs: Vec<Output>,
    /// What `debug_info` says.
    pub(crate) debug: Vec<DebugValue>,
    /// If the loss is not finite: the layer and blob where that began.
    pub(crate) not_finite: Option<(String, String)>,
}

/// What a step asks of every worker.
pub(crate) struct Task<'a> {
    pub(crate) clock: &'a dyn Clock,
    /// `iter_size`.
    pub(crate) passes: i32,
    pub(crate) overlap: Overlap,
    pub(crate) params: &'a [f32],
    pub(crate) pool: &'a SharedSlab,
    pub(crate) ranks: &'a Ranks,
    /// Whether outputs are wanted.
    pub(crate) shows: bool,
    /// Whether debug lines are wanted of replica 0.
    pub(crate) debug: bool,
}

impl Worker {
    /// Runs `replicas` (whose first is number `first`), leaves the sum of their gradients in the pool,
    /// and sums with the other workers what is ready on the way.
    pub(crate) fn compute(
        &mut self,
        task: &Task<'_>,
        first: usize,
        replicas: &mut [ReplicaState],
        reducer: &mut Reducer<'_>,
    ) -> Result<Vec<Found>, Undone> {
        let count = replicas.len();
        let mut all = Vec::with_capacity(count);
        for (index, replica) in replicas.iter_mut().enumerate() {
            let mut found = Found::default();
            let debug = task.debug && first + index == 0;
            self.net.clear_gradients();
            self.net.swap_carried(&mut replica.carried);
            for pass in 0..task.passes {
                found.loss += self.forward(task, replica, debug, &mut found.debug)?;
                let last = index + 1 == count && pass + 1 == task.passes;
                let deliver = last.then_some((index, &mut *reducer));
                self.backward(task, deliver, debug, &mut found.debug)?;
            }
            self.net.swap_carried(&mut replica.carried);
            found.loss /= task.passes as f32;
            if !found.loss.is_finite() {
                let (layer, blob) = self.net.first_not_finite().unwrap_or(("?", "?"));
                found.not_finite = Some((layer.to_owned(), blob.to_owned()));
            }
            if task.shows {
                found.outputs = self.net.outputs(&self.cpu);
            }
            if index + 1 < count {
                self.put_aside(task.pool, index);
            }
            all.push(found);
        }
        Ok(all)
    }

    /// One batch through the net; its loss.
    pub(crate) fn forward(
        &mut self,
        task: &Task<'_>,
        replica: &mut ReplicaState,
        debug: bool,
        lines: &mut Vec<DebugValue>,
    ) -> Result<f32, TrainError> {
        let mut loss = 0.0;
        for layer in 0..self.net.len() {
            let begin = task.clock.now();
            loss += self.net.forward_layer(layer, &self.cpu, task.params, replica)?;
            let data = self.net.is_data(layer);
            let what = if data { What::Data(layer) } else { What::Forward(layer) };
            self.ledger.spend(what, begin, task.clock.now());
            task.ranks.moved();
            if debug {
                lines.append(&mut self.net.forward_debug(layer, task.params, replica));
            }
        }
        Ok(loss)
    }

    /// Backward, last layer first. With `deliver`, every range of the pool that no remaining layer
    /// adds to starts moving at once.
    fn backward(
        &mut self,
        task: &Task<'_>,
        mut deliver: Option<(usize, &mut Reducer<'_>)>,
        debug: bool,
        lines: &mut Vec<DebugValue>,
    ) -> Result<(), Undone> {
        let mut merged = 0;
        let mut begin = task.clock.now();
        // Debug lines look at the whole pool, which must not move before.
        let overlaps = task.overlap == Overlap::DuringBackward && !debug;
        for layer in (0..self.net.len()).rev() {
            let run = self.net.backward_layer(layer, &self.cpu, task.params, task.pool);
            run.map_err(TrainError::from)?;
            task.ranks.moved();
            if debug {
                lines.append(&mut self.net.backward_debug(layer, &task.pool.read()));
            }
            if let Some((index, reducer)) = &mut deliver {
                let settled = self.net.ready_after(layer);
                if settled > merged {
                    self.merge(task.pool, *index, merged..settled);
                    merged = settled;
                    if overlaps {
                        reducer.settle(&self.cpu, settled)?;
                    }
                }
            }
            let end = task.clock.now();
            self.ledger.spend(What::Backward(layer), begin, end);
            begin = end;
        }
        if debug {
            lines.push(self.net.backward_totals(task.params, &task.pool.read()));
        }
        if let Some((_, reducer)) = &mut deliver {
            reducer.settle(&self.cpu, merged)?;
        }
        Ok(())
    }

    /// Keeps the gradient of the worker's replica `index` for later: a binary counter of partial
    /// sums, so that what is added is a subtree of the canonical tree.
    fn put_aside(&mut self, pool: &SharedSlab, index: usize) {
        let mut sum = pool.write(0..pool.len());
        let full = index.trailing_ones() as usize;
        for level in 0..full {
            add_assign(&mut sum, &self.partial[level]);
        }
        if self.partial.len() == full {
            self.partial.push(Slab::zeros(sum.len()));
        }
        self.partial[full].copy_from_slice(&sum);
    }

    /// Adds what was put aside to `range` of the last replica's gradient.
    fn merge(&self, pool: &SharedSlab, index: usize, range: Range<usize>) {
        let mut sum = pool.write(range.clone());
        for level in (0..usize::BITS).filter(|level| index >> level & 1 == 1) {
            add_assign(&mut sum, &self.partial[level as usize][range.clone()]);
        }
    }
}
