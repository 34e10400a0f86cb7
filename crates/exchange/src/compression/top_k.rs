//! `top-k`: the largest values of the accumulated velocity are sent, as many bytes per rank in
//! every world. Momentum correction of Deep Gradient Compression (Lin et al. 2018), exchange of
//! Ok-Topk (Li & Hoefler 2022).
//!
//! Per value, with u the velocity and v what has accumulated (Nesterov's in `local`):
//!
//! ```text
//!   u = momentum · u + g;   v = v + u;   applied: v = v - what was sent, u = 0
//! ```
//!
//! So momentum is inside what is sent, and the update rule runs with momentum 0. Per bucket of n
//! values, with `k = share · n` rounded up:
//!
//! ```text
//!   1  every rank selects about k values by its threshold           k - k/3 to k + k/3
//!   2  all-to-all-v: entries go to the owners of index ranges       at most k + k/3 entries
//!   3  owners sum in order of rank, and keep about the k largest    k - k/3 to k + k/3 in all
//!   4  all-gather-v of those, which every rank applies              at most k + k/3 entries
//! ```
//!
//! Thresholds are used again. One that selects too many or too few is renewed at once, exactly;
//! all are renewed every 64 steps, and with them the borders of the index ranges, so that every
//! owner receives about as many entries. The global threshold is found from histograms of all
//! owners. What was sent and not kept stays in v and u of the ranks that sent it.
//!
//! A rank sends at most `2 (k + k/3)` entries per bucket and step, of 4 bytes and an element of the
//! wire format, plus 12 bytes per other rank. In steps that renew thresholds it sends 8 bytes more
//! per other rank and takes part in canonical sums of up to 11 KB. What rounding to a 16-bit format
//! loses stays in v: of a rank's own values on that rank, of sums on the owner.
//!
//! With `warmup` the share falls exponentially from 0.25, as in DGC. What is not finite is larger
//! than everything else, so it is sent and kept. In a bucket that is summed densely all ranks keep
//! the velocity of the sum.

mod borders;
mod bucket;
mod entries;
mod exchange;
mod keys;
mod local;
mod owner;

use super::arithmetic::{add_scaled, fraction_of, scale, zero_not_finite};
use super::blocks::{GatheredCounts, SwappedCounts, blocks};
use super::config::WARMUP;
use super::record::AppliedRanges;
use super::row::{CompressionRow, RowContext};
use super::{
    Applied, CompressionConfig, CompressionError, CompressionKey, CompressionKind,
    CompressionSetup, DecisionUnit, KeyRange, MomentumSetup, MomentumUse, PlannedCollective,
    ResidualState, SentVolume, StepCall, find,
};
use crate::ExchangeError;
use crate::wire::WireFormat;
use borders::renew_borders;
use bucket::TopKBucket;
use entries::entry_bytes;
use local::{about, accumulate, narrow_exactly, select_exactly};
use owner::RangeOwner;
use transport::AlignedBytes;

/// Steps after which thresholds and borders are renewed.
const RENEWAL_STEPS: u64 = 64;

/// The share with which a warm-up begins.
const WARMUP_SHARE: f64 = 0.25;

/// This compression's row in the [table](super::COMPRESSIONS).
pub(super) const KIND: CompressionKind = CompressionKind {
    name: "top-k",
    summary: "sends the largest values with their indices, with momentum correction",
    keys: &[
        CompressionKey {
            name: "share",
            default: "0.01",
            meaning: "values that are sent",
            range: KeyRange::Fraction,
        },
        CompressionKey {
            name: WARMUP,
            default: "0",
            meaning: "steps in which the share falls from 0.25",
            range: KeyRange::Whole { min: 0, max: u32::MAX, multiple_of: 1 },
        },
    ],
    momentum: MomentumUse::Corrected,
    decision: DecisionUnit::Bucket,
    state_vectors: 4, // u and v, and the velocity of dense sums, twice
    volume: SentVolume::Entries { entry_bytes, entries_max: Some(entries_max) },
    build,
};

/// The bound of the header, for a bucket of `values`.
fn entries_max(config: &CompressionConfig, values: usize) -> usize {
    2 * about(fraction_of(config.number("share"), values)).end()
}

