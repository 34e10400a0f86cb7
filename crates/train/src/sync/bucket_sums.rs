//! Sums the buckets of a step over an exchange: each by its plan, or all by a compression.
//!
//! The communicator has one of these for the other ranks; with a named plan between the workers of
//! one process every worker has one for the other workers. Both call it in the same way:
//!
//! ```text
//!   bucket i is summed here ─▶ sum(i) ─▶ all-reduce, or Compressor::bucket_ready(i)
//!   after the last bucket ───▶ finish() ─▶ Compressor::finish ─▶ BucketSumsDone
//! ```

use std::ops::Range;

use exchange::canonical::sum_of_one;
use exchange::compression::{Applied, Compressor, MomentumUse, PoolAccess};
use exchange::{Exchange, ExchangeError};
use serde::{Deserialize, Serialize};
use tensor::SharedSlab;

/// Sums the buckets of one step after another.
#[derive(Default)]
pub(crate) struct BucketSums {
    compression: Option<BucketCompression>,
    /// What the plans send in a step; counted in the first.
    dense_bytes: Option<u64>,
    /// Of the step under way.
    traffic: SumTraffic,
}

/// A compression and the buckets that it compresses.
struct BucketCompression {
    compressor: Compressor,
    /// Whether compressing pays, per bucket.
    pays: Vec<bool>,
}

/// What the sums of a step sent, from this rank or worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SumTraffic {
    /// Bytes that were sent, counted.
    pub sent_bytes: u64,
    /// Bytes that the plans foretold; of a compression that counts entries, for as many as its
    /// options ask for.
    pub predicted_bytes: u64,
    /// Entries (an index with a sign or value) among them, own ones and those passed on.
    pub entries: u64,
}

/// What came of the sums of a step; the same on all ranks but for the bytes.
#[derive(Debug)]
pub(crate) struct BucketSumsDone {
    /// Where the update applies. Only rows that freeze momentum restrict it; others leave zeros
    /// where they sent nothing, and weight decay acts everywhere.
    pub(crate) applied: Applied,
    /// Whether a value was not finite that the pool does not show.
    pub(crate) not_finite: bool,
    pub(crate) traffic: SumTraffic,
}

impl BucketSums {
    /// By `compressor`, for all buckets until [`set_dense`](Self::set_dense) says otherwise.
    pub(crate) fn compressed(compressor: Compressor) -> Self {
        let pays = vec![true; compressor.buckets().len()];
        Self { compression: Some(BucketCompression { compressor, pays }), ..Self::default() }
    }

    /// Goes on with a compressor that has not begun.
    pub(crate) fn restart(&mut self, mut fresh: Compressor) {
        if let Some(BucketCompression { compressor, pays }) = &mut self.compression {
            let dense: Vec<bool> = pays.iter().map(|pays| !pays).collect();
            fresh.set_dense(&dense);
            *compressor = fresh;
        }
    }

    pub(crate) fn compressor(&self) -> Option<&Compressor> {
        self.compression.as_ref().map(|compression| &compression.compressor)
    }

    pub(crate) fn compressor_mut(&mut self) -> Option<&mut Compressor> {
        self.compression.as_mut().map(|compression| &mut compression.compressor)
    }

    /// Sums these buckets densely from the next step on.
    pub(crate) fn set_dense(&mut self, dense: &[bool]) {
        if let Some(BucketCompression { compressor, pays }) = &mut self.compression {
            compressor.set_dense(dense);
            *pays = dense.iter().map(|&dense| !dense).collect();
        }
    }

    /// Whether bucket `index` is compressed.
    pub(crate) fn compresses(&self, index: usize) -> bool {
        self.compression.as_ref().is_some_and(|compression| compression.pays[index])
    }

    /// Sums bucket `index` of `buckets` in `pool`, now or by the end of [`finish`](Self::finish).
    /// With a scale the bucket is a gradient as backward left it, still to be multiplied by that
    /// scale and rounded.
    pub(crate) fn sum(
        &mut self,
        index: usize,
        (buckets, pool): (&[Range<usize>], &SharedSlab),
        scale: Option<f32>,
        exchange: &mut Exchange,
    ) -> Result<(), ExchangeError> {
        if index == 0 {
            self.traffic = self.predicted(buckets, exchange)?;
        }
        let before = exchange.sent_bytes();
        match &mut self.compression {
            None => {
                let mut values = pool.write(buckets[index].clone());
                exchange.all_reduce_scaled(&mut values, scale.unwrap_or(1.0))?;
            }
            Some(BucketCompression { compressor, .. }) => {
                if let Some(scale) = scale {
                    let wire = exchange.config().wire;
                    sum_of_one(wire, scale, &mut pool.write(buckets[index].clone()));
                }
                compressor.bucket_ready(index, &SharedPool(pool), exchange)?;
            }
        }
        self.traffic.sent_bytes += exchange.sent_bytes() - before;
        Ok(())
    }

    /// Backward has ended: sums what is left.
    pub(crate) fn finish(
        &mut self,
        pool: &SharedSlab,
        exchange: &mut Exchange,
    ) -> Result<BucketSumsDone, ExchangeError> {
        let mut done = BucketSumsDone {
            applied: Applied::Everything,
            not_finite: false,
            traffic: self.traffic,
        };
        if let Some(BucketCompression { compressor, .. }) = &mut self.compression {
            let step = compressor.finish(&SharedPool(pool), exchange)?;
            let (sent_bytes, entries) = (step.sent_bytes, step.entries);
            done.traffic = SumTraffic { sent_bytes, entries, ..done.traffic };
            done.not_finite = step.not_finite;
            if compressor.config().kind().momentum == MomentumUse::FrozenWhereUnsent {
                done.applied = step.applied;
            }
        }
        Ok(done)
    }

    /// What this step is going to send.
    fn predicted(
        &mut self,
        buckets: &[Range<usize>],
        exchange: &mut Exchange,
    ) -> Result<SumTraffic, ExchangeError> {
        let predicted_bytes = match (&self.compression, self.dense_bytes) {
            (Some(BucketCompression { compressor, .. }), _) => {
                compressor.predicted_bytes(exchange)?
            }
            (None, Some(bytes)) => bytes,
            (None, None) => {
                let bytes = buckets.iter().map(|bucket| exchange.all_reduce_bytes(bucket.len()));
                *self.dense_bytes.insert(bytes.sum::<Result<u64, ExchangeError>>()?)
            }
        };
        Ok(SumTraffic { predicted_bytes, ..SumTraffic::default() })
    }
}

/// Lends ranges of a pool that other threads use meanwhile.
struct SharedPool<'a>(&'a SharedSlab);

impl PoolAccess for SharedPool<'_> {
    fn read(&self, range: Range<usize>, body: &mut dyn FnMut(&[f32])) {
        body(&self.0.read_range(range));
    }

    fn write(&self, range: Range<usize>, body: &mut dyn FnMut(&mut [f32])) {
        body(&mut self.0.write(range));
    }
}
