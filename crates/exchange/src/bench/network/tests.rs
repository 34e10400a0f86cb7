use super::fit::{fit, fit_figures};
use super::pairs::PairTraffic;
use super::{LONG, MIDDLE, NetworkBench, SHORT, measure_local, probe_local};
use base::{Clock, Rank};
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

/// Whatever the clock says, what is measured can be computed with.
#[test]
fn measured_parameters_are_usable() {
    let is_rate = |gbs: f64| gbs.is_finite() && gbs > 0.0;
    for workers in [1, 2, 3] {
        let clock = TenMicroseconds(AtomicU64::new(0));
        let bench = NetworkBench {
            distance: 1,
            computing_threads: 1,
            size_span: Duration::from_millis(10),
        };
        let figures = measure_local(workers, 2, &clock, bench).unwrap();
        assert!(is_rate(figures.bandwidth_gbs), "{workers}: {figures:?}");
        let others = [
            figures.latency_us,
            figures.message_overhead_us,
            figures.burst_bytes,
            figures.compute_slowdown,
            figures.communication_slowdown,
        ];
        assert!(others.iter().all(|value| value.is_finite() && *value >= 0.0), "{figures:?}");
        let network = probe_local(workers, 2, &clock).unwrap();
        assert!(is_rate(network.bandwidth_gbs) && is_rate(network.reduce_gbs), "{network:?}");
        assert!(network.latency_us > 0.0);
    }
}

fn points(time_us: impl Fn(f64) -> f64) -> Vec<(usize, f64)> {
    let sizes = [SHORT, MIDDLE, LONG].into_iter().flatten();
    sizes.map(|&bytes| (bytes, time_us(bytes as f64))).collect()
}

#[test]
fn a_straight_line_is_found() {
    let figures = fit_figures(points(|bytes| 50.0 + bytes / 117.0), 10.0);
    assert!((figures.latency_us - 40.0).abs() < 0.5, "{figures:?}");
    assert!((figures.bandwidth_gbs - 0.117).abs() < 1e-4, "{figures:?}");
    assert!(figures.burst_bytes < 10.0 && figures.bandwidth_by_size.is_empty(), "{figures:?}");
    assert!((fit(&points(|bytes| 50.0 + bytes / 117.0)).intercept_us - 50.0).abs() < 0.1);
}

/// A shaper lets 65,536 bytes through at once, the rest at its rate.
#[test]
fn a_burst_is_found() {
    let shaped = |bytes: f64| 50.0 + (bytes - 65_536.0).max(0.0) / 62.5;
    let figures = fit_figures(points(shaped), 0.0);
    assert!((figures.burst_bytes - 65_536.0).abs() < 100.0, "{figures:?}");
    assert!((figures.bandwidth_gbs - 0.0625).abs() < 1e-4, "{figures:?}");
}

/// Messages of 4 to 256 kB at half the rate of long ones.
#[test]
fn slower_sizes_are_listed() {
    let slow = |bytes: f64| 10.0 + bytes / if bytes < 500_000.0 { 500.0 } else { 1000.0 };
    let figures = fit_figures(points(slow), 0.0);
    assert_eq!(figures.bandwidth_by_size.len(), MIDDLE.len(), "{figures:?}");
    assert!(figures.bandwidth_by_size.iter().all(|&(_, gbs)| (gbs - 0.5).abs() < 0.01));
}

#[test]
fn ranks_and_nodes_pair_up() {
    let partners = |world, distance| -> Vec<Option<usize>> {
        let traffic = PairTraffic { distance, bytes: 1, messages: 1 };
        (0..world).map(|rank| traffic.partner(Rank::new(rank, world).unwrap())).collect()
    };
    assert_eq!(partners(3, 1), [Some(1), Some(0), None]);
    assert_eq!(partners(4, 2), [Some(2), Some(3), Some(0), Some(1)]);
    assert_eq!(partners(6, 2)[4..], [None, None]);
}
