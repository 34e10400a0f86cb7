//! From times of exchanges to the parameters of a link.

use super::{LONG, MIDDLE, NetworkFigures, SHORT};
use collective::Network;

/// A size counts as slower than long messages if it reaches less than this part of their rate.
const SLOWER: f64 = 0.95;

/// What the points of short and long messages show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LinkLine {
    /// Microseconds of a short message.
    pub(super) foot_us: f64,
    /// 10^9 bytes per second of long ones.
    pub(super) bandwidth_gbs: f64,
    /// Where the line through the long ones meets no bytes, in microseconds: below the foot after a
    /// burst.
    pub(super) intercept_us: f64,
}

/// Fits points of (bytes, microseconds), the short ones first.
pub(super) fn fit(points: &[(usize, f64)]) -> LinkLine {
    let short = points.iter().take(SHORT.len()).map(|point| point.1);
    let foot_us = short.fold(f64::INFINITY, f64::min).max(1e-3);
    let long = points.iter().filter(|point| point.0 >= LONG[0] / 2);
    // Least squares through the long ones, each weighed by 1/time: relative errors count alike.
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(bytes, time) in long {
        let (bytes, weight) = (bytes as f64, 1.0 / time.max(1e-3).powi(2));
        w += weight;
        x += weight * bytes;
        y += weight * time;
        xx += weight * bytes * bytes;
        xy += weight * bytes * time;
    }
    let slope = (w * xy - x * y) / (w * xx - x * x); // microseconds per byte
    if slope > 0.0 {
        LinkLine { foot_us, bandwidth_gbs: 1e-3 / slope, intercept_us: (y - slope * x) / w }
    } else {
        let bandwidth_gbs = Network::LOCAL.bandwidth_gbs;
        LinkLine { foot_us, bandwidth_gbs, intercept_us: foot_us }
    }
}

/// All parameters of a link, from exchanges of every size and the overhead of a message.
pub(super) fn fit_figures(times_us: Vec<(usize, f64)>, overhead_us: f64) -> NetworkFigures {
    let line = fit(&times_us);
    let message_overhead_us = overhead_us.min(line.foot_us);
    let rate = |&(bytes, time): &(usize, f64)| {
        let streaming = (time - line.foot_us).max(1e-3);
        (bytes, 1e-3 * bytes as f64 / streaming)
    };
    let middle = times_us.iter().filter(|point| MIDDLE.contains(&point.0)).map(rate);
    let slower = middle.filter(|&(_, gbs)| gbs < SLOWER * line.bandwidth_gbs);
    NetworkFigures {
        latency_us: line.foot_us - message_overhead_us,
        message_overhead_us,
        bandwidth_gbs: line.bandwidth_gbs,
        bandwidth_by_size: slower.collect(),
        burst_bytes: ((line.foot_us - line.intercept_us) * line.bandwidth_gbs * 1e3).max(0.0),
        compute_slowdown: 0.0,
        communication_slowdown: 0.0,
        times_us,
    }
}
