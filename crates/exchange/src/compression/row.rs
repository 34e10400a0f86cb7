//! What a compression implements. [`Compressor`](super::Compressor) calls it, and sums dense
//! buckets itself.

use super::pool::PoolAccess;
use super::record::StepRecord;
use super::{Applied, CompressionError, PlannedCollective, ResidualState, StepCall};
use crate::{Exchange, ExchangeError};

/// What a row works with during one call.
pub(super) struct RowContext<'a> {
    /// Gradients; the ranges of the buckets that were announced are the row's to use.
    pub(super) pool: &'a dyn PoolAccess,
    pub(super) exchange: &'a mut Exchange,
    /// Figures of the step.
    pub(super) record: &'a mut StepRecord,
    /// Buckets that the row is not told of: they are summed densely.
    pub(super) dense: &'a [bool],
}

/// A running compression on one rank. Memory is allocated once and kept.
pub(super) trait CompressionRow: Send {
    /// Bucket `index` of the pool holds this rank's sum. Buckets come in order, on all ranks.
    fn bucket_ready(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError>;

    /// Backward has ended: runs what is left, and says where the update applies.
    fn finish(&mut self, context: &mut RowContext<'_>) -> Result<Applied, ExchangeError>;

    /// Nothing of the last step was applied: what was sent counts as unsent.
    fn step_skipped(&mut self);

    /// The collectives of the next step, as far as they can be known: exactly, unless entries are
    /// counted only when they are sent. `dense` buckets are not the row's.
    fn planned(&self, call: StepCall, dense: &[bool]) -> Vec<PlannedCollective>;

    /// The collectives of a step long after the start, if all buckets are compressed.
    fn expected(&self, call: StepCall) -> Vec<PlannedCollective>;

    /// Sums whole steps densely, or no longer; for rows that are decided per step.
    fn set_dense_step(&mut self, _dense: bool) {}

    /// Bucket `index` was summed densely and holds `values`.
    fn dense_reduced(&mut self, _index: usize, _values: &mut [f32]) {}

    /// The last step is final: vectors hold what they mean, so that they can be read from outside.
    fn make_final(&mut self);

    /// Adds the residual of bucket `index` to `values`: the gradient that has its effect.
    /// [`make_final`](Self::make_final) was called.
    fn add_residual(&self, index: usize, values: &mut [f32]);

    /// Adds to `values` the gradient that has the effect of what the row keeps of bucket `index`
    /// while it is summed densely. The same on all ranks, so only rank 0 adds it.
    fn add_dense_velocity(&self, _index: usize, _values: &mut [f32]) {}

    /// Forgets the residual of bucket `index`.
    fn clear_residual(&mut self, index: usize);

    /// Multiplies residuals by a factor. [`make_final`](Self::make_final) was called.
    fn rescale(&mut self, factor: f32);

    /// Adds all vectors to `state`. [`make_final`](Self::make_final) was called.
    fn save<'a>(&'a self, state: &mut ResidualState<'a>);

    /// Goes on from what was saved.
    fn load(&mut self, state: &ResidualState<'_>) -> Result<(), CompressionError>;

    /// What the user should know about options that this net cannot follow.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}
