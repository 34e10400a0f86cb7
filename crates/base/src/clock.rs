//! Time as an argument, so that a simulator can supply its own.

use std::fmt;
use std::time::Duration;

/// Time since the job began.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Monotonic; not comparable between machines.
    fn now(&self) -> Duration;
    /// Returns after `duration`, in real or virtual time.
    fn sleep(&self, duration: Duration);
}
