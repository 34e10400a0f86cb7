//! How many threads prepare data: as few as keep the wait for it below 1 %.
//!
//! Starts with one per stream and adds one whenever worker 0 has waited longer than that over some
//! iterations, up to what was asked for. One unless asked: on cores that compute, a second thread
//! takes more time from the net than it saves. Batches do not depend on the number.

use std::sync::Arc;

use data::FillMonitor;

use crate::{Event, JobConfig, PhaseTimes};

/// Iterations between two looks.
const LOOK_EVERY: u32 = 20;
/// A longer wait, as a part of the time, gets another thread.
const WAIT_MAX: f64 = 0.01;
/// A longer one is reported.
const WAIT_REPORTED: f64 = 0.05;

/// Watches the wait for data.
pub(crate) struct DataPace {
    monitor: Arc<FillMonitor>,
    /// Most threads per stream.
    threads_max: usize,
    /// Iterations since the last look, and the times then.
    iterations: u32,
    then: PhaseTimes,
}

impl DataPace {
    pub(crate) fn new(monitor: Arc<FillMonitor>, config: &JobConfig) -> Self {
        let threads_max = config.data_threads.unwrap_or(1).max(1);
        Self { monitor, threads_max, iterations: 0, then: PhaseTimes::default() }
    }

    /// After an iteration: `times` are worker 0's since the run began.
    pub(crate) fn adapt(&mut self, times: &PhaseTimes) {
        self.iterations += 1;
        if self.iterations < LOOK_EVERY {
            return;
        }
        let waited = wait(&times.since(&self.then));
        (self.iterations, self.then) = (0, *times);
        let threads = self.monitor.threads();
        if waited > WAIT_MAX && threads < self.threads_max {
            self.monitor.set_threads(threads + 1);
        }
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
    use std::{sync::Arc, time::Duration};

    use data::FillMonitor;

    use super::{DataPace, LOOK_EVERY};
    use crate::{Event, JobConfig, NoClock, PhaseTimes, files::solver_from_text};

    /// Times with so many milliseconds of waiting and of computing.
    fn times(data: u64, forward: u64) -> PhaseTimes {
        let (data, forward) = (Duration::from_millis(data), Duration::from_millis(forward));
        PhaseTimes { data, forward, ..PhaseTimes::default() }
    }

    fn pace(data_threads: Option<usize>) -> DataPace {
        let solver = solver_from_text("s", r#"base_lr: 1 lr_policy: "fixed" net: "n""#).unwrap();
        let config = JobConfig { threads: 3, data_threads, ..JobConfig::new(solver) };
        DataPace::new(Arc::new(FillMonitor::new(Arc::new(NoClock), 1)), &config)
    }

    #[test]
    fn threads_are_added_while_the_net_waits() {
        for (asked, wait, want) in
            [(Some(3), 20, vec![2, 3, 3]), (Some(3), 9, vec![1, 1, 1]), (None, 20, vec![1, 1, 1])]
        {
            let (mut pace, mut spent, mut got) = (pace(asked), PhaseTimes::default(), Vec::new());
            for _ in 0..want.len() {
                for _ in 0..LOOK_EVERY {
                    spent = spent.plus(&times(wait, 1000));
                    pace.adapt(&spent);
                }
                got.push(pace.monitor.threads());
            }
            assert_eq!(got, want, "{wait} ms of a second, asked for {asked:?}");
        }
    }

    #[test]
    fn a_long_wait_is_reported() {
        let pace = pace(None);
        assert_eq!(pace.waited(&times(50, 950)), None);
        let waits = Event::DataWait { percent: 20.0, slowest: None, threads: 1 };
        assert_eq!(pace.waited(&times(200, 800)), Some(waits));
        assert_eq!(pace.waited(&times(0, 0)), None);
    }
}
