//! `firecaffe bench network`: fits the latency, bandwidth and reduce rate that `auto` computes
//! with.
//!
//! Ranks pair up and exchange messages of growing size, both directions at once, all pairs at the
//! same time; the time of an exchange is fitted as `latency + bytes / bandwidth`.
//!
//! ```text
//!   0 ⇄ 1    2 ⇄ 3    4 ⇄ 5        time
//!                                   │        ·
//!                                   │    ·        slope: 1 / bandwidth
//!                                   │·            foot: latency
//!                                   └──────── bytes
//! ```

use super::allreduce::BenchError;
use crate::canonical::add_assign;
use crate::{Exchange, ExchangeConfig, ExchangeError, spawn_ranks};
use base::Clock;
use collective::Network;
use transport::{LinkError, Transport, session};

/// Bytes that show latency.
const SHORT: &[usize] = &[4, 64, 256];
/// Bytes that show bandwidth: longer than any buffer on the way.
const LONG: &[usize] = &[1_000_000, 2_000_000, 4_000_000, 8_000_000];
/// Exchanges per size; the median counts.
const REPEATS: usize = 15;
/// As [`LONG`], for a probe: 15 MB in all, half a second on a gigabit.
const PROBE_LONG: &[usize] = &[500_000, 1_000_000, 2_000_000];
/// As [`REPEATS`], for a probe.
const PROBE_REPEATS: usize = 5;

/// Measures; all ranks call it together and get the same answer. Alone there is nothing to measure
/// but additions.
pub fn measure(exchange: &mut Exchange, clock: &dyn Clock) -> Result<Network, BenchError> {
    measure_with(exchange, clock, LONG, REPEATS)
}

/// As [`measure`], in a tenth of the time: what a run can afford before its first iteration.
pub fn probe(exchange: &mut Exchange, clock: &dyn Clock) -> Result<Network, BenchError> {
    measure_with(exchange, clock, PROBE_LONG, PROBE_REPEATS)
}

fn measure_with(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    long: &[usize],
    repeats: usize,
) -> Result<Network, BenchError> {
    let reduce_gbs = reduce_rate(clock);
    let mut points = Vec::new();
    for &bytes in SHORT.iter().chain(long) {
        points.push((bytes, mean_time_us(exchange, clock, bytes, repeats)?));
    }
    let mut rate = [reduce_gbs];
    let ranks = exchange.rank().world() as f32;
    exchange.sum(&mut rate)?;
    let (latency_us, bandwidth_gbs) = fit(&points);
    Ok(Network { latency_us, bandwidth_gbs, reduce_gbs: f64::from(rate[0] / ranks) })
}

/// Measures between `workers` threads of this process.
pub fn measure_local(
    workers: usize,
    cores: usize,
    clock: &dyn Clock,
) -> Result<Network, BenchError> {
    let mut ends =
        spawn_ranks(workers, cores, &ExchangeConfig::LOCAL, |exchange| measure(exchange, clock));
    ends.swap_remove(0)
}

/// As [`probe`], between `workers` threads of this process.
pub fn probe_local(workers: usize, cores: usize, clock: &dyn Clock) -> Result<Network, BenchError> {
    let mut ends =
        spawn_ranks(workers, cores, &ExchangeConfig::LOCAL, |exchange| probe(exchange, clock));
    ends.swap_remove(0)
}

/// Latency in microseconds and bandwidth in GB/s from points of (bytes, microseconds).
fn fit(points: &[(usize, f64)]) -> (f64, f64) {
    let short: Vec<f64> = points.iter().take(SHORT.len()).map(|point| point.1).collect();
    let latency = short.iter().copied().fold(f64::INFINITY, f64::min);
    // Least squares through the long ones, each weighed by 1/time: relative errors count alike.
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(bytes, time) in points.iter().skip(SHORT.len()) {
        let (bytes, weight) = (bytes as f64, 1.0 / time.max(1e-3).powi(2));
        w += weight;
        x += weight * bytes;
        y += weight * time;
        xx += weight * bytes * bytes;
        xy += weight * bytes * time;
    }
    let slope = (w * xy - x * y) / (w * xx - x * x); // microseconds per byte
    (latency.max(1e-3), if slope > 0.0 { 1e-3 / slope } else { Network::LOCAL.bandwidth_gbs })
}