fn build(
    config: &CompressionConfig,
    setup: &CompressionSetup,
) -> Result<Box<dyn CompressionRow>, CompressionError> {
    let kind = find(KIND.name)?;
    setup.check_momentum(kind)?;
    setup.check_indices(kind)?;
    let world = setup.rank.world();
    Ok(Box::new(TopK {
        share: config.number("share"),
        warmup: config.whole(WARMUP) as u64,
        momentum: setup.momentum,
        wire: setup.wire,
        me: setup.rank.index(),
        buckets: setup.buckets.iter().map(|range| TopKBucket::new(range, world)).collect(),
        velocity: vec![0.0; setup.pool_len()],
        accumulated: vec![0.0; setup.pool_len()],
        steps: 0,
        selected: Vec::new(),
        sent: Vec::new(),
        kept_sent: Vec::new(),
        values: Vec::new(),
        outgoing: blocks(world),
        incoming: blocks(world),
        gathered: blocks(world),
        counts: SwappedCounts::new(world),
        owner: RangeOwner::new(world),
        ranges: AppliedRanges::default(),
    }))
}

struct TopK {
    share: f64,
    warmup: u64,
    momentum: MomentumSetup,
    wire: &'static WireFormat,
    me: usize,
    buckets: Vec<TopKBucket>,
    /// u and v, as long as the pool.
    velocity: Vec<f32>,
    accumulated: Vec<f32>,
    /// Steps that were run, skipped ones too.
    steps: u64,
    /// Indices of the bucket that this rank sends, ascending.
    selected: Vec<u32>,
    /// What is sent of them, as the wire format represents it.
    sent: Vec<f32>,
    /// What is sent of the sums that this rank owns and keeps.
    kept_sent: Vec<f32>,
    /// Values of a block that was received.
    values: Vec<f32>,
    outgoing: Vec<AlignedBytes>,
    incoming: Vec<AlignedBytes>,
    gathered: Vec<AlignedBytes>,
    counts: SwappedCounts,
    owner: RangeOwner,
    ranges: AppliedRanges,
}

impl TopK {
    /// How many values of a bucket are sent in step `step`.
    fn count_at(&self, step: u64, len: usize) -> usize {
        let start = WARMUP_SHARE.max(self.share);
        let share = if step < self.warmup {
            start * (self.share / start).powf(step as f64 / self.warmup as f64)
        } else {
            self.share
        };
        fraction_of(share, len)
    }

    /// What a call of step `step` sends.
    fn collectives(&self, call: StepCall, step: u64) -> Vec<PlannedCollective> {
        let StepCall::Bucket(index) = call else {
            return Vec::new();
        };
        let world = self.outgoing.len();
        let entries = self.count_at(step, self.buckets[index].range.len());
        let lens = |len: usize| vec![len; world];
        let entry_lens: Vec<usize> = (0..world)
            .map(|rank| base::chunk(entries, world, rank).len() * entry_bytes(self.wire))
            .collect();
        vec![
            PlannedCollective::AllToAllV { outgoing: lens(SwappedCounts::BYTES) },
            PlannedCollective::AllToAllV { outgoing: entry_lens.clone() },
            PlannedCollective::AllGatherV { lens: lens(GatheredCounts::BYTES) },
            PlannedCollective::AllGatherV { lens: entry_lens },
        ]
    }

    fn renews(&self) -> bool {
        self.steps.is_multiple_of(RENEWAL_STEPS)
    }

    /// Takes in the gradient of a bucket and selects what is sent.
    fn select(&mut self, index: usize, k: usize, context: &mut RowContext<'_>) {
        let renews = self.renews();
        let Self { momentum, buckets, velocity, accumulated, selected, sent, .. } = self;
        let bucket = &mut buckets[index];
        let known = bucket.threshold.filter(|_| !renews);
        let accumulated = &mut accumulated[bucket.range.clone()];
        let states = (&mut velocity[bucket.range.clone()], &mut *accumulated);
        selected.clear();
        let mut states = Some(states);
        context.pool.read(bucket.range.clone(), &mut |pool| {
            let states = states.take().expect("a pool lends the range once");
            accumulate(*momentum, pool, states, known.unwrap_or(u32::MAX), selected);
        });
        let (count, wanted) = (selected.len(), about(k));
        match known {
            Some(_) if count > *wanted.end() => {
                bucket.threshold = Some(narrow_exactly(accumulated, k, selected));
            }
            Some(threshold) if count >= *wanted.start() || threshold == 1 => {}
            _ => bucket.threshold = Some(select_exactly(accumulated, k, selected)),
        }
        sent.clear();
        sent.extend(selected.iter().map(|&index| accumulated[index as usize]));
        self.wire.round(sent);
    }
}

