//! A job that shares its cores lowers its active threads.
//!
//! Threads that run one kernel together wait for the last of them. While other programs run on the
//! same cores, that one is often waiting for a core, and the others burn theirs: two jobs of two
//! threads on two cores would each get a fifth of their speed, where one thread each gets half. A
//! thread of this process reads every [`WINDOW`] how long all others have run and have waited for
//! a core, and [`ThreadGovernor`] decides how many take part. Results do not depend on it.
//!
//! Cost: some 30 microseconds per window. Where the kernel keeps no such times nothing is lowered.

mod governor;
mod scheduler_times;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use train::{ActiveThreads, JobConfig};

use governor::{CoreUse, ThreadGovernor};
use scheduler_times::SchedulerTimes;

/// How often the times are read: several time slices of the scheduler.
const WINDOW: Duration = Duration::from_millis(40);
/// A display reports that threads were idle if it was for more than this part of the time.
const REPORTED: f64 = 0.2;

/// Watches the cores of a job until it is dropped.
pub(crate) struct SharedCores {
    watched: Arc<WatchedCores>,
    threads: usize,
}

#[derive(Default)]
struct WatchedCores {
    ended: AtomicBool,
    /// Windows since the last report, and those with fewer active threads.
    windows: AtomicU64,
    lowered: AtomicU64,
}

impl SharedCores {
    /// Starts watching for `config`, which gets the number of active threads; nothing to watch for
    /// a job whose workers have one thread each, or wait instead of computing.
    pub(crate) fn watch(config: &mut JobConfig, cores: usize) -> Option<Self> {
        let begin = SchedulerTimes::read()?;
        if config.threads == 1 || config.emulation.is_some() {
            return None;
        }
        let (threads, active) = (config.threads, ActiveThreads::default());
        config.active_threads = active.clone();
        let watched = Arc::new(WatchedCores::default());
        let governor = ThreadGovernor::new(threads, config.workers, cores);
        let own = Arc::clone(&watched);
        let run = move || own.run(begin, governor, &active);
        thread::Builder::new().name("shared cores".into()).spawn(run).ok()?;
        Some(Self { watched, threads })
    }

    /// What there is to say since the last call.
    pub(crate) fn notice(&self) -> Option<String> {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed) as f64;
        let [windows, lowered] = [&self.watched.windows, &self.watched.lowered].map(take);
        let share = lowered / windows.max(1.0);
        (share > REPORTED).then(|| {
            format!(
                "other programs use these cores: fewer than {} threads per worker were active {:.0} \
                 % of the time",
                self.threads,
                100.0 * share
            )
        })
    }
}

impl Drop for SharedCores {
    /// The thread ends by itself after its window; nobody needs to wait for it.
    fn drop(&mut self) {
        self.watched.ended.store(true, Ordering::Relaxed);
    }
}

impl WatchedCores {
    fn run(&self, mut then: SchedulerTimes, mut governor: ThreadGovernor, active: &ActiveThreads) {
        let mut since = Instant::now();
        loop {
            thread::sleep(WINDOW);
            if self.ended.load(Ordering::Relaxed) {
                return;
            }
            let Some(now) = SchedulerTimes::read() else { return };
            let seconds = since.elapsed().as_secs_f64();
            since = Instant::now();
            let (ran, waited) = now.since(&then);
            then = now;
            let used = CoreUse { ran: ran / seconds, waited: waited / seconds };
            self.windows.fetch_add(1, Ordering::Relaxed);
            self.lowered.fetch_add(u64::from(governor.is_lowered()), Ordering::Relaxed);
            active.limit(governor.observe(used));
        }
    }
}
