//! `threshold`: values beyond ±τ are sent as index and sign; the rest stays in the residual.
//! Strom 2015.
//!
//! Per param and step, with r the residual:
//!
//! ```text
//!   r = r + g;   T = tau · mean |g|;   r > T: send (index, +), r = r - T
//!                                     r < -T: send (index, -), r = r + T
//! ```
//!
//! `tau` is in units of the mean absolute gradient of the param, on this rank and in this step: so
//! it means the same for layers whose gradients differ in size, and needs no state. T is sent with
//! the entries. A value is sent at most once per step, so a gradient that stays above T piles up in
//! the residual: choose `tau` well above 1. Where a gradient is zero throughout, nothing is sent.
//!
//! ```text
//!   block of a rank   [ T per param | entry | entry | .. ]     entry: sign, 31 bits of index
//!   all-gather-v of the number of entries, then of the blocks; sums are in order of rank
//! ```
//!
//! The index counts from the start of the bucket. All ranks receive all entries, so the volume
//! grows with the world. A param with a value that is not finite on any rank has T = NaN and
//! becomes NaN on all. After a skipped step `r = r + g`, within rounding.

use super::arithmetic::{fraction_of, l1_norm, scale, single, zero_not_finite};
use super::blocks::{
    GatheredCounts, WORD_BYTES, blocks, floats, floats_mut, word, words, words_mut,
};
use super::pool::with_range;
use super::row::{CompressionRow, RowContext};
use super::{
    Applied, CompressionConfig, CompressionError, CompressionKey, CompressionKind,
    CompressionSetup, DecisionUnit, KeyRange, MomentumUse, PlannedCollective, ResidualState,
    SentVolume, StepCall, find,
};
use crate::ExchangeError;
use crate::canonical::add_assign;
use std::ops::Range;
use transport::AlignedBytes;

/// The bit of an entry that is set if the value is negative.
const SIGN: u32 = 1 << 31;

/// This compression's row in the [table](super::COMPRESSIONS).
pub(super) const KIND: CompressionKind = CompressionKind {
    name: "threshold",
    summary: "sends index and sign of values beyond a threshold, with error feedback",
    keys: &[CompressionKey {
        name: "tau",
        default: "30",
        meaning: "the threshold, in mean absolute gradients of a param",
        range: KeyRange::Positive,
    }],
    momentum: MomentumUse::Rule,
    decision: DecisionUnit::Bucket,
    state_vectors: 1,
    volume: SentVolume::Entries { entry_bytes: |_| WORD_BYTES, entries_max: None },
    build,
};

fn build(
    config: &CompressionConfig,
    setup: &CompressionSetup,
) -> Result<Box<dyn CompressionRow>, CompressionError> {
    setup.check_indices(find(KIND.name)?)?;
    let world = setup.rank.world();
    let bucket = |index: usize| {
        let range = setup.buckets[index].clone();
        let params = setup.params_of(index).iter();
        let inside = |r: &Range<usize>| r.start - range.start..r.end - range.start;
        let params = params.map(|param| inside(&param.range)).collect();
        ThresholdBucket { range, params, sent: AlignedBytes::default() }
    };
    Ok(Box::new(Threshold {
        tau: config.number("tau"),
        me: setup.rank.index(),
        buckets: (0..setup.buckets.len()).map(bucket).collect(),
        residual: vec![0.0; setup.pool_len()],
        entries: Vec::new(),
        thresholds: Vec::new(),
        counts: GatheredCounts::new(world),
        gathered: blocks(world),
    }))
}

struct Threshold {
    tau: f64,
    me: usize,
    buckets: Vec<ThresholdBucket>,
    /// As long as the pool.
    residual: Vec<f32>,
    /// Of one bucket.
    entries: Vec<u32>,
    thresholds: Vec<f32>,
    counts: GatheredCounts,
    gathered: Vec<AlignedBytes>,
}

struct ThresholdBucket {
    range: Range<usize>,
    /// Within the bucket.
    params: Vec<Range<usize>>,
    /// Our block of the last step, in case it is skipped; empty if there is none.
    sent: AlignedBytes,
}

impl ThresholdBucket {
    fn block_bytes(&self, entries: usize) -> usize {
        (self.params.len() + entries) * WORD_BYTES
    }

    /// Calls `body` with the index and value of every entry of a block.
    fn for_entries(&self, block: &[u8], mut body: impl FnMut(usize, f32)) {
        let (thresholds, entries) = self.split(block);
        let mut param = 0;
        for &entry in entries {
            let index = (entry & !SIGN) as usize;
            while index >= self.params[param].end {
                param += 1;
            }
            let threshold = thresholds[param];
            body(index, if entry & SIGN == 0 { threshold } else { -threshold });
        }
    }

    /// The params that were not finite on the rank of a block.
    fn not_finite(&self, block: &[u8]) -> impl Iterator<Item = &Range<usize>> {
        let params = self.params.iter().zip(self.split(block).0);
        params.filter(|(_, threshold)| !threshold.is_finite()).map(|(param, _)| param)
    }

    fn split<'a>(&self, block: &'a [u8]) -> (&'a [f32], &'a [u32]) {
        let (thresholds, entries) = block.split_at(self.params.len() * WORD_BYTES);
        (floats(thresholds), words(entries))
    }
}

