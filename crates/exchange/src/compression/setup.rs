//! What a compression must know of the net and of the job.

use super::{CompressionError, CompressionKind};
use crate::wire::WireFormat;
use base::{Clock, Rank};
use std::ops::Range;
use std::sync::Arc;

/// Where the gradients of the params are in the pool, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolLayout {
    /// They tile the pool.
    pub params: Vec<PoolParam>,
}

/// The gradient of one param as a matrix in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolParam {
    /// Where it is in the pool.
    pub range: Range<usize>,
    /// Outputs: of a convolution its filters.
    pub rows: usize,
    /// Values per output: of a convolution inputs · height · width.
    pub columns: usize,
}

impl PoolParam {
    /// Whether it has one row or one column: a bias, or a scale.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.rows <= 1 || self.columns <= 1
    }
}

/// The solver's momentum, for compressions that correct it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentumSetup {
    /// Its factor.
    pub value: f32,
    /// Whether the rule is Nesterov's.
    pub nesterov: bool,
}

/// What a compression must know of the net and of the job. The same on all ranks but for `rank`.
#[derive(Clone)]
pub struct CompressionSetup {
    /// Params in the pool.
    pub layout: PoolLayout,
    /// Buckets in the order in which they become ready. They tile the pool and hold whole params.
    pub buckets: Vec<Range<usize>>,
    /// A send buffer that crosses buckets is summed once it holds more than this.
    pub bucket_bytes: usize,
    /// This rank and the world.
    pub rank: Rank,
    /// The wire format of the exchange.
    pub wire: &'static WireFormat,
    /// The solver's momentum.
    pub momentum: MomentumSetup,
    /// For random start values; the same on all ranks.
    pub seed: u64,
    /// Times encoding and decoding, if given.
    pub clock: Option<Arc<dyn Clock>>,
}

impl CompressionSetup {
    /// Number of values in the pool.
    #[must_use]
    pub fn pool_len(&self) -> usize {
        self.layout.params.last().map_or(0, |param| param.range.end)
    }

    /// # Panics
    ///
    /// If params or buckets do not tile the pool, or a bucket ends inside a param.
    pub(super) fn check(&self) {
        let mut end = 0;
        for param in &self.layout.params {
            assert_eq!(param.range.start, end, "params tile the pool");
            assert_eq!(param.rows * param.columns, param.range.len(), "a param is a matrix");
            end = param.range.end;
        }
        let ends: Vec<usize> = self.layout.params.iter().map(|param| param.range.end).collect();
        let mut end = 0;
        for bucket in &self.buckets {
            assert_eq!(bucket.start, end, "buckets tile the pool");
            assert!(ends.binary_search(&bucket.end).is_ok(), "a bucket holds whole params");
            end = bucket.end;
        }
        assert_eq!(end, self.pool_len(), "buckets tile the pool");
    }

    /// The params of a bucket.
    pub(super) fn params_of(&self, bucket: usize) -> &[PoolParam] {
        let (params, range) = (&self.layout.params, &self.buckets[bucket]);
        let first = params.partition_point(|param| param.range.end <= range.start);
        let end = params.partition_point(|param| param.range.end <= range.end);
        &params[first.min(end)..end]
    }

    /// Refuses a momentum that cannot be corrected.
    pub(super) fn check_momentum(
        &self,
        kind: &'static CompressionKind,
    ) -> Result<(), CompressionError> {
        let momentum = self.momentum.value;
        match (0.0..1.0).contains(&momentum) {
            true => Ok(()),
            false => Err(CompressionError::Momentum { kind, momentum }),
        }
    }

    /// Refuses buckets whose values cannot be numbered in 31 bits.
    pub(super) fn check_indices(
        &self,
        kind: &'static CompressionKind,
    ) -> Result<(), CompressionError> {
        let lens = self.buckets.iter().map(Range::len).enumerate();
        match lens.into_iter().find(|&(_, len)| len >= 1 << 31) {
            Some((bucket, values)) => Err(CompressionError::BucketTooLong { kind, bucket, values }),
            None => Ok(()),
        }
    }
}
