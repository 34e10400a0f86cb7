//! One worker's part in the sum of one step: its replicas, then all workers of its process.
//!
//! The pool is divided into buckets as backward finishes it (GradientFlow's lazy allreduce without
//! copies: a bucket is a range of the pool). Of each bucket every worker owns a chunk that ends at
//! block borders. It reads that chunk in all pools, adds them by the canonical tree and writes the
//! sum once. If a plan was asked for by name, it runs between the pools instead, with or without
//! compression, and its workers wait for each other at every bucket.

use std::ops::Range;
use std::time::Duration;

use exchange::Exchange;
use exchange::canonical::Accumulator;
use exchange::compression::Applied;
use exchange::local_sum::{ChunkMemory, sum_chunk};
use kernels::Cpu;
use net::Net;
use solver::{BLOCK, block_is_finite};
use tensor::{SharedSlab, SlabReadGuard};

use super::{BucketSums, SumTraffic};
use crate::step::{StepContext, StepError};

/// The buckets of a net's pool.
pub(crate) fn buckets(net: &Net, bucket_bytes: usize) -> Vec<Range<usize>> {
    let backward = (0..net.len()).rev();
    collective::buckets(backward.map(|layer| net.ready_after(layer)), bucket_bytes)
}

/// What a worker keeps for its sums from step to step.
pub(crate) struct WorkerReduction {
    /// Sums of the worker's replicas that are finished.
    pub(crate) replicas: Accumulator,
    /// This worker's end of a plan between the workers' pools, if one was asked for.
    pub(crate) exchange: Option<Exchange>,
    /// What sums buckets by that plan.
    pub(crate) sums: BucketSums,
    /// What residuals of another world left to add to the next gradient that is applied; empty if
    /// nothing.
    pub(crate) folded: Vec<f32>,
}

/// One worker's part in the sum of one step.
pub(crate) struct Reducer<'a> {
    context: &'a StepContext,
    worker: usize,
    /// Out of the worker until the step has succeeded: dropping a plan's end tells the others that
    /// we left.
    reduction: WorkerReduction,
    /// Values of our pool that hold the sum of all our replicas, from the start.
    ready: usize,
    /// When the sum of each finished bucket began and ended.
    local_sums: Vec<Range<Duration>>,
    /// Where the update applies, once the step's sums are there.
    applied: Applied,
    /// What our end of a plan sent.
    traffic: Option<SumTraffic>,
}

impl<'a> Reducer<'a> {
    pub(crate) fn new(
        context: &'a StepContext,
        worker: usize,
        mut reduction: WorkerReduction,
    ) -> Self {
        reduction.replicas.reset(context.entry_scale());
        Self {
            context,
            worker,
            reduction,
            ready: 0,
            local_sums: Vec::new(),
            applied: Applied::Everything,
            traffic: None,
        }
    }

    /// Gives back what lasts longer than the step, and when each bucket was summed.
    pub(crate) fn into_parts(self) -> (WorkerReduction, Vec<Range<Duration>>) {
        (self.reduction, self.local_sums)
    }

