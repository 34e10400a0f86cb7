//! How many threads prepare data: as few as keep the wait for it below 1 %.
//!
//! Starts with one per stream and tries another whenever worker 0 has waited longer than that, up
//! to what is allowed; it stays only if it helps ([`ThreadRule`]). Batches do not depend on the
//! number.

mod rule;

use std::sync::Arc;
use std::time::Duration;

use data::{FillMonitor, FillStage};

use crate::{Event, JobConfig, PhaseTimes};
use rule::{PaceWindow, ThreadRule};

/// A window has at least so many iterations and takes at least so long: shorter ones tell little.
const WINDOW_ITERATIONS: u32 = 20;
const WINDOW_TIME: Duration = Duration::from_secs(1);
/// A longer wait, as a part of the time, is reported.
const WAIT_REPORTED: f64 = 0.05;

/// Watches the wait for data.
pub(crate) struct DataPace {
    monitor: Arc<FillMonitor>,
    rule: ThreadRule,
    /// Batches that the streams of this process give in an iteration.
    batches: f64,
    /// Iterations of the window so far, and the times when it began.
    iterations: u32,
    then: PhaseTimes,
    filled: Duration,
}

impl DataPace {
    /// For `replicas` replicas in this process.
    pub(crate) fn new(monitor: Arc<FillMonitor>, config: &JobConfig, replicas: usize) -> Self {
        let rule = ThreadRule::new(config.data_threads.unwrap_or(config.threads));
        let batches = replicas as f64 * f64::from(config.solver.iter_size().max(1));
        let (then, filled) = (PhaseTimes::default(), Duration::ZERO);
        Self { monitor, rule, batches, iterations: 0, then, filled }
    }

    /// After an iteration: `times` are worker 0's since the run began.
    pub(crate) fn adapt(&mut self, times: &PhaseTimes) {
        self.iterations += 1;
        let spent = times.since(&self.then);
        if self.iterations < WINDOW_ITERATIONS || spent.total() < WINDOW_TIME {
            return;
        }
        let stages = [FillStage::Read, FillStage::Decode, FillStage::Transform];
        let filled: Duration = stages.map(|stage| self.monitor.spent(stage)).iter().sum();
        let iterations = f64::from(self.iterations);
        let window = PaceWindow {
            total: spent.total().as_secs_f64() / iterations,
            wait: spent.data.as_secs_f64() / iterations,
            fill: (filled - self.filled).as_secs_f64() / iterations / self.batches,
        };
        self.monitor.set_threads(self.rule.next(window));
        (self.iterations, self.then, self.filled) = (0, *times, filled);
    }

    /// What there is to say about `times`, those since the last display.
    pub(crate) fn waited(&self, times: &PhaseTimes) -> Option<Event> {
        let waited = wait(times);
        (waited > WAIT_REPORTED).then(|| Event::DataWait {
            percent: 100.0 * waited,
            slowest: self.monitor.slowest(),
            threads: self.monitor.threads(),
        })
    }
}

/// The wait for data as a part of the time.
fn wait(times: &PhaseTimes) -> f64 {
    times.data.as_secs_f64() / times.total().as_secs_f64().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, Mutex},
        time::Duration,
    };

    use data::{FillMonitor, FillStage};

    use super::{DataPace, WINDOW_ITERATIONS};
    use crate::{Event, JobConfig, PhaseTimes, files::solver_from_text};

    /// Times with so many milliseconds of waiting and of computing.
    fn times(data: u64, forward: u64) -> PhaseTimes {
        let (data, forward) = (Duration::from_millis(data), Duration::from_millis(forward));
        PhaseTimes { data, forward, ..PhaseTimes::default() }
    }

    /// A clock that shows what it is set to.
    #[derive(Debug, Default)]
    struct SetClock(Mutex<Duration>);

    impl base::Clock for SetClock {
        fn now(&self) -> Duration {
            *self.0.lock().unwrap()
        }

        fn sleep(&self, _: Duration) {}
    }

    fn pace(data_threads: Option<usize>) -> (DataPace, Arc<SetClock>) {
        let solver = solver_from_text("s", r#"base_lr: 1 lr_policy: "fixed" net: "n""#).unwrap();
        let config = JobConfig { threads: 2, data_threads, ..JobConfig::new(solver) };
        let clock = Arc::new(SetClock::default());
        let monitor = Arc::new(FillMonitor::new(Arc::<SetClock>::clone(&clock), 1));
        (DataPace::new(monitor, &config, 2), clock)
    }

    /// Threads after each of some windows in which two batches take `fill` milliseconds in all.
    fn threads(data_threads: Option<usize>, wait: u64, fill: u64) -> Vec<usize> {
        let ((mut pace, clock), mut spent) = (pace(data_threads), PhaseTimes::default());
        let mut windows = Vec::new();
        for _ in 0..4 {
            for _ in 0..WINDOW_ITERATIONS {
                let begin = *clock.0.lock().unwrap();
                *clock.0.lock().unwrap() += Duration::from_millis(fill);
                pace.monitor.add(FillStage::Decode, begin);
                let waits = if pace.monitor.threads() == 1 { wait } else { 0 };
                spent = spent.plus(&times(waits, 100));
                pace.adapt(&spent);
            }
            windows.push(pace.monitor.threads());
        }
        windows
    }

    #[test]
    fn a_net_that_waits_for_filling_gets_threads() {
        assert_eq!(threads(None, 20, 10), [1, 2, 2, 2], "as many as a worker has");
        assert_eq!(threads(Some(1), 20, 10), [1, 1, 1, 1]);
        assert_eq!(threads(Some(8), 1, 10), [1, 1, 1, 1], "waits 0.99 %");
        assert_eq!(threads(Some(8), 20, 1), [1, 1, 1, 1], "0.5 ms for each batch");
    }

    #[test]
    fn short_iterations_make_longer_windows() {
        let ((mut pace, _), mut spent) = (pace(None), PhaseTimes::default());
        for _ in 0..1000 {
            spent = spent.plus(&times(0, 1));
            pace.adapt(&spent);
        }
        assert_eq!(pace.iterations, 0, "the first window ends after a second");
        pace.adapt(&spent);
        assert_eq!(pace.iterations, 1);
    }

    #[test]
    fn a_long_wait_is_reported() {
        let (pace, _) = pace(None);
        assert_eq!(pace.waited(&times(50, 950)), None);
        let waits = Event::DataWait { percent: 20.0, slowest: None, threads: 1 };
        assert_eq!(pace.waited(&times(200, 800)), Some(waits));
        assert_eq!(pace.waited(&times(0, 0)), None);
    }
}
