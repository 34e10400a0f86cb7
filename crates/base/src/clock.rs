//! Time as an argument, so that a simulator can supply its own.

use std::fmt;
use std::time::Duration;

/// Time since the job began.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Monotonic; not comparable between machines.
    fn now(&self) -> Duration;

    /// Returns after `duration`, in real or virtual time.
    fn sleep(&self, duration: Duration);

    /// CPU time that the calling thread has used, always in real time; zero from a clock that does
    /// not measure it.
    fn thread_cpu(&self) -> Duration {
        Duration::ZERO
    }

    /// What the calling thread has spent on computing: its CPU time, or the time that has passed
    /// where the clock does not measure that. Only differences mean something. What else the
    /// machine does is left out, and work is no shorter on a clock that is slower than real time.
    fn thread_spent(&self) -> Duration {
        let cpu = self.thread_cpu();
        if cpu.is_zero() { self.now() } else { cpu }
    }

    /// Returns at `time`, at once if it is past. Waits to absolute times do not add up their
    /// errors.
    fn sleep_until(&self, time: Duration) {
        let rest = time.saturating_sub(self.now());
        if !rest.is_zero() {
            self.sleep(rest);
        }
    }
}
