//! `sparse-chunks`: only the chunks with the largest norms are summed. GradientFlow's
//! coarse-grained sparse communication (Sun et al. 2019).
//!
//! Params are divided into chunks of `chunk` values, counted from each param's start. All ranks
//! know which chunks are important in this step, so these are copied to a send buffer, which is
//! all-reduced like a dense one: no index is sent.
//!
//! ```text
//!   pool      | bucket 0              | bucket 1       | bucket 2            |
//!   chunks    |  ·  |  #  |  ·  |  #  |  #  |  ·  |  · |  #  |  ·  |  #  | b |   # important
//!   send               └──────┐    └──┐└───┐             └──┐         └──┐ └─┐ b always sent
//!   buffer             |  #  |  #  |  #  |            |  #  |  #  | b |
//!                       all-reduced when over `bucket_bytes`     at the end of backward
//! ```
//!
//! Per value, with hg the residual (the paper's algorithm 1, as printed):
//!
//! ```text
//!   g = g + hg;   important: hg = 0, g is sent      else: hg = momentum · g, nothing is applied
//! ```
//!
//! At the end of a step the L1 norms of all chunks are summed over ranks, those of important ones
//! divided by the number of ranks, since every rank holds their sum. The chunks with the largest
//! norms are important in the next step; of equal ones the first.
//!
//! Defined here, because the paper does not: chunks are multiples of 4,096 values, 32,768 by
//! default (the paper's have 32,000). The last chunk of a param may be shorter. Params smaller than
//! a chunk are always sent. `share` is of the other chunks, rounded up. In the first step all are
//! important; then the share falls linearly over `warmup` steps. After a skipped step all chunks
//! count as unsent: `hg = momentum · g`. A norm beyond `f32` counts as not finite, and then the set
//! stays as it is.

mod selection;
mod step;

use super::arithmetic::{fraction_of, scale, zero_not_finite};
use super::config::WARMUP;
use super::record::AppliedRanges;
use super::row::{CompressionRow, RowContext};
use super::{
    Applied, CompressionConfig, CompressionError, CompressionKey, CompressionKind,
    CompressionSetup, DecisionUnit, KeyRange, MomentumUse, PlannedCollective, ResidualState,
    SentVolume, StepCall, find,
};
use crate::ExchangeError;
use crate::canonical::add_assign;
use selection::ChunkTable;
use std::ops::Range;

/// This compression's row in the [table](super::COMPRESSIONS).
pub(super) const KIND: CompressionKind = CompressionKind {
    name: "sparse-chunks",
    summary: "sums only the chunks of params with the largest gradients",
    keys: &[
        CompressionKey {
            name: "share",
            default: "0.15",
            meaning: "chunks that are sent, of those that need not always be",
            range: KeyRange::Fraction,
        },
        CompressionKey {
            name: "chunk",
            default: "32768",
            meaning: "values of a chunk",
            range: KeyRange::Whole { min: 4096, max: 1 << 30, multiple_of: 4096 },
        },
        CompressionKey {
            name: WARMUP,
            default: "500",
            meaning: "steps in which the share falls from 1",
            range: KeyRange::Whole { min: 0, max: u32::MAX, multiple_of: 1 },
        },
    ],
    momentum: MomentumUse::FrozenWhereUnsent,
    decision: DecisionUnit::Step,
    state_vectors: 1,
    volume: SentVolume::Planned,
    build,
};

