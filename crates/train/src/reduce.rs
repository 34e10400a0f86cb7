//! The sum of the workers' gradients: buckets, shares, and the canonical tree by direct reads.
//!
//! The pool is cut into buckets as backward settles it (GradientFlow's lazy allreduce, without copies:
//! a bucket is a run of the pool). Of each bucket every worker owns a share, cut at block borders; it
//! reads that share in all pools, adds them in the order of [`parallel`](crate::parallel)'s tree and
//! writes the sum once. Between layers a worker reduces its share of what all have delivered, and
//! never waits before its backward ends. A plan that was asked for by name runs between the pools
//! instead; its workers wait for each other at every bucket.

use std::ops::Range;

use exchange::canonical::add_assign;
use exchange::{Exchange, ExchangeError};
use kernels::Cpu;
use net::Net;
use solver::{BLOCK, ParamSlots};
use tensor::{SharedSlab, SlabReadGuard};

use crate::board::{Board, Failed};

/// Runs of the pool that are summed together, in the order backward finishes them.
pub(crate) fn buckets(net: &Net, bucket_bytes: usize) -> Vec<Range<usize>> {
    let mut buckets = Vec::new();
    let mut start = 0;
    for layer in (0..net.len()).rev() {
        let settled = net.ready_after(layer);
        let waiting = settled.saturating_sub(start) * size_of::<f32>();
        if waiting > bucket_bytes || (layer == 0 && settled > start) {
            buckets.push(start..settled);
            start = settled;
        }
    }
    buckets
}

/// One worker's part in the sum of one step.
pub(crate) struct Reducer<'a> {
    pub(crate) worker: usize,
    pub(crate) board: &'a Board,
    pub(crate) slots: &'a ParamSlots,
    pub(crate) buckets: &'a [Range<usize>],
    pub(crate) pools: &'a [SharedSlab],
    pub(crate) by: By<'a>,
    /// Buckets whose share is done.
    pub(crate) done: usize,
}

/// How the workers of a process sum.
pub(crate) enum By<'a> {
    /// There is one: its pool is the sum.
    Nobody,
    /// Each reads its share of all pools and writes it here.
    DirectReads(&'a SharedSlab),
    /// A plan, after which every pool holds the sum.
    Plan(Exchange),
}

/// Why a sum was not made.
pub(crate) enum NoSum {
    /// Another worker failed.
    Failed,
    /// A plan did not end, most often because another worker failed.
    Exchange(ExchangeError),
}

impl From<Failed> for NoSum {
    fn from(Failed: Failed) -> Self {
        Self::Failed
    }
}

impl<'a> Reducer<'a> {
    /// Where this worker finds the sum of its process.
    pub(crate) fn sum(&self) -> &'a SharedSlab {
        match self.by {
            By::DirectReads(sum) => sum,
            By::Nobody | By::Plan(_) => &self.pools[self.worker],
        }
    }

    /// This worker's share of every bucket.
    pub(crate) fn shares(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.buckets.iter().map(|bucket| self.share(bucket))
    }

    fn share(&self, bucket: &Range<usize>) -> Range<usize> {
        self.slots.chunk(bucket.clone(), self.pools.len(), self.worker)
    }

    /// Says that the first `settled` values are final, and sums what all have delivered.
    pub(crate) fn settle(&mut self, cpu: &Cpu, settled: usize) -> Result<(), NoSum> {
        let ready = match self.by {
            By::DirectReads(_) => {
                self.board.deliver(self.worker, settled);
                self.board.delivered()
            }
            By::Nobody | By::Plan(_) => settled,
        };
        while self.buckets.get(self.done).is_some_and(|bucket| bucket.end <= ready) {
            self.reduce_next(cpu)?;
        }
        Ok(())
    }

    /// Sums the rest, waiting for the others' deliveries.
    pub(crate) fn finish(&mut self, cpu: &Cpu) -> Result<(), NoSum> {
        while let Some(bucket) = self.buckets.get(self.done) {
            if matches!(self.by, By::DirectReads(_)) {
                self.board.wait_delivered(bucket.end)?;
            }
            self.reduce_next(cpu)?;
        }
        Ok(())
    }

    fn reduce_next(&mut self, cpu: &Cpu) -> Result<(), NoSum> {
        let bucket = self.buckets[self.done].clone();
        if let By::Plan(exchange) = &mut self.by {
            let mut values = self.pools[self.worker].write(bucket);
            exchange.all_reduce(&mut values).map_err(NoSum::Exchange)?;
        } else if let By::DirectReads(sum) = self.by {
            self.add_share(cpu, sum, &bucket);
        }
        self.done += 1;
        self.board.sum(self.worker, self.done);
        Ok(())
    }

    /// Adds this worker's share of `bucket` in all pools.
    fn add_share(&self, cpu: &Cpu, sum: &SharedSlab, bucket: &Range<usize>) {
        let share = self.share(bucket);
        let pools: Vec<SlabReadGuard<'_>> =
            self.pools.iter().map(|pool| pool.read_range(share.clone())).collect();
        let pools: Vec<&[f32]> = pools.iter().map(|pool| &**pool).collect();
        let mut sum = sum.write(share);
        cpu.run_chunks(&mut sum, BLOCK, |block, sum| {
            let at = block * BLOCK..block * BLOCK + sum.len();
            tree_sum(&pools, at, sum);
        });
    }
}

/// The sum of `parts` by the canonical tree.
pub(crate) fn tree_total(parts: &[&[f32]], total: &mut [f32]) {
    let len = total.len();
    for start in (0..len).step_by(BLOCK) {
        let at = start..len.min(start + BLOCK);
        tree_sum(parts, at.clone(), &mut total[at]);
    }
}

/// `T(0, pools.len())` of the values in `at`.
fn tree_sum(pools: &[&[f32]], at: Range<usize>, sum: &mut [f32]) {
    let [left @ .., _] = pools else { return };
    if left.is_empty() {
        sum.copy_from_slice(&pools[0][at]);
        return;
    }
    // The largest power of two below the number of pools.
    let half = 1 << left.len().ilog2();
    tree_sum(&pools[..half], at.clone(), sum);
    if pools.len() - half == 1 {
        add_assign(sum, &pools[half][at]);
        return;
    }
    let mut right = [0.0; BLOCK];
    let right = &mut right[..sum.len()];
    tree_sum(&pools[half..], at, right);
    add_assign(sum, right);
}

#[cfg(test)]
mod tests {
    use super::tree_sum;

    /// Values that lose bits in every other order of addition.
    #[test]
    fn sums_follow_the_canonical_tree() {
        fn tree(values: &[f32]) -> f32 {
            if let [value] = values {
                return *value;
            }
            let mut half = 1;
            while 2 * half < values.len() {
                half *= 2;
            }
            tree(&values[..half]) + tree(&values[half..])
        }
        let value =
            |i: usize| (1.0 + i as f32 * 0.37).powi(if i.is_multiple_of(3) { 9 } else { -5 });
        for workers in 1..=17 {
            let values: Vec<f32> = (0..workers).map(value).collect();
            let pools: Vec<[f32; 3]> = values.iter().map(|&v| [v, -v, 2.0 * v]).collect();
            let pools: Vec<&[f32]> = pools.iter().map(|pool| &pool[..]).collect();
            let mut sum = [0.0; 2];
            tree_sum(&pools, 1..3, &mut sum);
            assert_eq!(sum, [-tree(&values), 2.0 * tree(&values)], "{workers} workers");
        }
    }
}
