//! Which collectives an iteration runs, and which layers must have run backward before each.
//!
//! Buckets are those of training ([`collective::buckets`]), compressed ones are what the
//! compression itself plans. A compression that sends at the end of backward because nobody can
//! know which chunks will matter (sparse chunks) is given chunks that are spread evenly over the
//! pool, so its sums become ready as backward proceeds.

use crate::config::{BucketRule, SimulationConfig};
use crate::error::SimulationError;
use crate::model::NetModel;
use base::Rank;
use collective::buckets;
use exchange::compression::{
    CompressionConfig, CompressionSetup, DecisionUnit, MomentumSetup, PlannedCollective,
    PoolLayout, PoolParam, StepCall,
};
use std::ops::Range;

/// One bucket: what it waits for, and what then runs, one after another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScheduledBucket {
    /// Layers that must have run backward, counted from the last.
    pub(crate) ready_after: usize,
    pub(crate) collectives: Vec<PlannedCollective>,
    /// Bytes of gradients that a compression encodes before and decodes after.
    pub(crate) coded_bytes: usize,
    /// Bytes of gradients that the workers of a rank sum before.
    pub(crate) pool_bytes: usize,
}

impl ScheduledBucket {
    /// What follows the last bucket: every rank's loss, and whether somebody wants to stop. A net
    /// may have more outputs; so few values take their latency only.
    pub(crate) fn summary(layers: usize, ranks: usize) -> Self {
        let collectives = vec![PlannedCollective::Sum { values: 2 + ranks }];
        Self { ready_after: layers, collectives, coded_bytes: 0, pool_bytes: 0 }
    }
}

/// The buckets of an iteration, in order.
pub(crate) fn schedule(
    net: &NetModel,
    config: &SimulationConfig,
) -> Result<Vec<ScheduledBucket>, SimulationError> {
    let pool = Pool::new(net);
    let ranges = match config.buckets {
        BucketRule::Bytes(bytes) => buckets(pool.ready.iter().copied(), bytes),
        BucketRule::PerParam => pool.params.iter().map(|param| param.range.clone()).collect(),
    };
    let mut scheduled = match &config.compression {
        Some(compression) if config.ranks > 1 => pool.compressed(&ranges, compression, config)?,
        _ => ranges.iter().map(|range| pool.dense(range)).collect(),
    };
    if !config.overlap {
        scheduled.iter_mut().for_each(|bucket| bucket.ready_after = pool.ready.len());
    }
    scheduled.retain(|bucket| !bucket.collectives.is_empty());
    Ok(scheduled)
}

/// The pool: the last layer's gradients first.
struct Pool {
    params: Vec<PoolParam>,
    /// Length of the ready prefix after each layer, from the last layer on.
    ready: Vec<usize>,
}

impl Pool {
    fn new(net: &NetModel) -> Self {
        let (mut params, mut ready) = (Vec::new(), Vec::new());
        let mut end = 0;
        for layer in net.layers.iter().rev() {
            for param in &layer.params {
                let range = end..end + param.values();
                end = range.end;
                params.push(PoolParam { range, rows: param.rows, columns: param.columns });
            }
            ready.push(end);
        }
        Self { params, ready }
    }

    /// Layers that must have run before the first `len` values are ready.
    fn ready_after(&self, len: usize) -> usize {
        self.ready.partition_point(|&ready| ready < len) + 1
    }

    fn dense(&self, range: &Range<usize>) -> ScheduledBucket {
        ScheduledBucket {
            ready_after: self.ready_after(range.end),
            collectives: vec![PlannedCollective::AllReduce { values: range.len() }],
            coded_bytes: 0,
            pool_bytes: range.len() * size_of::<f32>(),
        }
    }

    fn compressed(
        &self,
        ranges: &[Range<usize>],
        compression: &CompressionConfig,
        config: &SimulationConfig,
    ) -> Result<Vec<ScheduledBucket>, SimulationError> {
        let BucketRule::Bytes(bucket_bytes) = config.buckets else {
            return Ok(ranges.iter().map(|range| self.dense(range)).collect());
        };
        let rank = Rank::new(0, config.ranks).ok_or(SimulationError::Zero { what: "ranks" })?;
        let setup = CompressionSetup {
            layout: PoolLayout { params: self.params.clone() },
            buckets: ranges.to_vec(),
            bucket_bytes,
            rank,
            wire: config.wire,
            momentum: MomentumSetup { value: 0.9, nesterov: false },
            seed: 0,
            clock: None,
        };
        let compressor = compression.clone().without_warmup().build(&setup)?;
        let mut scheduled: Vec<ScheduledBucket> = Vec::new();
        for (index, range) in ranges.iter().enumerate() {
            scheduled.push(ScheduledBucket {
                ready_after: self.ready_after(range.end),
                collectives: compressor.expected(StepCall::Bucket(index)),
                coded_bytes: range.len() * size_of::<f32>(),
                pool_bytes: range.len() * size_of::<f32>(),
            });
        }
        let last = compressor.expected(StepCall::Finish);
        if compression.kind().decision == DecisionUnit::Step {
            return Ok(self.spread(last));
        }
        let ready_after = self.ready.len();
        let (coded_bytes, pool_bytes) = (0, 0);
        scheduled.push(ScheduledBucket { ready_after, collectives: last, coded_bytes, pool_bytes });
        Ok(scheduled)
    }

    /// Sums of chunks that are spread evenly over the pool, and what follows them.
    fn spread(&self, collectives: Vec<PlannedCollective>) -> Vec<ScheduledBucket> {
        let len = |collective: &PlannedCollective| match collective {
            PlannedCollective::AllReduce { values } => *values,
            _ => 0,
        };
        let sent: usize = collectives.iter().map(len).sum();
        let pool = self.ready.last().copied().unwrap_or(0);
        let (mut done, mut coded) = (0, 0);
        collectives
            .into_iter()
            .map(|collective| {
                let values = len(&collective);
                done += values;
                // In u128: both factors may have 40 bits.
                let ready = (pool as u128 * done as u128).div_ceil(sent.max(1) as u128);
                let ready = usize::try_from(ready).unwrap_or(pool).min(pool);
                let is_sum = values > 0;
                // All of the pool is looked at to find the chunks that matter.
                let seen = std::mem::replace(&mut coded, ready);
                ScheduledBucket {
                    ready_after: if is_sum { self.ready_after(ready) } else { self.ready.len() },
                    collectives: vec![collective],
                    coded_bytes: (ready - seen) * size_of::<f32>(),
                    pool_bytes: (ready - seen) * size_of::<f32>(),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
