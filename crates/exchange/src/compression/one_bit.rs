//! `one-bit`: a bit per value and two reconstruction values per output column, with error feedback
//! on both sides. Seide et al. 2014.
//!
//! A column is what one output is computed from: a row of the row-major matrix, which for a
//! convolution is one filter (inputs · height · width). Its bits say whether a value is below zero
//! or not; its two values are the means of either. Vectors, and matrices with columns of fewer
//! than four values, are summed densely, those of all buckets together after backward.
//!
//! Each rank owns a chunk of the columns of a bucket. For three ranks:
//!
//! ```text
//!   g + e ─ bits, means ──▶ all-to-all-v: chunk r of every rank to rank r
//!     e' = what the bits lose        │
//!                                    ▼ owner: canonical tree over ranks, unquantised
//!                              s + e₂ ─ bits, means ──▶ all-gather-v ──▶ every pool
//!                                e₂' = what the bits lose
//! ```
//!
//! A rank sends about `n/32` words twice, whatever the world. Its residual e is as long as the
//! pool, that of the owner, e₂, a chunk of it. A group with a value that is not finite arrives as
//! NaN on all ranks and leaves residuals alone. After a skipped step `e' = g + e`, within rounding,
//! and `e₂' = e₂`.

mod codec;
mod groups;
mod quantise;

use super::arithmetic::{scale, zero_not_finite};
use super::blocks::blocks;
use super::pool::with_range;
use super::row::{CompressionRow, RowContext};
use super::{
    Applied, CompressionConfig, CompressionError, CompressionKind, CompressionSetup, DecisionUnit,
    MomentumUse, PlannedCollective, ResidualState, SentVolume, StepCall,
};
use crate::ExchangeError;
use crate::canonical::add_assign;
use codec::for_groups;
use groups::BucketColumns;
use quantise::decode;
use std::ops::Range;
use transport::AlignedBytes;

/// Values that an owner sums at a time: all ranks' stay in the second-level cache.
const SUM_BLOCK: usize = 2048;

/// This compression's row in the [table](super::COMPRESSIONS).
pub(super) const KIND: CompressionKind = CompressionKind {
    name: "one-bit",
    summary: "sends a bit per value and two values per output column, with error feedback",
    keys: &[],
    momentum: MomentumUse::Rule,
    decision: DecisionUnit::Bucket,
    state_vectors: 2, // the residual, and two of chunks that this rank owns
    volume: SentVolume::Planned,
    build,
};

fn build(
    _: &CompressionConfig,
    setup: &CompressionSetup,
) -> Result<Box<dyn CompressionRow>, CompressionError> {
    let (me, world) = (setup.rank.index(), setup.rank.world());
    let bucket = |index: usize| {
        let columns = BucketColumns::new(setup, index);
        let owned = columns.owners[me].values;
        let lens = columns.block_lens();
        let mut outgoing = blocks(world);
        outgoing.iter_mut().zip(lens).for_each(|(block, len)| block.resize(len));
        OneBitBucket {
            range: setup.buckets[index].clone(),
            columns,
            outgoing,
            owner_residual: vec![0.0; owned],
            owner_next: vec![0.0; owned],
            has_next: false,
        }
    };
    Ok(Box::new(OneBit {
        me,
        buckets: (0..setup.buckets.len()).map(bucket).collect(),
        residual: vec![0.0; setup.pool_len()],
        incoming: blocks(world),
        gathered: blocks(world),
        decoded: vec![vec![0.0; SUM_BLOCK]; world],
        sums: Vec::new(),
        vectors: Vec::new(),
    }))
}

struct OneBit {
    me: usize,
    buckets: Vec<OneBitBucket>,
    /// As long as the pool.
    residual: Vec<f32>,
    incoming: Vec<AlignedBytes>,
    gathered: Vec<AlignedBytes>,
    /// Per rank, a block of what its bits stand for.
    decoded: Vec<Vec<f32>>,
    /// The sum of one group with the owner's residual.
    sums: Vec<f32>,
    /// Dense params of all buckets so far.
    vectors: Vec<f32>,
}

struct OneBitBucket {
    range: Range<usize>,
    columns: BucketColumns,
    /// What this rank sent, kept in case the step is skipped.
    outgoing: Vec<AlignedBytes>,
    /// Of the values that this rank owns, in order.
    owner_residual: Vec<f32>,
    /// The same after the last step, unless it was skipped.
    owner_next: Vec<f32>,
    has_next: bool,
}

impl OneBitBucket {
    fn accept_next(&mut self) {
        if std::mem::take(&mut self.has_next) {
            std::mem::swap(&mut self.owner_residual, &mut self.owner_next);
        }
    }
}