fn build(
    config: &CompressionConfig,
    setup: &CompressionSetup,
) -> Result<Box<dyn CompressionRow>, CompressionError> {
    setup.check_momentum(find(KIND.name)?)?;
    let table = ChunkTable::new(setup, config.whole("chunk"));
    let selectable = table.selectable;
    Ok(Box::new(SparseChunks {
        share: config.number("share"),
        warmup: config.whole(WARMUP) as u64,
        momentum: setup.momentum.value,
        ranks: setup.rank.world() as f32,
        threshold: setup.bucket_bytes / size_of::<f32>(),
        buckets: setup.buckets.clone(),
        is_important: vec![true; selectable],
        was_sent: vec![true; selectable],
        before_dense: Vec::new(),
        residual: vec![0.0; setup.pool_len()],
        norms: vec![0.0; selectable],
        send: Vec::new(),
        queued: Vec::new(),
        order: Vec::new(),
        applied: AppliedRanges::default(),
        steps: 0,
        is_dense: false,
        table,
    }))
}

struct SparseChunks {
    share: f64,
    warmup: u64,
    momentum: f32,
    ranks: f32,
    /// The send buffer is summed when it holds more values.
    threshold: usize,
    buckets: Vec<Range<usize>>,
    table: ChunkTable,
    /// Which chunks are sent in this step, per selectable chunk.
    is_important: Vec<bool>,
    /// Which were sent in the last step: `residual` holds what this rank sent, and counts as zero
    /// unless the step was skipped.
    was_sent: Vec<bool>,
    /// `was_sent` before a dense step.
    before_dense: Vec<bool>,
    /// As long as the pool.
    residual: Vec<f32>,
    /// Per selectable chunk.
    norms: Vec<f32>,
    send: Vec<f32>,
    /// Chunks in the send buffer, in order.
    queued: Vec<usize>,
    /// Scratch of the selection.
    order: Vec<u32>,
    applied: AppliedRanges,
    /// Steps that were run, skipped ones too.
    steps: u64,
    is_dense: bool,
}

impl SparseChunks {
    /// How many chunks are sent in step `step`, counted from 0.
    fn count_at(&self, step: u64) -> usize {
        let done = if self.warmup == 0 { 1.0 } else { step as f64 / self.warmup as f64 };
        let share = 1.0 - (1.0 - self.share) * done.min(1.0);
        fraction_of(share, self.table.selectable)
    }

    fn is_sent(&self, chunk: usize) -> bool {
        self.table.chunks[chunk].selectable.is_none_or(|index| self.is_important[index])
    }

    /// Lengths of the all-reduces of a call in the next step.
    fn sums_of(&self, call: StepCall) -> Vec<usize> {
        let (mut queued, mut sums) = (0, Vec::new());
        for (bucket, chunks) in self.table.of_bucket.iter().enumerate() {
            for chunk in chunks.clone().filter(|&chunk| self.is_sent(chunk)) {
                queued += self.table.chunks[chunk].range.len();
                if queued > self.threshold {
                    let sum = std::mem::take(&mut queued);
                    sums.extend((call == StepCall::Bucket(bucket)).then_some(sum));
                }
            }
        }
        sums.extend((call == StepCall::Finish && queued > 0).then_some(queued));
        sums
    }
}

