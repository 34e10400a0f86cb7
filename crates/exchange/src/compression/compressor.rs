//! One rank's compression: checks the order of calls, sums dense buckets, counts bytes.

use super::pool::{PoolAccess, with_range};
use super::record::StepRecord;
use super::row::{CompressionRow, RowContext};
use super::{
    CompressedStep, CompressionConfig, CompressionError, CompressionSetup, DecisionUnit,
    PlannedCollective, ResidualState, StepCall,
};
use crate::wire::WireFormat;
use crate::{Exchange, ExchangeError};
use base::Rank;
use std::ops::Range;

/// Sums the buckets of every step over all ranks with fewer bytes. All ranks make the same calls
/// in the same order: every bucket, then [`finish`](Self::finish).
pub struct Compressor {
    config: CompressionConfig,
    rank: Rank,
    wire: &'static WireFormat,
    buckets: Vec<Range<usize>>,
    row: Box<dyn CompressionRow>,
    /// Buckets that are summed densely.
    dense: Vec<bool>,
    residuals: Vec<BucketResidual>,
    /// The bucket that comes next.
    next: usize,
    record: StepRecord,
}

/// What the row keeps of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BucketResidual {
    /// Nothing.
    Empty,
    /// Something, perhaps.
    Kept,
    /// Something that went into the last step's dense sum, unless that step was skipped.
    Added,
}

impl Compressor {
    pub(super) fn new(
        config: CompressionConfig,
        setup: &CompressionSetup,
        row: Box<dyn CompressionRow>,
    ) -> Self {
        let count = setup.buckets.len();
        Self {
            config,
            rank: setup.rank,
            wire: setup.wire,
            buckets: setup.buckets.clone(),
            row,
            dense: vec![false; count],
            residuals: vec![BucketResidual::Empty; count],
            next: 0,
            record: StepRecord { clock: setup.clock.clone(), ..StepRecord::default() },
        }
    }

    /// What runs, with all options.
    #[must_use]
    pub fn config(&self) -> &CompressionConfig {
        &self.config
    }

    /// The rank that it was made for.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The buckets that it was made for.
    #[must_use]
    pub fn buckets(&self) -> &[Range<usize>] {
        &self.buckets
    }