impl CompressionRow for OneBit {
    fn bucket_ready(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        self.buckets[index].accept_next();
        let begin = context.record.spent();
        self.encode(index, context);
        context.record.encoded_since(begin);
        let bucket = &mut self.buckets[index];
        if bucket.columns.coded_values() == 0 {
            return Ok(());
        }
        let own_len = bucket.columns.owners[self.me].block_bytes();
        self.incoming.iter_mut().for_each(|block| block.resize(own_len));
        context.exchange.swap_known(&mut bucket.outgoing, &mut self.incoming, &mut || false)?;
        let lens = bucket.columns.block_lens();
        self.gathered.iter_mut().zip(lens).for_each(|(block, len)| block.resize(len));
        let begin = context.record.spent();
        self.sum_owned(index);
        context.record.decoded_since(begin);
        self.buckets[index].has_next = true;
        context.exchange.gather_known(&mut self.gathered)?;
        let begin = context.record.spent();
        context.record.not_finite |= !self.decode(index, context);
        context.record.decoded_since(begin);
        Ok(())
    }

    fn finish(&mut self, context: &mut RowContext<'_>) -> Result<Applied, ExchangeError> {
        if self.vectors.is_empty() {
            return Ok(Applied::Everything);
        }
        context.exchange.all_reduce(&mut self.vectors)?;
        let mut sums = &self.vectors[..];
        for (index, bucket) in self.buckets.iter().enumerate() {
            if context.dense[index] {
                continue;
            }
            for range in &bucket.columns.dense {
                let (sum, rest) = sums.split_at(range.len());
                with_range(context.pool, range.clone(), |values| values.copy_from_slice(sum));
                sums = rest;
            }
        }
        self.vectors.clear();
        Ok(Applied::Everything)
    }

    fn step_skipped(&mut self) {
        let Self { buckets, residual, sums, .. } = self;
        for bucket in buckets.iter_mut().filter(|bucket| bucket.has_next) {
            bucket.has_next = false;
            for (owner, block) in bucket.columns.owners.iter().zip(&bucket.outgoing) {
                for_groups(owner, block, |group, means, bits| {
                    if means.is_finite() {
                        sums.resize(group.range.len(), 0.0);
                        decode(bits, means, sums);
                        add_assign(&mut residual[group.range.clone()], sums);
                    }
                });
            }
        }
        zero_not_finite(residual);
    }

    fn planned(&self, call: StepCall, dense: &[bool]) -> Vec<PlannedCollective> {
        match call {
            StepCall::Bucket(index) if self.buckets[index].columns.coded_values() > 0 => {
                let lens = self.buckets[index].columns.block_lens();
                let outgoing = lens.clone();
                vec![
                    PlannedCollective::AllToAllV { outgoing },
                    PlannedCollective::AllGatherV { lens },
                ]
            }
            StepCall::Bucket(_) => Vec::new(),
            StepCall::Finish => {
                let ours = self.buckets.iter().zip(dense).filter(|(_, dense)| !**dense);
                let vectors = ours.flat_map(|(bucket, _)| &bucket.columns.dense);
                let values = vectors.map(Range::len).sum();
                let sum = PlannedCollective::AllReduce { values };
                (values > 0).then_some(sum).into_iter().collect()
            }
        }
    }

    fn expected(&self, call: StepCall) -> Vec<PlannedCollective> {
        self.planned(call, &vec![false; self.buckets.len()])
    }

    fn make_final(&mut self) {
        self.buckets.iter_mut().for_each(OneBitBucket::accept_next);
    }

    fn add_residual(&self, index: usize, values: &mut [f32]) {
        let bucket = &self.buckets[index];
        add_assign(values, &self.residual[bucket.range.clone()]);
        let mut owned = &bucket.owner_residual[..];
        for group in &bucket.columns.owners[self.me].groups {
            let (residual, rest) = owned.split_at(group.range.len());
            let at = group.range.start - bucket.range.start..group.range.end - bucket.range.start;
            add_assign(&mut values[at], residual);
            owned = rest;
        }
    }

    fn clear_residual(&mut self, index: usize) {
        let bucket = &mut self.buckets[index];
        self.residual[bucket.range.clone()].fill(0.0);
        bucket.owner_residual.fill(0.0);
    }

    fn rescale(&mut self, factor: f32) {
        scale(factor, &mut self.residual);
        self.buckets.iter_mut().for_each(|bucket| scale(factor, &mut bucket.owner_residual));
    }

    fn save<'a>(&'a self, state: &mut ResidualState<'a>) {
        state.push_f32("residual", &self.residual);
        for (index, bucket) in self.buckets.iter().enumerate() {
            state.push_f32(&format!("owner's residual of bucket {index}"), &bucket.owner_residual);
        }
    }

    fn load(&mut self, state: &ResidualState<'_>) -> Result<(), CompressionError> {
        state.copy_f32("residual", &mut self.residual)?;
        for (index, bucket) in self.buckets.iter_mut().enumerate() {
            let name = format!("owner's residual of bucket {index}");
            state.copy_f32(&name, &mut bucket.owner_residual)?;
            bucket.has_next = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
