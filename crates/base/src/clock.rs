//! Time as an argument, so that a simulator can supply its own.

use std::fmt;
use std::time::Duration;

/// Time since the job began.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Monotonic; equal on no two machines.
    fn now(&self) -> Duration;
    /// Lets `duration` pass.
    fn sleep(&self, duration: Duration);
}
