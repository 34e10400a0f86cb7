//! `power-sgd`: matrices are sent as two thin factors, with error feedback. Vogels et al. 2019.
//!
//! One step of a power iteration per training step, which goes on from the last step's Q. Of all
//! matrices of a bucket together, and its dense params with P:
//!
//! ```text
//!   M = g + e ──▶ P = M Q ──▶ all-reduce ──▶ Gram-Schmidt ──▶ Qₗ = Mᵀ P ──▶ all-reduce ──▶ Q
//!       ▲                                         │              │                         │
//!       └──────────── e' = M - P Qₗᵀ ◀────────────┴──────────────┘    pool = P Qᵀ ◀────────┘
//! ```
//!
//! A matrix has a row per output; a convolution's is (outputs) × (inputs · height · width). Each
//! rank sends `rank · (rows + columns)` values of it, in the wire format, by any all-reduce. The
//! columns of Q are normalised, so that P has the size of M. A column that has become zero is drawn
//! anew, from a seed that all ranks share.
//!
//! Vectors are summed densely, and so are matrices whose factors would not be smaller, for example
//! all whose smaller side is not above `rank`; a notice tells how many. The residual is that of
//! each rank's own matrix; it is computed from M, P and Qₗ when it is needed, which saves a pass
//! over the pool per step. If P or Q is not finite, the matrix becomes NaN on all ranks. After a
//! skipped step `e' = g + e`.

mod factors;
mod orthonormal;

use super::arithmetic::{scale, zero_not_finite};
use super::pool::with_range;
use super::row::{CompressionRow, RowContext};
use super::{
    Applied, CompressionConfig, CompressionError, CompressionKey, CompressionKind,
    CompressionSetup, DecisionUnit, KeyRange, MomentumUse, PlannedCollective, ResidualState,
    SentVolume, StepCall,
};
use crate::ExchangeError;
use crate::canonical::add_assign;
use factors::FactoredMatrix;
use orthonormal::orthonormalise;
use std::ops::Range;

/// This compression's row in the [table](super::COMPRESSIONS).
pub(super) const KIND: CompressionKind = CompressionKind {
    name: "power-sgd",
    summary: "sends two thin factors per matrix, with error feedback",
    keys: &[CompressionKey {
        name: "rank",
        default: "2",
        meaning: "columns of a factor",
        range: KeyRange::Whole { min: 1, max: 1024, multiple_of: 1 },
    }],
    momentum: MomentumUse::Rule,
    decision: DecisionUnit::Bucket,
    state_vectors: 1,
    volume: SentVolume::Planned,
    build,
};

fn build(
    config: &CompressionConfig,
    setup: &CompressionSetup,
) -> Result<Box<dyn CompressionRow>, CompressionError> {
    let rank = config.whole("rank");
    let buckets: Vec<PowerBucket> =
        (0..setup.buckets.len()).map(|index| PowerBucket::new(setup, index, rank)).collect();
    let matrices = setup.layout.params.iter().filter(|param| !param.is_vector());
    let factored: usize = buckets.iter().map(|bucket| bucket.matrices.len()).sum();
    Ok(Box::new(PowerSgd {
        rank,
        too_small: matrices.count() - factored,
        seed: setup.seed,
        buckets,
        residual: vec![0.0; setup.pool_len()],
        send: Vec::new(),
        scratch: Vec::new(),
        is_finite: Vec::new(),
        steps: 0,
    }))
}

struct PowerSgd {
    rank: usize,
    /// Matrices whose factors would not be smaller.
    too_small: usize,
    seed: u64,
    buckets: Vec<PowerBucket>,
    /// As long as the pool: M of the last step, of which the product of the factors is to be
    /// subtracted while a bucket says so.
    residual: Vec<f32>,
    send: Vec<f32>,
    scratch: Vec<f64>,
    /// Per matrix of a bucket, whether its factors are.
    is_finite: Vec<bool>,
    /// Steps that were run, skipped ones too.
    steps: u64,
}

struct PowerBucket {
    range: Range<usize>,
    matrices: Vec<FactoredMatrix>,
    /// Params that are summed densely.
    dense: Vec<Range<usize>>,
    dense_len: usize,
    /// P of the last step, orthonormal.
    p: Vec<f32>,
    /// Q of the last step: of this rank, and summed.
    q_local: Vec<f32>,
    q: Vec<f32>,
    /// Whether P and the local Q belong to the residual.
    has_factors: bool,
}