/// Mean over ranks of the median time of an exchange with the neighbour.
fn mean_time_us(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    len: usize,
    repeats: usize,
) -> Result<f64, BenchError> {
    let rank = exchange.rank();
    let other = rank.index() ^ 1;
    let mut buffer = vec![1; 2 * len];
    let mut times = Vec::new();
    for _ in 0..repeats {
        exchange.barrier()?;
        let link = exchange.link("an exchange of neighbours");
        if other >= rank.world() {
            link.end();
            continue;
        }
        let start = clock.now();
        swap(link, other, &mut buffer).map_err(|source| ExchangeError::Link {
            sequence: 0,
            label: "an exchange of neighbours".to_owned(),
            source,
        })?;
        times.push((clock.now() - start).as_secs_f32() * 1e6);
        link.end();
    }
    times.sort_by(f32::total_cmp);
    let mut sums = times.get(times.len() / 2).map_or([0.0, 0.0], |&median| [median, 1.0]);
    exchange.sum(&mut sums)?;
    Ok(f64::from(sums[0] / sums[1].max(1.0)))
}

/// Sends the first half of `buffer` and receives the second.
fn swap(link: &mut dyn Transport, other: usize, buffer: &mut [u8]) -> Result<(), LinkError> {
    let len = buffer.len() / 2;
    session(link, [buffer].into_iter(), copy, |session| {
        session.expect(other, 0, len)?;
        while !session.send(other, 0, 0, 0..len)? {
            session.wait(&[other])?;
        }
        while !session.recv_copy(other, 0, 0, len..2 * len)? {
            session.wait(&[other])?;
        }
        Ok(())
    })
}

/// Nothing is added here.
fn copy(into: &mut [u8], bytes: &[u8]) {
    into.copy_from_slice(bytes);
}

/// Bytes of `y += x` per second, in 10^9, from memory.
fn reduce_rate(clock: &dyn Clock) -> f32 {
    let values = vec![1.0_f32; 4_000_000];
    let mut sums = values.clone();
    let mut best = f32::INFINITY;
    for _ in 0..5 {
        let start = clock.now();
        add_assign(&mut sums, &values);
        best = best.min((clock.now() - start).as_secs_f32());
    }
    size_of_val(values.as_slice()) as f32 / best.max(1e-9) / 1e9
}

#[cfg(test)]
mod tests {
    use super::{LONG, SHORT, fit, measure_local, probe_local};
    use base::Clock;
    use collective::Network;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// Every reading of the clock is ten microseconds later.
    #[derive(Debug)]
    struct TenMicroseconds(AtomicU64);

    impl Clock for TenMicroseconds {
        fn now(&self) -> Duration {
            Duration::from_micros(self.0.fetch_add(10, Ordering::Relaxed))
        }

        fn sleep(&self, _: Duration) {}
    }

    /// Whatever the clock says, what is measured can be saved and computed with.
    #[test]
    fn measured_parameters_are_usable() {
        for workers in [1, 2, 3] {
            let clock = TenMicroseconds(AtomicU64::new(0));
            for measure in [measure_local, probe_local] {
                let network = measure(workers, 2, &clock).unwrap();
                assert!(network.to_string().parse::<Network>().is_ok(), "{workers}: {network:?}");
            }
        }
    }

    #[test]
    fn a_straight_line_is_found() {
        let points: Vec<_> =
            SHORT.iter().chain(LONG).map(|&bytes| (bytes, 50.0 + bytes as f64 / 117.0)).collect();
        let (latency, bandwidth) = fit(&points);
        assert!((latency - 50.0).abs() < 0.5, "{latency} us");
        assert!((bandwidth - 0.117).abs() < 1e-4, "{bandwidth} GB/s");
    }
}