impl CompressionRow for TopK {
    fn bucket_ready(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        let len = self.buckets[index].range.len();
        let k = self.count_at(self.steps, len);
        self.buckets[index].accept();
        let begin = context.record.spent();
        self.select(index, k, context);
        context.record.encoded_since(begin);
        if self.renews() {
            self.buckets[index].borders = renew_borders(context.exchange, len, &self.selected)?;
        }
        self.reduce(index, context)?;
        self.spread(index, k, context)?;
        let begin = context.record.spent();
        context.record.not_finite |= !self.apply(index, context);
        context.record.decoded_since(begin);
        Ok(())
    }

    fn finish(&mut self, context: &mut RowContext<'_>) -> Result<Applied, ExchangeError> {
        self.ranges.clear();
        for (bucket, &is_dense) in self.buckets.iter().zip(context.dense) {
            if is_dense {
                self.ranges.push(bucket.range.clone());
                continue;
            }
            for &index in &bucket.applied {
                let at = bucket.range.start + index as usize;
                self.ranges.push(at..at + 1);
            }
        }
        self.steps += 1;
        Ok(self.ranges.applied(self.velocity.len()))
    }

    fn step_skipped(&mut self) {
        for bucket in &mut self.buckets {
            bucket.undo_step(&mut self.velocity, &mut self.accumulated);
        }
        zero_not_finite(&mut self.velocity);
        zero_not_finite(&mut self.accumulated);
    }

    /// As many entries as the share says, evenly spread.
    fn planned(&self, call: StepCall, _: &[bool]) -> Vec<PlannedCollective> {
        self.collectives(call, self.steps)
    }

    fn expected(&self, call: StepCall) -> Vec<PlannedCollective> {
        self.collectives(call, u64::MAX)
    }

    /// Momentum of a bucket that is summed densely: the rule has none.
    fn dense_reduced(&mut self, index: usize, values: &mut [f32]) {
        self.buckets[index].take_dense(self.momentum, values);
    }

    fn make_final(&mut self) {
        self.buckets.iter_mut().for_each(TopKBucket::accept);
    }

    /// What is left of (u, v) without another gradient is `v + (m + m² + ..) u`; of a gradient x it
    /// is `x / (1 - m)`. So the gradient with the same effect is `(1 - m) v + m u`.
    fn add_residual(&self, index: usize, values: &mut [f32]) {
        let (range, m) = (self.buckets[index].range.clone(), self.momentum.value);
        add_scaled(1.0 - m, &self.accumulated[range.clone()], values);
        add_scaled(m, &self.velocity[range], values);
    }

    fn add_dense_velocity(&self, index: usize, values: &mut [f32]) {
        let velocity = &self.buckets[index].dense_velocity;
        if !velocity.is_empty() {
            add_scaled(self.momentum.value, velocity, values);
        }
    }

    fn clear_residual(&mut self, index: usize) {
        let range = self.buckets[index].range.clone();
        self.velocity[range.clone()].fill(0.0);
        self.accumulated[range].fill(0.0);
    }

    fn rescale(&mut self, factor: f32) {
        scale(factor, &mut self.velocity);
        scale(factor, &mut self.accumulated);
        for bucket in &mut self.buckets {
            scale(factor, &mut bucket.dense_velocity);
            for threshold in [&mut bucket.threshold, &mut bucket.global_threshold] {
                *threshold = threshold.map(|key| keys::key(f32::from_bits(key) * factor).max(1));
            }
        }
    }

    fn save<'a>(&'a self, state: &mut ResidualState<'a>) {
        state.push_f32("velocity", &self.velocity);
        state.push_f32("accumulated velocity", &self.accumulated);
        state.push_u64("steps", vec![self.steps]);
        for (index, bucket) in self.buckets.iter().enumerate() {
            bucket.save(index, state);
        }
    }

    fn load(&mut self, state: &ResidualState<'_>) -> Result<(), CompressionError> {
        state.copy_f32("velocity", &mut self.velocity)?;
        state.copy_f32("accumulated velocity", &mut self.accumulated)?;
        self.steps = state.numbers("steps", 1, u64::MAX)?[0];
        for (index, bucket) in self.buckets.iter_mut().enumerate() {
            bucket.accept();
            bucket.load(index, state)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