    /// Where this worker finds the sum of its process.
    pub(crate) fn sum(&self) -> &'a SharedSlab {
        self.context.shared.sum.as_ref().unwrap_or_else(|| self.pool())
    }

    /// Where the update applies.
    pub(crate) fn applied(&self) -> &Applied {
        &self.applied
    }

    /// What this worker sent to others by a plan.
    pub(crate) fn traffic(&self) -> Option<SumTraffic> {
        self.traffic
    }

    /// Adds the gradient of a finished replica to those before it; the pool may be overwritten.
    pub(crate) fn add_replica(&mut self) {
        let pool = self.pool();
        self.reduction.replicas.push(&mut pool.write(0..pool.len()));
    }

    /// Takes the first `ready` values of the last replica's gradient, and reduces every bucket that
    /// is ready in all pools.
    pub(crate) fn submit(&mut self, cpu: &Cpu, ready: usize) -> Result<(), StepError> {
        let mut begin = self.context.now(); // adding up our replicas is part of the sum
        if ready > self.ready {
            let range = self.ready..ready;
            let mut values = self.pool().write(range.clone());
            let folded = self.reduction.folded.get(range.clone()).unwrap_or_default();
            let scale = self.context.loss_scale(); // backward has multiplied by it
            values.iter_mut().zip(folded).for_each(|(value, folded)| *value += scale * folded);
            if self.context.scale_of_rank().is_none() {
                self.reduction.replicas.finish_range(&mut values, range);
            }
            self.ready = ready;
        }
        let all_ready = match self.context.shared.sum {
            Some(_) => self.context.sync.announce_ready(self.worker, ready),
            None => ready,
        };
        while self.next_bucket().is_some_and(|bucket| bucket.end <= all_ready) {
            begin = self.reduce_next(cpu, begin)?;
        }
        Ok(())
    }

    /// Reduces the other buckets, waiting for the other workers, and waits for the other ranks.
    pub(crate) fn finish(&mut self, cpu: &Cpu) -> Result<(), StepError> {
        while let Some(bucket) = self.next_bucket() {
            if self.context.shared.sum.is_some() {
                self.context.sync.wait_ready(bucket.end)?;
            }
            self.reduce_next(cpu, self.context.now())?;
        }
        let pool = self.pool();
        let WorkerReduction { exchange, sums, .. } = &mut self.reduction;
        if let Some(exchange) = exchange {
            let done = sums.finish(pool, exchange)?;
            if done.not_finite {
                self.context.sync.announce_hidden_not_finite();
            }
            (self.applied, self.traffic) = (done.applied, Some(done.traffic));
        }
        if self.context.shared.ranks.are_several() {
            self.applied = self.context.sync.wait_exchanged()?;
        }
        Ok(())
    }

    fn pool(&self) -> &'a SharedSlab {
        &self.context.shared.pools[self.worker]
    }

    fn next_bucket(&self) -> Option<&'a Range<usize>> {
        self.context.shared.buckets.get(self.local_sums.len())
    }

    /// Sums the next bucket, which began at `begin`; when it ended.
    fn reduce_next(&mut self, cpu: &Cpu, begin: Duration) -> Result<Duration, StepError> {
        let bucket = self.next_bucket().expect("the caller has looked").clone();
        let (pool, index) = (self.pool(), self.local_sums.len());
        let WorkerReduction { exchange, sums, .. } = &mut self.reduction;
        if let Some(exchange) = exchange {
            sums.sum(index, (&self.context.shared.buckets, pool), None, exchange)?;
        } else if let Some(sum) = &self.context.shared.sum {
            self.sum_chunk(cpu, sum, &bucket);
        }
        let end = self.context.now();
        self.local_sums.push(begin..end);
        self.context.sync.announce_summed(self.worker, self.local_sums.len());
        Ok(end)
    }

    /// Adds this worker's chunk of `bucket` in all pools. What is then final is looked at while it
    /// is in the cache.
    fn sum_chunk(&self, cpu: &Cpu, sum: &SharedSlab, bucket: &Range<usize>) {
        let (shared, sync) = (&self.context.shared, &self.context.sync);
        let chunk = shared.chunk(bucket, self.worker);
        let guards: Vec<SlabReadGuard<'_>> =
            shared.pools.iter().map(|pool| pool.read_range(chunk.clone())).collect();
        let pools: Vec<&[f32]> = guards.iter().map(|pool| &**pool).collect();
        let is_final = shared.local_sums_are_final();
        cpu.run_blocks(&mut sum.write(chunk.clone()), BLOCK, |block, sum| {
            let (buffers, start) = (&pools[..], block * BLOCK);
            sum_chunk(shared.config.wire, ChunkMemory::Apart { buffers, start, sum });
            if is_final && !block_is_finite(cpu, sum) {
                let bad = sum.iter().position(|value| !value.is_finite()).unwrap_or(0);
                if let Some(slot) = shared.slot_at(chunk.start + start + bad) {
                    sync.announce_not_finite(slot);
                }
            }
        });
    }
}
