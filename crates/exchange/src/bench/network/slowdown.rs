//! How much computing and communicating slow each other down where ranks do both.
//!
//! Every rank computes alone, exchanges alone, and does both at once. Computing is arithmetic on
//! values that stay in the first-level cache, so it is slowed by lost cores, not by lost memory
//! bandwidth.

use super::NetworkFigures;
use super::pairs::{PairTraffic, mean_over_ranks};
use crate::Exchange;
use crate::bench::allreduce::BenchError;
use base::Clock;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Bytes of an exchange.
const BYTES: usize = 1_000_000;
/// How long each measurement takes, about.
const SPAN: Duration = Duration::from_millis(300);
/// Exchanges at least, and at most.
const EXCHANGES: (usize, usize) = (3, 200);
/// Values that a thread computes with.
const VALUES: usize = 4096;

/// Adds both slowdowns to `figures`; the same on all ranks.
pub(super) fn measure(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    distance: usize,
    threads: usize,
    figures: NetworkFigures,
) -> Result<NetworkFigures, BenchError> {
    let traffic = PairTraffic { distance, bytes: BYTES, messages: 1 };
    let once = figures.latency_us + BYTES as f64 / (1e3 * figures.bandwidth_gbs);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
    let repeats = ((SPAN.as_secs_f64() * 1e6 / once) as usize).clamp(EXCHANGES.0, EXCHANGES.1);
    exchange.barrier()?;
    let (alone, ()) = computing(threads, clock, || {
        clock.sleep(SPAN);
        Ok(())
    })?;
    let travelled = travel(exchange, clock, traffic, repeats)?;
    exchange.barrier()?;
    let (beside, travelled_beside) =
        computing(threads, clock, || travel(exchange, clock, traffic, repeats))?;
    let more = |slow: f64, fast: f64| (slow / fast.max(1e-9) - 1.0).clamp(0.0, 100.0);
    let partner = traffic.partner(exchange.rank());
    let own = partner.map(|_| [more(alone, beside), more(travelled_beside, travelled)]);
    let [compute_slowdown, communication_slowdown] = mean_over_ranks(exchange, own)?;
    Ok(NetworkFigures { compute_slowdown, communication_slowdown, ..figures })
}

/// Seconds of `repeats` exchanges.
fn travel(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    traffic: PairTraffic,
    repeats: usize,
) -> Result<f64, BenchError> {
    let mut buffer = traffic.buffer();
    let mut seconds = 0.0;
    for _ in 0..repeats {
        seconds += traffic.run(exchange, clock, &mut buffer)?.unwrap_or(0.0);
    }
    Ok(seconds)
}

/// Computes on `threads` threads for as long as `body` runs: rounds per second, and its result.
fn computing<T>(
    threads: usize,
    clock: &dyn Clock,
    body: impl FnOnce() -> Result<T, BenchError>,
) -> Result<(f64, T), BenchError> {
    let (stops, rounds) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut values = vec![1.0_f32; VALUES];
                while !stops.load(Ordering::Relaxed) {
                    values.iter_mut().for_each(|value| *value = *value * 0.999 + 0.001);
                    black_box(&mut values);
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let begin = clock.now();
        let result = body();
        let seconds = (clock.now() - begin).as_secs_f64();
        stops.store(true, Ordering::Relaxed);
        Ok((rounds.load(Ordering::Relaxed) as f64 / seconds.max(1e-9), result?))
    })
}