/// Adds `gradient` to `residual`, takes out what exceeds the threshold, and returns the threshold.
fn take_entries(
    tau: f64,
    gradient: &[f32],
    residual: &mut [f32],
    start: usize,
    entries: &mut Vec<u32>,
) -> f32 {
    add_assign(residual, gradient);
    let mean = l1_norm(gradient) / gradient.len().max(1) as f64;
    if !mean.is_finite() || !l1_norm(residual).is_finite() {
        return f32::NAN;
    }
    let threshold = single(tau * mean).min(f32::MAX);
    if threshold == 0.0 {
        return 0.0; // nothing would be taken out
    }
    for (group, start) in residual.chunks_mut(16).zip((word(start)..).step_by(16)) {
        // Few groups have any: this test of all sixteen uses vector instructions.
        if !group.iter().fold(false, |any, residual| any | (residual.abs() > threshold)) {
            continue;
        }
        for (residual, index) in group.iter_mut().zip(start..) {
            if residual.abs() > threshold {
                let is_negative = *residual < 0.0;
                entries.push(index | if is_negative { SIGN } else { 0 });
                *residual += if is_negative { threshold } else { -threshold };
            }
        }
    }
    threshold
}

impl Threshold {
    /// Writes our block of a bucket. Returns its number of entries.
    fn encode(&mut self, index: usize, context: &mut RowContext<'_>) -> usize {
        let Self { tau, residual, entries, thresholds, .. } = self;
        let bucket = &mut self.buckets[index];
        entries.clear();
        thresholds.clear();
        let residual = &mut residual[bucket.range.clone()];
        context.pool.read(bucket.range.clone(), &mut |pool| {
            for param in &bucket.params {
                let (gradient, residual) = (&pool[param.clone()], &mut residual[param.clone()]);
                thresholds.push(take_entries(*tau, gradient, residual, param.start, entries));
            }
        });
        bucket.sent.resize(bucket.block_bytes(entries.len()));
        let (head, tail) = bucket.sent.split_at_mut(thresholds.len() * WORD_BYTES);
        floats_mut(head).copy_from_slice(thresholds);
        words_mut(tail).copy_from_slice(entries);
        entries.len()
    }

    /// Adds all ranks' entries, in order of rank. Returns whether all are finite.
    fn decode(&mut self, index: usize, context: &mut RowContext<'_>) -> bool {
        let bucket = &self.buckets[index];
        let mut is_finite = true;
        with_range(context.pool, bucket.range.clone(), |pool| {
            pool.fill(0.0);
            for block in &self.gathered {
                bucket.for_entries(block, |index, value| pool[index] += value);
                for param in bucket.not_finite(block) {
                    pool[param.clone()].fill(f32::NAN);
                    is_finite = false;
                }
            }
        });
        is_finite
    }
}

impl CompressionRow for Threshold {
    fn bucket_ready(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        let begin = context.record.spent();
        let count = self.encode(index, context);
        context.record.encoded_since(begin);
        self.counts.gather(context.exchange, [word(count), 0])?;
        let world = self.gathered.len();
        for rank in 0..world {
            let [count, _] = self.counts.of(rank);
            self.gathered[rank].resize(self.buckets[index].block_bytes(count));
            // On the ring a rank passes on every block but that of its right neighbour.
            if world > 1 && rank != (self.me + 1) % world {
                context.record.entries += count as u64;
            }
        }
        self.gathered[self.me].copy_from_slice(&self.buckets[index].sent);
        context.exchange.gather_known(&mut self.gathered)?;
        let begin = context.record.spent();
        context.record.not_finite |= !self.decode(index, context);
        context.record.decoded_since(begin);
        Ok(())
    }

    fn finish(&mut self, _: &mut RowContext<'_>) -> Result<Applied, ExchangeError> {
        Ok(Applied::Everything)
    }

    fn step_skipped(&mut self) {
        for bucket in &mut self.buckets {
            let sent = std::mem::take(&mut bucket.sent);
            if sent.is_empty() {
                continue;
            }
            let residual = &mut self.residual[bucket.range.clone()];
            bucket.for_entries(&sent, |index, value| residual[index] += value);
        }
        zero_not_finite(&mut self.residual);
    }

    /// As many entries as gradients that keep their sign would need: an upper estimate.
    fn planned(&self, call: StepCall, _: &[bool]) -> Vec<PlannedCollective> {
        let StepCall::Bucket(index) = call else {
            return Vec::new();
        };
        let bucket = &self.buckets[index];
        let fraction = (1.0 / self.tau).min(1.0);
        let entries = fraction_of(fraction, bucket.range.len());
        let world = self.gathered.len();
        vec![
            PlannedCollective::AllGatherV { lens: vec![GatheredCounts::BYTES; world] },
            PlannedCollective::AllGatherV { lens: vec![bucket.block_bytes(entries); world] },
        ]
    }

    fn expected(&self, call: StepCall) -> Vec<PlannedCollective> {
        self.planned(call, &[])
    }

    fn make_final(&mut self) {
        self.buckets.iter_mut().for_each(|bucket| bucket.sent.resize(0));
    }

    fn add_residual(&self, index: usize, values: &mut [f32]) {
        add_assign(values, &self.residual[self.buckets[index].range.clone()]);
    }

    fn clear_residual(&mut self, index: usize) {
        self.residual[self.buckets[index].range.clone()].fill(0.0);
    }

    fn rescale(&mut self, factor: f32) {
        scale(factor, &mut self.residual);
    }

    fn save<'a>(&'a self, state: &mut ResidualState<'a>) {
        state.push_f32("residual", &self.residual);
    }

    fn load(&mut self, state: &ResidualState<'_>) -> Result<(), CompressionError> {
        self.make_final();
        state.copy_f32("residual", &mut self.residual)
    }
}

#[cfg(test)]
mod tests;
