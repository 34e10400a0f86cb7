//! Real time, as an argument to the libraries.

use std::thread;
use std::time::{Duration, Instant};

/// Time since the program began.
#[derive(Debug)]
pub(crate) struct RealClock(Instant);

impl RealClock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl base::Clock for RealClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        thread::sleep(duration);
    }
}