impl CompressionRow for SparseChunks {
    fn bucket_ready(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        if self.is_dense {
            return self.sum_dense(index, context);
        }
        if index == 0 {
            self.before_dense.clear();
        }
        for chunk in self.table.of_bucket[index].clone() {
            let begin = context.record.spent();
            self.prepare(chunk, context.pool);
            context.record.encoded_since(begin);
            if self.send.len() > self.threshold {
                self.flush(context)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, context: &mut RowContext<'_>) -> Result<Applied, ExchangeError> {
        if self.is_dense {
            self.steps += 1;
            return Ok(Applied::Everything);
        }
        self.flush(context)?;
        self.applied.clear();
        for chunk in 0..self.table.chunks.len() {
            if self.is_sent(chunk) {
                self.applied.push(self.table.chunks[chunk].range.clone());
            }
        }
        self.select(context)?;
        self.steps += 1;
        Ok(self.applied.applied(self.residual.len()))
    }

    fn step_skipped(&mut self) {
        if !self.before_dense.is_empty() {
            self.was_sent.clone_from(&self.before_dense);
            return;
        }
        for chunk in &self.table.chunks {
            let Some(index) = chunk.selectable else { continue };
            let residual = &mut self.residual[chunk.range.clone()];
            if std::mem::replace(&mut self.was_sent[index], false) {
                scale(self.momentum, residual);
            }
            zero_not_finite(residual);
        }
    }

    fn planned(&self, call: StepCall, _: &[bool]) -> Vec<PlannedCollective> {
        if self.is_dense {
            return match call {
                StepCall::Bucket(index) => {
                    vec![PlannedCollective::AllReduce { values: self.buckets[index].len() }]
                }
                StepCall::Finish => Vec::new(),
            };
        }
        let sums = self.sums_of(call).into_iter();
        let sums = sums.map(|values| PlannedCollective::AllReduce { values });
        let has_norms = call == StepCall::Finish && self.table.selectable > 0;
        let norms = PlannedCollective::Sum { values: self.table.selectable };
        sums.chain(has_norms.then_some(norms)).collect()
    }

    /// All at the end: nobody knows which buckets will have important chunks.
    fn expected(&self, call: StepCall) -> Vec<PlannedCollective> {
        if call != StepCall::Finish {
            return Vec::new();
        }
        let ChunkTable { selectable, selectable_values, always_sent, .. } = self.table;
        let sent = selectable_values * fraction_of(self.share, selectable);
        let values = always_sent + sent.checked_div(selectable).unwrap_or(0);
        let full = self.threshold.max(1);
        let sums = (0..values / full).map(|_| full).chain([values % full]);
        let sums = sums.filter(|&values| values > 0);
        let sums = sums.map(|values| PlannedCollective::AllReduce { values });
        let norms = PlannedCollective::Sum { values: selectable };
        sums.chain((selectable > 0).then_some(norms)).collect()
    }

    fn set_dense_step(&mut self, dense: bool) {
        self.is_dense = dense;
    }

    fn make_final(&mut self) {
        for chunk in &self.table.chunks {
            if chunk.selectable.is_none_or(|index| self.was_sent[index]) {
                self.residual[chunk.range.clone()].fill(0.0);
            }
        }
    }

    fn add_residual(&self, index: usize, values: &mut [f32]) {
        add_assign(values, &self.residual[self.buckets[index].clone()]);
    }

    fn clear_residual(&mut self, index: usize) {
        self.residual[self.buckets[index].clone()].fill(0.0);
    }

    fn rescale(&mut self, factor: f32) {
        scale(factor, &mut self.residual);
    }

    fn save<'a>(&'a self, state: &mut ResidualState<'a>) {
        state.push_f32("residual", &self.residual);
        let flags = |flags: &[bool]| flags.iter().map(|&flag| u64::from(flag)).collect();
        state.push_u64("important chunks", flags(&self.is_important));
        state.push_u64("sent chunks", flags(&self.was_sent));
        state.push_u64("steps", vec![self.steps]);
    }

    fn load(&mut self, state: &ResidualState<'_>) -> Result<(), CompressionError> {
        state.copy_f32("residual", &mut self.residual)?;
        let count = self.table.selectable;
        let flags = |numbers: &[u64]| numbers.iter().map(|&number| number == 1).collect();
        self.is_important = flags(state.numbers("important chunks", count, 2)?);
        self.was_sent = flags(state.numbers("sent chunks", count, 2)?);
        self.steps = state.numbers("steps", 1, u64::MAX)?[0];
        self.before_dense.clear();
        Ok(())
    }

    fn notices(&self) -> Vec<String> {
        let (selectable, always) = (self.table.selectable_values, self.table.always_sent);
        if selectable >= always {
            return Vec::new();
        }
        let values = selectable + always;
        vec![format!(
            "sparse-chunks: params smaller than a chunk hold {always} of {values} values and are \
             always sent; a smaller `chunk` sends less"
        )]
    }
}

#[cfg(test)]
mod tests;
