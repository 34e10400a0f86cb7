//! `firecaffe bench compression`: bytes, speed and error of a compression on given gradients.
//!
//! As many ranks as gradients, each on its own thread, sum them once or a few times. The error is
//! that of one step without a residual; times are medians over steps of rank 0's own work, without
//! the collectives.

use super::allreduce::BenchError;
use crate::compression::{
    CompressedStep, CompressionConfig, CompressionError, CompressionSetup, DecisionUnit,
    MomentumSetup, OwnedPool, PoolLayout, PoolParam, SentVolume,
};
use crate::wire::{self, WireFormat};
use crate::{Exchange, ExchangeConfig, ExchangeError, spawn_ranks};
use base::{Clock, median};
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Steps of a measurement.
const STEPS: usize = 4;

/// Rows and columns of the matrix on which [`codec_rate`] codes: 16 MB, more than a cache holds.
const CODEC_SIDE: usize = 2048;

/// What is measured: gradients of a net, one per rank.
#[derive(Clone)]
pub struct CompressionBench<'a> {
    /// Params in the pool.
    pub layout: PoolLayout,
    /// Buckets of the pool.
    pub buckets: Vec<Range<usize>>,
    /// One per rank, each as long as the pool.
    pub gradients: &'a [Vec<f32>],
    /// Wire format.
    pub wire: &'static WireFormat,
    /// Cores that the ranks share.
    pub cores: usize,
}

/// One line of the result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompressionResult {
    /// The compression with its options.
    pub compression: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Values of the pool.
    pub values: usize,
    /// What rank 0 would send without compression.
    pub dense_bytes: u64,
    /// What it was predicted to send in the last step.
    pub predicted_bytes: u64,
    /// What it sent, counted.
    pub sent_bytes: u64,
    /// Entries among it.
    pub entries: u64,
    /// Gradients that rank 0 encoded per time, in 10^9 bytes a second.
    pub encode_gbs: f64,
    /// Sums that rank 0 decoded per time.
    pub decode_gbs: f64,
    /// Length of the difference from the sum, relative to the sum.
    pub relative_error: f64,
}

/// Why a compression could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressionBenchError {
    /// The exchange failed.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The compression does not fit the net.
    #[error(transparent)]
    Compression(#[from] CompressionError),
    /// The plans foretold other bytes.
    #[error("{config}: {sent} bytes were sent, but {predicted} predicted")]
    OtherBytes {
        /// What was measured.
        config: CompressionConfig,
        /// Counted.
        sent: u64,
        /// By its plans.
        predicted: u64,
    },
    /// More entries than the row allows itself.
    #[error("{config}: {entries} entries were sent, but at most {most} are allowed")]
    TooManyEntries {
        /// What was measured.
        config: CompressionConfig,
        /// Counted.
        entries: u64,
        /// By its options and the lengths of buckets.
        most: u64,
    },
    /// Entries that cannot all have been sent.
    #[error("{config}: {entries} entries of {bytes} bytes are more than the {sent} bytes sent")]
    LargeEntries {
        /// What was measured.
        config: CompressionConfig,
        /// Counted.
        entries: u64,
        /// Of one entry.
        bytes: u64,
        /// Counted.
        sent: u64,
    },
}

impl From<ExchangeError> for CompressionBenchError {
    fn from(error: ExchangeError) -> Self {
        Self::Bench(error.into())
    }
}

/// What one rank measured.
struct RankFigures {
    dense_bytes: u64,
    predicted_bytes: u64,
    steps: Vec<CompressedStep>,
    /// The pool after the step whose error counts.
    sum: Vec<f32>,
}

/// Measures a compression. Its warm-up is left out.
pub fn measure(
    config: &CompressionConfig,
    bench: &CompressionBench<'_>,
    clock: &Arc<dyn Clock>,
) -> Result<CompressionResult, CompressionBenchError> {
    let config = config.clone().without_warmup();
    let exchange_config = ExchangeConfig::LOCAL.with_wire(bench.wire);
    let ranks = bench.gradients.len();
    let mut ends = spawn_ranks(ranks, bench.cores, &exchange_config, |exchange| {
        measure_rank(&config, bench, clock, exchange)
    });
    let figures = ends.swap_remove(0)?;
    ends.into_iter().try_for_each(|end| end.map(drop))?;
    let values = bench.gradients.first().map_or(0, Vec::len);
    let rate = |time: fn(&CompressedStep) -> Duration| {
        let seconds = figures.steps.iter().map(|step| time(step).as_secs_f64()).collect();
        (values * size_of::<f32>()) as f64 / 1e9 / median(seconds).max(1e-9)
    };
    let last = figures.steps.last().expect("several steps");
    Ok(CompressionResult {
        compression: config.to_string(),
        ranks,
        values,
        dense_bytes: figures.dense_bytes,
        predicted_bytes: figures.predicted_bytes,
        sent_bytes: last.sent_bytes,
        entries: last.entries,
        encode_gbs: rate(|step| step.encode),
        decode_gbs: rate(|step| step.decode),
        relative_error: relative_error(&figures.sum, bench.gradients),
    })
}

