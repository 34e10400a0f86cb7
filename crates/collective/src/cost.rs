//! The price of an all-reduce: latency of its rounds, transfer on its busiest link, its additions.
//!
//! `time = rounds·latency + busiest link·bytes/bandwidth + reduced·bytes/reduce rate`, with the
//! figures that the rows state and the verifier confirms. Passes overlap when a plan runs, so this
//! is the time without pipeline fill; it is accurate enough to choose an algorithm.

use crate::Algorithm;

/// What a machine or cluster can do, as `firecaffe bench network` measures it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Network {
    /// Time of an empty message, one way.
    pub latency_us: f64,
    /// Bytes a rank can send while it receives as many, in 10^9 per second.
    pub bandwidth_gbs: f64,
    /// Bytes a rank can add, in 10^9 per second.
    pub reduce_gbs: f64,
}

impl Network {
    /// Threads of one machine, until somebody measures.
    pub const LOCAL: Self = Self { latency_us: 2.0, bandwidth_gbs: 8.0, reduce_gbs: 9.0 };
    /// Hosts on one-gigabit Ethernet, until somebody measures.
    pub const GIGABIT: Self = Self { latency_us: 50.0, bandwidth_gbs: 0.117, reduce_gbs: 9.0 };
}

impl Algorithm {
    /// Microseconds for an all-reduce of `bytes`; `None` when the transport runs it.
    #[must_use]
    pub fn cost_us(&self, world: usize, bytes: usize, network: &Network) -> Option<f64> {
        let cost = self.cost(world)?;
        let kilobytes = bytes as f64 / 1e3; // one at 1 GB/s takes a microsecond
        Some(
            cost.rounds as f64 * network.latency_us
                + cost.busiest_link * kilobytes / network.bandwidth_gbs
                + cost.reduced * kilobytes / network.reduce_gbs,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Network;
    use crate::Algorithm;

    /// By hand for four ranks: 6 rounds, 1.5 buffers on the link, 0.75 buffers added.
    #[test]
    fn a_ring_of_four() {
        let network = Network { latency_us: 10.0, bandwidth_gbs: 0.5, reduce_gbs: 2.0 };
        let ring: Algorithm = "ring".parse().unwrap();
        let cost = ring.cost_us(4, 1_000_000, &network).unwrap();
        assert!((cost - (60.0 + 3000.0 + 375.0)).abs() < 1e-9, "{cost}");
    }

    /// FireCaffe's figure 4: from four workers on the tree beats the server, ever more.
    #[test]
    fn tree_overtakes_the_server_at_four() {
        let cost = |name: &str, world| {
            let algorithm: Algorithm = name.parse().unwrap();
            algorithm.cost_us(world, 30_000_000, &Network::GIGABIT).unwrap()
        };
        let ratio = |world| cost("parameter-server", world) / cost("reduction-tree", world);
        assert!(ratio(2) <= 1.01);
        assert!([4, 8, 16, 32].is_sorted_by(|&a, &b| ratio(a) < ratio(b)) && ratio(4) > 1.4);
    }
}