impl PowerBucket {
    fn new(setup: &CompressionSetup, index: usize, rank: usize) -> Self {
        let (mut matrices, mut dense) = (Vec::new(), Vec::new());
        let (mut p_len, mut q_len) = (0, 0);
        for param in setup.params_of(index) {
            let (range, rows, columns) = (param.range.clone(), param.rows, param.columns);
            if param.is_vector() || rank * (rows + columns) >= rows * columns {
                dense.push(range);
                continue;
            }
            let p = p_len..p_len + rank * rows;
            let q = q_len..q_len + rank * columns;
            (p_len, q_len) = (p.end, q.end);
            matrices.push(FactoredMatrix { range, rows, columns, p, q });
        }
        Self {
            range: setup.buckets[index].clone(),
            dense_len: dense.iter().map(Range::len).sum(),
            matrices,
            dense,
            p: vec![0.0; p_len],
            q_local: vec![0.0; q_len],
            q: vec![0.0; q_len],
            has_factors: false,
        }
    }

    /// A range of the pool within the bucket.
    fn inside(&self, range: &Range<usize>) -> Range<usize> {
        range.start - self.range.start..range.end - self.range.start
    }

    /// The residual takes in the product of the factors.
    fn subtract_factors(&mut self, residual: &mut [f32]) {
        if !std::mem::take(&mut self.has_factors) {
            return;
        }
        for matrix in &self.matrices {
            let (p, q) = (&self.p[matrix.p.clone()], &self.q_local[matrix.q.clone()]);
            matrix.subtract_product(&mut residual[matrix.range.clone()], p, q);
        }
    }
}

impl PowerSgd {
    /// `M = g + e`; leaves `M Q` of all matrices and the dense params in the send buffer.
    fn encode(&mut self, index: usize, context: &mut RowContext<'_>) {
        let Self { buckets, residual, send, seed, steps, .. } = self;
        let bucket = &mut buckets[index];
        send.clear();
        send.resize(bucket.p.len(), 0.0);
        for matrix in &bucket.matrices {
            matrix.normalise(&mut bucket.q[matrix.q.clone()], *seed, *steps);
        }
        context.pool.read(bucket.range.clone(), &mut |pool| {
            for matrix in &bucket.matrices {
                let (p, q) = (matrix.p.clone(), matrix.q.clone());
                let old = (&bucket.p[p.clone()], &bucket.q_local[q.clone()]);
                let old = bucket.has_factors.then_some(old);
                let m = &mut residual[matrix.range.clone()];
                let gradient = &pool[bucket.inside(&matrix.range)];
                matrix.accumulate(m, gradient, old, &bucket.q[q], &mut send[p]);
            }
            for range in &bucket.dense {
                send.extend_from_slice(&pool[bucket.inside(range)]);
            }
        });
    }

    /// Makes P of the sum orthonormal, writes the dense params back, and leaves `Mᵀ P` in the send
    /// buffer.
    fn project(&mut self, index: usize, context: &mut RowContext<'_>) {
        let Self { buckets, residual, send, scratch, is_finite, .. } = self;
        let bucket = &mut buckets[index];
        let (p, mut dense) = send.split_at(bucket.p.len());
        bucket.p.copy_from_slice(p);
        for range in &bucket.dense {
            let (sum, rest) = dense.split_at(range.len());
            with_range(context.pool, range.clone(), |values| values.copy_from_slice(sum));
            dense = rest;
        }
        is_finite.clear();
        for matrix in &bucket.matrices {
            let p = &mut bucket.p[matrix.p.clone()];
            is_finite.push(p.iter().all(|value| value.is_finite()));
            orthonormalise(p, matrix.rows, scratch);
            let q = &mut bucket.q_local[matrix.q.clone()];
            matrix.project(&residual[matrix.range.clone()], p, q);
        }
        bucket.has_factors = true;
        send.clear();
        send.extend_from_slice(&bucket.q_local);
    }

