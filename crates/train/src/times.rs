//! Where the time of a run goes.

use std::time::Duration;

use base::Clock;

/// Time that stands still, for programs that do not ask how long things take.
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _: Duration) {}
}

/// Time spent since the run began, by what it was spent on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Waiting for batches.
    pub data: Duration,
    /// Forward, data layers apart.
    pub forward: Duration,
    /// Backward.
    pub backward: Duration,
    /// Summing gradients after backward ended, waiting for others included: communication that was
    /// not hidden.
    pub exchange: Duration,
    /// Clipping, decay and the update rule.
    pub update: Duration,
}

impl Times {
    /// Adds one layer's forward.
    pub(crate) fn forward(&mut self, data: bool, took: Duration) {
        *(if data { &mut self.data } else { &mut self.forward }) += took;
    }

    /// Everything together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.data + self.forward + self.backward + self.exchange + self.update
    }
}
