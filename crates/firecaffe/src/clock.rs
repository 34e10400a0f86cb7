//! Real time, as an argument to the libraries; in an emulated run, slowed down.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Time since the program began, divided by a dilation.
#[derive(Debug)]
pub(crate) struct RealClock {
    start: Instant,
    dilation: u32,
}

impl RealClock {
    pub(crate) fn start() -> Self {
        Self::dilated(1)
    }

    /// A clock on which a second is `dilation` real ones; not 0.
    pub(crate) fn dilated(dilation: u32) -> Self {
        Self { start: Instant::now(), dilation }
    }
}

impl base::Clock for RealClock {
    fn now(&self) -> Duration {
        self.start.elapsed() / self.dilation
    }

    fn sleep(&self, duration: Duration) {
        thread::sleep(duration * self.dilation);
    }

    fn thread_cpu(&self) -> Duration {
        Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
    }
}

/// Asks the system to wake this thread, and those it will start, within a microsecond of the time
/// asked for instead of fifty. It may refuse; sleeping is then as precise as ever.
pub(crate) fn sharpen_timers() {
    _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1_000));
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::time::{Duration, Instant};

    use base::Clock;

    use super::RealClock;

    #[test]
    fn a_dilated_second_is_several_real_ones() {
        let (clock, real) = (RealClock::dilated(4), Instant::now());
        let begin = clock.now();
        clock.sleep(Duration::from_millis(2));
        assert!(real.elapsed() >= Duration::from_millis(8));
        assert!(clock.now() - begin >= Duration::from_millis(2));
        assert!(clock.now() <= real.elapsed() / 2, "it is slower than real time");
    }

    #[test]
    fn cpu_time_passes_by_computing() {
        let clock = RealClock::start();
        let begin = clock.thread_cpu();
        let mut sum = 0_u64;
        while clock.thread_cpu() - begin < Duration::from_millis(1) {
            sum = black_box(sum + 1);
        }
        assert!(sum > 0);
    }
}