    /// Writes `P Qᵀ` to the pool. Returns whether all is finite.
    fn decode(&mut self, index: usize, context: &mut RowContext<'_>) -> bool {
        let Self { buckets, send, is_finite, .. } = self;
        let bucket = &mut buckets[index];
        for (matrix, is_finite) in bucket.matrices.iter().zip(&mut *is_finite) {
            let sum = &send[matrix.q.clone()];
            *is_finite &= sum.iter().all(|value| value.is_finite());
            with_range(context.pool, matrix.range.clone(), |values| {
                if !*is_finite {
                    return values.fill(f32::NAN);
                }
                bucket.q[matrix.q.clone()].copy_from_slice(sum);
                matrix.expand(&bucket.p[matrix.p.clone()], sum, values);
            });
        }
        is_finite.iter().all(|&is_finite| is_finite)
    }
}

impl CompressionRow for PowerSgd {
    fn bucket_ready(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        let bucket = &self.buckets[index];
        if bucket.matrices.is_empty() {
            let exchange = &mut *context.exchange;
            return with_range(context.pool, bucket.range.clone(), |values| {
                exchange.all_reduce(values).map(drop)
            });
        }
        let begin = context.record.spent();
        self.encode(index, context);
        context.record.encoded_since(begin);
        context.exchange.all_reduce(&mut self.send)?;
        let begin = context.record.spent();
        self.project(index, context);
        context.record.encoded_since(begin);
        context.exchange.all_reduce(&mut self.send)?;
        let begin = context.record.spent();
        context.record.not_finite |= !self.decode(index, context);
        context.record.decoded_since(begin);
        Ok(())
    }

    fn finish(&mut self, _: &mut RowContext<'_>) -> Result<Applied, ExchangeError> {
        self.steps += 1;
        Ok(Applied::Everything)
    }

    fn step_skipped(&mut self) {
        self.buckets.iter_mut().for_each(|bucket| bucket.has_factors = false);
        zero_not_finite(&mut self.residual);
    }

    fn planned(&self, call: StepCall, _: &[bool]) -> Vec<PlannedCollective> {
        let StepCall::Bucket(index) = call else {
            return Vec::new();
        };
        let bucket = &self.buckets[index];
        let factors = [bucket.p.len() + bucket.dense_len, bucket.q.len()];
        let sums = factors.into_iter().filter(|&values| values > 0);
        sums.map(|values| PlannedCollective::AllReduce { values }).collect()
    }

    fn expected(&self, call: StepCall) -> Vec<PlannedCollective> {
        self.planned(call, &[])
    }

    fn make_final(&mut self) {
        for bucket in &mut self.buckets {
            bucket.subtract_factors(&mut self.residual);
        }
    }

    fn add_residual(&self, index: usize, values: &mut [f32]) {
        add_assign(values, &self.residual[self.buckets[index].range.clone()]);
    }

    fn clear_residual(&mut self, index: usize) {
        let bucket = &mut self.buckets[index];
        bucket.has_factors = false;
        self.residual[bucket.range.clone()].fill(0.0);
    }

    fn rescale(&mut self, factor: f32) {
        scale(factor, &mut self.residual);
    }

    fn save<'a>(&'a self, state: &mut ResidualState<'a>) {
        state.push_f32("residual", &self.residual);
        state.push_u64("steps", vec![self.steps]);
        for (index, bucket) in self.buckets.iter().enumerate() {
            state.push_f32(&format!("factors of bucket {index}"), &bucket.q);
        }
    }

    fn load(&mut self, state: &ResidualState<'_>) -> Result<(), CompressionError> {
        state.copy_f32("residual", &mut self.residual)?;
        self.steps = state.numbers("steps", 1, u64::MAX)?[0];
        for (index, bucket) in self.buckets.iter_mut().enumerate() {
            state.copy_f32(&format!("factors of bucket {index}"), &mut bucket.q)?;
            bucket.has_factors = false;
        }
        Ok(())
    }

    fn notices(&self) -> Vec<String> {
        if self.too_small == 0 {
            return Vec::new();
        }
        let (rank, count) = (self.rank, self.too_small);
        vec![format!(
            "power-sgd: {count} matrices are summed densely, because factors of rank {rank} would \
             not be smaller"
        )]
    }
}

#[cfg(test)]
mod tests;
