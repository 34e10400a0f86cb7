//! `firecaffe bench network`: fits what a cluster file says about links, and what `auto` computes
//! with.
//!
//! Ranks pair up and exchange messages of growing size, both directions at once, all pairs at the
//! same time; the time of an exchange is fitted as `overhead + latency + bytes / bandwidth`. A link
//! that has rested may let a burst of bytes through before it keeps its rate, as traffic shapers
//! do:
//!
//! ```text
//!   0 ⇄ 1    2 ⇄ 3    4 ⇄ 5        time
//!                                   │        ·     slope: 1 / bandwidth
//!                                   │  · · ·       a burst
//!                                   │·             foot: overhead + latency
//!                                   └──────── bytes
//! ```
//!
//! Messages that follow each other without a wait give the overhead: what each adds to the time.
//!
//! Cost: some seconds; long messages are repeated as often as [`NetworkBench::size_span`] allows.

mod fit;
mod pairs;
mod slowdown;

use super::allreduce::BenchError;
use super::work::reduce_rate;
use crate::{Exchange, ExchangeConfig, spawn_ranks};
use base::Clock;
use collective::Network;
use fit::{fit, fit_figures};
pub(super) use pairs::PairTraffic;
use pairs::{mean_over_ranks, mean_time_us};
use std::time::Duration;

/// Bytes that show latency.
const SHORT: &[usize] = &[4, 64, 256];
/// Bytes between them, which show how bandwidth grows with the size.
const MIDDLE: &[usize] = &[4_000, 16_000, 64_000, 256_000];
/// Bytes that show bandwidth: longer than any buffer on the way.
const LONG: &[usize] = &[1_000_000, 2_000_000, 4_000_000, 8_000_000];
/// As [`LONG`], for a probe: 15 MB in all, half a second on a gigabit.
const PROBE_LONG: &[usize] = &[500_000, 1_000_000, 2_000_000];
/// Exchanges per size; the median counts.
const REPEATS: usize = 15;
/// As [`REPEATS`], for a probe.
const PROBE_REPEATS: usize = 5;
/// The least number of exchanges of a size that takes long.
const REPEATS_MIN: usize = 3;
/// Messages that follow each other, of which all but the first show the overhead.
const TRAIN: usize = 33;
/// Bytes of each of them.
const TRAIN_BYTES: usize = 64;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkBench {
    /// How far apart the ranks of a pair are: 1 for neighbours, the ranks of a node for pairs of
    /// nodes.
    pub distance: usize,
    /// Threads that compute while it is measured how much computing and communicating slow each
    /// other down; 0: that is not measured.
    pub computing_threads: usize,
    /// How long the exchanges of one size should take on the clock: long messages are repeated as
    /// often as that allows.
    pub size_span: Duration,
}

/// What was measured between ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkFigures {
    /// One way, of a message without bytes, besides its overhead.
    pub latency_us: f64,
    /// What every message adds to those before it, besides its bytes.
    pub message_overhead_us: f64,
    /// Bytes of long messages, in 10^9 per second.
    pub bandwidth_gbs: f64,
    /// Bytes and 10^9 bytes per second of shorter messages, where those are slower.
    pub bandwidth_by_size: Vec<(usize, f64)>,
    /// Bytes that pass at once after a rest.
    pub burst_bytes: f64,
    /// Fraction by which computing takes longer while messages travel.
    pub compute_slowdown: f64,
    /// Fraction by which messages take longer while their ranks compute.
    pub communication_slowdown: f64,
    /// Bytes and microseconds of one exchange each.
    pub times_us: Vec<(usize, f64)>,
}

/// Measures; all ranks call it together and get the same answer.
pub fn measure(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    bench: NetworkBench,
) -> Result<NetworkFigures, BenchError> {
    let distance = bench.distance;
    let mut times_us = Vec::new();
    let mut last_us = 0.0;
    for &bytes in [SHORT, MIDDLE, LONG].into_iter().flatten() {
        let repeats = repeats_of(last_us, bench.size_span);
        let traffic = PairTraffic { distance, bytes, messages: 1 };
        last_us = mean_time_us(exchange, clock, traffic, repeats)?;
        times_us.push((bytes, last_us));
    }
    let train = |messages| PairTraffic { distance, bytes: TRAIN_BYTES, messages };
    let one = mean_time_us(exchange, clock, train(1), REPEATS)?;
    let many = mean_time_us(exchange, clock, train(TRAIN), REPEATS)?;
    let overhead_us = ((many - one) / (TRAIN - 1) as f64).max(0.0);
    let figures = fit_figures(times_us, overhead_us);
    match bench.computing_threads {
        0 => Ok(figures),
        threads => slowdown::measure(exchange, clock, distance, threads, figures),
    }
}

/// How often a size is exchanged after one that took `last_us`. The same on all ranks, as that is.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
fn repeats_of(last_us: f64, span: Duration) -> usize {
    ((1e6 * span.as_secs_f64() / last_us.max(1e-3)) as usize).clamp(REPEATS_MIN, REPEATS)
}

/// Latency, bandwidth and reduce rate between neighbours, in the time that a run can afford before
/// its first iteration. All ranks call it together and get the same answer; alone there is nothing
/// to measure but additions.
pub fn probe(exchange: &mut Exchange, clock: &dyn Clock) -> Result<Network, BenchError> {
    let mut points = Vec::new();
    for &bytes in SHORT.iter().chain(PROBE_LONG) {
        let traffic = PairTraffic { distance: 1, bytes, messages: 1 };
        points.push((bytes, mean_time_us(exchange, clock, traffic, PROBE_REPEATS)?));
    }
    let [reduce_gbs] = mean_over_ranks(exchange, Some([reduce_rate(clock)]))?;
    let line = fit(&points);
    Ok(Network { latency_us: line.foot_us, bandwidth_gbs: line.bandwidth_gbs, reduce_gbs })
}

/// As [`measure`], between `workers` threads of this process.
pub fn measure_local(
    workers: usize,
    cores: usize,
    clock: &dyn Clock,
    bench: NetworkBench,
) -> Result<NetworkFigures, BenchError> {
    let mut ends = spawn_ranks(workers, cores, &ExchangeConfig::LOCAL, |exchange| {
        measure(exchange, clock, bench)
    });
    ends.swap_remove(0)
}

/// As [`probe`], between `workers` threads of this process.
pub fn probe_local(workers: usize, cores: usize, clock: &dyn Clock) -> Result<Network, BenchError> {
    let mut ends =
        spawn_ranks(workers, cores, &ExchangeConfig::LOCAL, |exchange| probe(exchange, clock));
    ends.swap_remove(0)
}

#[cfg(test)]
mod tests;
