//! How late devices are: drawn from what the cluster file says of its stragglers.

use crate::cluster::{StragglerDescription, StragglerDistribution};
use base::random::Mt19937;

/// Random delays of devices.
pub(super) struct Delays {
    described: StragglerDescription,
    random: Mt19937,
}

impl Delays {
    pub(super) fn new(described: &StragglerDescription) -> Self {
        Self { described: *described, random: Mt19937::new(described.seed) }
    }

    /// By how much longer the next device takes.
    pub(super) fn factor(&mut self) -> f64 {
        let place = f64::from(self.random.uniform(0.0, 1.0));
        let delay = match self.described.distribution {
            StragglerDistribution::Exponential => -(1.0 - place).max(1e-9).ln(),
            StragglerDistribution::Uniform => 2.0 * place,
        };
        1.0 + self.described.mean * delay
    }
}