fn measure_rank(
    config: &CompressionConfig,
    bench: &CompressionBench<'_>,
    clock: &Arc<dyn Clock>,
    exchange: &mut Exchange,
) -> Result<RankFigures, CompressionBenchError> {
    let mut compressor = config.build(&CompressionSetup {
        layout: bench.layout.clone(),
        buckets: bench.buckets.clone(),
        bucket_bytes: 4 << 20,
        rank: exchange.rank(),
        wire: bench.wire,
        momentum: MomentumSetup { value: 0.9, nesterov: false },
        seed: 0,
        clock: Some(Arc::clone(clock)),
    })?;
    let mut dense_bytes = 0;
    for bucket in &bench.buckets {
        dense_bytes += exchange.all_reduce_bytes(bucket.len())?;
    }
    // The first step of a compression that is decided per step is dense.
    let counted = usize::from(config.kind().decision == DecisionUnit::Step);
    let gradient = &bench.gradients[exchange.rank().index()];
    let mut pool = OwnedPool::new(gradient.clone());
    let mut figures =
        RankFigures { dense_bytes, predicted_bytes: 0, steps: Vec::new(), sum: Vec::new() };
    for step in 0..=counted + STEPS {
        figures.predicted_bytes = compressor.predicted_bytes(exchange)?;
        pool.fill_from(gradient);
        for index in 0..bench.buckets.len() {
            compressor.bucket_ready(index, &pool, exchange)?;
        }
        let done = compressor.finish(&pool, exchange)?;
        if step == counted {
            figures.sum = pool.values();
        } else if step > counted {
            figures.steps.push(done);
        }
    }
    Ok(figures)
}

fn relative_error(sum: &[f32], gradients: &[Vec<f32>]) -> f64 {
    let (mut off, mut all) = (0.0, 0.0);
    for (index, &sum) in sum.iter().enumerate() {
        let want: f64 = gradients.iter().map(|gradient| f64::from(gradient[index])).sum();
        off += (f64::from(sum) - want).powi(2);
        all += want * want;
    }
    (off / all.max(f64::MIN_POSITIVE)).sqrt()
}

/// Fails unless the bytes of a result are those that the compression states: exactly what was
/// predicted, or of rows that send entries, no more entries than allowed.
pub fn check_bytes(
    config: &CompressionConfig,
    bench: &CompressionBench<'_>,
    result: &CompressionResult,
) -> Result<(), CompressionBenchError> {
    let (sent, entries) = (result.sent_bytes, result.entries);
    let (entry_bytes, entries_max) = match config.kind().volume {
        SentVolume::Planned if sent == result.predicted_bytes => return Ok(()),
        SentVolume::Planned => {
            let (config, predicted) = (config.clone(), result.predicted_bytes);
            return Err(CompressionBenchError::OtherBytes { config, sent, predicted });
        }
        SentVolume::Entries { entry_bytes, entries_max } => (entry_bytes, entries_max),
    };
    let of_bucket = |max: fn(&CompressionConfig, usize) -> usize| {
        bench.buckets.iter().map(|bucket| max(config, bucket.len()) as u64).sum()
    };
    let most: u64 = entries_max.map_or(u64::MAX, of_bucket);
    let (config, bytes) = (config.clone(), entry_bytes(bench.wire) as u64);
    if entries > most {
        return Err(CompressionBenchError::TooManyEntries { config, entries, most });
    }
    if entries * bytes > sent {
        return Err(CompressionBenchError::LargeEntries { config, entries, bytes, sent });
    }
    Ok(())
}

/// Bytes of gradients that a rank encodes and decodes per time, in 10^9 a second: what
/// [`decide`](crate::compression::decide()) computes with.
pub fn codec_rate(
    config: &CompressionConfig,
    clock: &Arc<dyn Clock>,
) -> Result<f64, CompressionBenchError> {
    let [encode_gbs, decode_gbs] = codec_rates(config, clock)?;
    Ok(1.0 / (1.0 / encode_gbs + 1.0 / decode_gbs))
}

/// Bytes of gradients that a rank encodes per time, and that it decodes, in 10^9 a second.
pub fn codec_rates(
    config: &CompressionConfig,
    clock: &Arc<dyn Clock>,
) -> Result<[f64; 2], CompressionBenchError> {
    let values = CODEC_SIDE * CODEC_SIDE;
    let param = PoolParam { range: 0..values, rows: CODEC_SIDE, columns: CODEC_SIDE };
    let wave = |at: usize| ((at.wrapping_mul(2_654_435_761) >> 7) % 2001) as f32 - 1000.0;
    let gradients = [(0..values).map(wave).collect::<Vec<f32>>()];
    let bench = CompressionBench {
        layout: PoolLayout { params: vec![param] },
        buckets: vec![Range { start: 0, end: values }],
        gradients: &gradients,
        wire: wire::F32,
        cores: 1,
    };
    let result = measure(config, &bench, clock)?;
    Ok([result.encode_gbs, result.decode_gbs])
}

/// The table's head.
#[must_use]
pub fn table_head() -> String {
    format!(
        "#{:>12} {:>12} {:>12} {:>9} {:>9} {:>9} {:>9}  compression\n",
        "dense (B)", "predicted", "sent", "ratio", "encode", "decode", "error"
    )
}

/// One line of the table. Speeds are in GB/s.
#[must_use]
pub fn table_line(result: &CompressionResult) -> String {
    let ratio = result.dense_bytes as f64 / result.sent_bytes.max(1) as f64;
    format!(
        " {:>12} {:>12} {:>12} {ratio:>9.1} {:>9.3} {:>9.3} {:>9.4}  {}, {} ranks\n",
        result.dense_bytes,
        result.predicted_bytes,
        result.sent_bytes,
        result.encode_gbs,
        result.decode_gbs,
        result.relative_error,
        result.compression,
        result.ranks,
    )
}

#[cfg(test)]
mod tests;