    /// What the user should know about options that this net cannot follow.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.row.notices()
    }

    /// Sums these buckets densely from the next step on: what [`decide`](super::decide()) returns.
    /// A compression that is decided per step is dense when all buckets are. The last step counts
    /// as applied.
    ///
    /// # Panics
    ///
    /// If there is not an answer per bucket, or in the middle of a step.
    pub fn set_dense(&mut self, dense: &[bool]) {
        assert_eq!(self.next, 0, "the step has not begun");
        assert_eq!(dense.len(), self.buckets.len(), "an answer per bucket");
        self.make_final();
        match self.config.kind().decision {
            DecisionUnit::Bucket => self.dense.copy_from_slice(dense),
            DecisionUnit::Step => self.row.set_dense_step(dense.iter().all(|&dense| dense)),
        }
    }

    /// Bucket `index` of the pool holds this rank's sum. May run collectives now or later.
    ///
    /// # Panics
    ///
    /// If it is not this bucket's turn, or the exchange has another rank or wire format than the
    /// set-up.
    pub fn bucket_ready(
        &mut self,
        index: usize,
        pool: &dyn PoolAccess,
        exchange: &mut Exchange,
    ) -> Result<(), ExchangeError> {
        assert_eq!(index, self.next, "buckets come in order");
        assert_eq!(exchange.rank(), self.rank, "the rank that it was made for");
        assert_eq!(exchange.wire(), self.wire, "the wire format that it was made for");
        self.next += 1;
        let before = exchange.sent_bytes();
        if self.residuals[index] == BucketResidual::Added {
            self.row.clear_residual(index);
            self.residuals[index] = BucketResidual::Empty;
        }
        if self.dense[index] {
            self.reduce_dense(index, pool, exchange)?;
        } else {
            self.residuals[index] = BucketResidual::Kept;
            let Self { row, record, dense, .. } = self;
            row.bucket_ready(index, &mut RowContext { pool, exchange, record, dense })?;
        }
        self.record.sent_bytes += exchange.sent_bytes() - before;
        Ok(())
    }

    fn reduce_dense(
        &mut self,
        index: usize,
        pool: &dyn PoolAccess,
        exchange: &mut Exchange,
    ) -> Result<(), ExchangeError> {
        let Self { row, residuals, .. } = self;
        with_range(pool, self.buckets[index].clone(), |values| {
            if residuals[index] == BucketResidual::Kept {
                row.add_residual(index, values); // final: nothing happened to it in this step
                residuals[index] = BucketResidual::Added;
            }
            exchange.all_reduce(values)?;
            row.dense_reduced(index, values);
            Ok(())
        })
    }

    /// Backward has ended: runs what is left. The pool then holds what was summed, the same on all
    /// ranks, and zeros where nothing is applied.
    ///
    /// # Panics
    ///
    /// If a bucket is missing.
    pub fn finish(
        &mut self,
        pool: &dyn PoolAccess,
        exchange: &mut Exchange,
    ) -> Result<CompressedStep, ExchangeError> {
        assert_eq!(self.next, self.buckets.len(), "all buckets have come");
        self.next = 0;
        let before = exchange.sent_bytes();
        let Self { row, record, dense, .. } = self;
        let applied = row.finish(&mut RowContext { pool, exchange, record, dense })?;
        self.record.sent_bytes += exchange.sent_bytes() - before;
        Ok(self.record.take(applied))
    }

    /// Nothing of the last step was applied (overflow): what was sent counts as unsent. Call it
    /// before anything else happens to the compression.
    pub fn step_skipped(&mut self) {
        for residual in &mut self.residuals {
            if *residual == BucketResidual::Added {
                *residual = BucketResidual::Kept;
            }
        }
        self.row.step_skipped();
    }

    /// The collectives that a call of the next step will run: exactly, but for `threshold` and
    /// `top-k`, whose entries are counted when they are sent.
    #[must_use]
    pub fn planned(&self, call: StepCall) -> Vec<PlannedCollective> {
        match call {
            StepCall::Bucket(index) if self.dense[index] => {
                vec![PlannedCollective::AllReduce { values: self.buckets[index].len() }]
            }
            StepCall::Bucket(_) | StepCall::Finish => self.row.planned(call, &self.dense),
        }
    }

    /// As [`planned`](Self::planned), for a step long after the start in which all buckets are
    /// compressed.
    #[must_use]
    pub fn expected(&self, call: StepCall) -> Vec<PlannedCollective> {
        self.row.expected(call)
    }

    /// Bytes that this rank will send in the next step, as far as [`planned`](Self::planned) knows.
    pub fn predicted_bytes(&self, exchange: &mut Exchange) -> Result<u64, ExchangeError> {
        let calls = (0..self.buckets.len()).map(StepCall::Bucket).chain([StepCall::Finish]);
        let collectives = calls.flat_map(|call| self.planned(call));
        collectives.map(|collective| collective.bytes(exchange)).sum()
    }

    /// The last step is final, and vectors hold what they mean.
    fn make_final(&mut self) {
        self.row.make_final();
        for (index, residual) in self.residuals.iter_mut().enumerate() {
            if *residual == BucketResidual::Added {
                self.row.clear_residual(index);
                *residual = BucketResidual::Empty;
            }
        }
    }

    /// What this rank must keep to go on from here to the bit. The last step counts as applied.
    pub fn save(&mut self) -> ResidualState<'_> {
        self.make_final();
        let mut state = ResidualState {
            compression: self.config.to_string(),
            rank: self.rank.index() as u64,
            world: self.rank.world() as u64,
            vectors: Vec::new(),
        };
        self.row.save(&mut state);
        state
    }

    /// Goes on from what was saved on this rank of as large a world. After an error the compression
    /// must not be used.
    pub fn load(&mut self, state: &ResidualState<'_>) -> Result<(), CompressionError> {
        let expected = self.config.to_string();
        if state.compression != expected {
            let found = state.compression.clone();
            return Err(CompressionError::OtherCompression { expected, found });
        }
        let expected = [self.rank.index() as u64, self.rank.world() as u64];
        let found = [state.rank, state.world];
        if found != expected {
            return Err(CompressionError::OtherRank { expected, found });
        }
        self.residuals.fill(BucketResidual::Kept);
        self.row.load(state)
    }

    /// Adds this rank's residual to `gradient`, which is as long as the pool: what a job in another
    /// world adds to its first gradient, from one compression per old rank, so that nothing that
    /// was computed is lost. The last step counts as applied.
    ///
    /// # Panics
    ///
    /// If `gradient` has another length.
    pub fn residual_into(&mut self, gradient: &mut [f32]) {
        assert_eq!(gradient.len(), self.buckets.last().map_or(0, |bucket| bucket.end));
        self.make_final();
        for (index, bucket) in self.buckets.iter().enumerate() {
            let gradient = &mut gradient[bucket.clone()];
            self.row.add_residual(index, gradient);
            if self.rank.is_first() {
                self.row.add_dense_velocity(index, gradient);
            }
        }
    }

    /// Multiplies residuals by `factor`: for gradients that are scaled (a loss scale) when the
    /// scale changes. Exact for powers of two. The last step counts as applied.
    pub fn rescale(&mut self, factor: f32) {
        self.make_final();
        self.row.rescale(factor);
    }
}
