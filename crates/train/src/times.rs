//! Where the time of a run goes.

use std::time::Duration;

use base::Clock;
use serde::{Deserialize, Serialize};

use crate::seconds;
use crate::timeline::{Spans, What};

/// Time that stands still, for programs that do not ask how long things take.
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _: Duration) {}
}

/// Time spent since the run began, by what it was spent on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Waiting for batches.
    #[serde(with = "seconds")]
    pub data: Duration,
    /// Forward, data layers apart.
    #[serde(with = "seconds")]
    pub forward: Duration,
    /// Backward.
    #[serde(with = "seconds")]
    pub backward: Duration,
    /// Summing gradients after backward ended, waiting for others included: communication that was
    /// not hidden.
    #[serde(with = "seconds")]
    pub exchange: Duration,
    /// Clipping, decay and the update rule.
    #[serde(with = "seconds")]
    pub update: Duration,
}

impl Times {
    /// Enters time spent. What the communication thread did is hidden behind the rest.
    fn add(&mut self, what: What, took: Duration) {
        match what {
            What::Data(_) => self.data += took,
            What::Forward(_) => self.forward += took,
            What::Backward(_) => self.backward += took,
            What::Exchange => self.exchange += took,
            What::Update => self.update += took,
            What::Bucket(_) | What::News => {}
        }
    }

    /// What was spent since `then`, an earlier reading of these times.
    #[must_use]
    pub fn since(&self, then: &Self) -> Self {
        Self {
            data: self.data.saturating_sub(then.data),
            forward: self.forward.saturating_sub(then.forward),
            backward: self.backward.saturating_sub(then.backward),
            exchange: self.exchange.saturating_sub(then.exchange),
            update: self.update.saturating_sub(then.update),
        }
    }

    /// Everything together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.data + self.forward + self.backward + self.exchange + self.update
    }
}

/// Where one worker enters its time.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) times: Times,
    pub(crate) spans: Spans,
}

impl Ledger {
    /// Enters time that was spent.
    pub(crate) fn spend(&mut self, what: What, begin: Duration, end: Duration) {
        self.times.add(what, end.saturating_sub(begin));
        self.spans.add(what, begin, end);
    }
}
