//! How the streams of a process fill batches: on how many threads, and what takes the time.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};
use std::time::Duration;

use base::Clock;
use serde::{Deserialize, Serialize};

/// What filling a batch consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FillStage {
    /// Getting a record's bytes.
    Read,
    /// From bytes to pixels.
    Decode,
    /// From pixels to the values of a batch.
    Transform,
}

base::names!(pub FillStage { Read = "reading", Decode = "decoding", Transform = "transforming" });

/// Shared by the streams of a process: `Data` layers look here for their threads, and say here what
/// they spend their time on.
#[derive(Debug)]
pub struct FillMonitor {
    /// `None` when nobody asks.
    clock: Option<Arc<dyn Clock>>,
    threads: AtomicUsize,
    /// Nanoseconds of all threads, by [`FillStage`].
    spent: [AtomicU64; 3],
}

impl Default for FillMonitor {
    /// One thread per stream, without times.
    fn default() -> Self {
        Self { clock: None, threads: AtomicUsize::new(1), spent: Default::default() }
    }
}

impl FillMonitor {
    /// `threads` threads per stream, timed by `clock`.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, threads: usize) -> Self {
        let threads = AtomicUsize::new(threads.max(1));
        Self { clock: Some(clock), threads, spent: Default::default() }
    }

    /// Threads that decode and transform for each stream, the prefetching one included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.load(Relaxed)
    }

    /// Changes their number, from the next batch on. Batches do not depend on it.
    pub fn set_threads(&self, threads: usize) {
        self.threads.store(threads.max(1), Relaxed);
    }

    /// Time that all threads have spent on `stage`.
    #[must_use]
    pub fn spent(&self, stage: FillStage) -> Duration {
        Duration::from_nanos(self.spent[stage as usize].load(Relaxed))
    }

    /// The stage that takes the most time; `None` before any time was spent.
    #[must_use]
    pub fn slowest(&self) -> Option<FillStage> {
        let stages = [FillStage::Read, FillStage::Decode, FillStage::Transform];
        let slowest = stages.into_iter().max_by_key(|&stage| self.spent(stage))?;
        (!self.spent(slowest).is_zero()).then_some(slowest)
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.as_ref().map_or(Duration::ZERO, |clock| clock.now())
    }

    /// Counts the time since `begin` as spent on `stage`; the time now.
    pub fn add(&self, stage: FillStage, begin: Duration) -> Duration {
        let now = self.now();
        let nanoseconds = now.saturating_sub(begin).as_nanos();
        let nanoseconds = u64::try_from(nanoseconds).unwrap_or(u64::MAX);
        self.spent[stage as usize].fetch_add(nanoseconds, Relaxed);
        now
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::{FillMonitor, FillStage};

    #[test]
    fn the_slowest_stage_is_named_once_there_is_one() {
        let monitor = FillMonitor::default();
        assert_eq!((monitor.threads(), monitor.slowest()), (1, None));
        let ticks = Arc::new(Ticks::default());
        let monitor = FillMonitor::new(ticks, 0);
        assert_eq!(monitor.threads(), 1);
        for (stage, times) in [(FillStage::Read, 1), (FillStage::Decode, 3)] {
            (0..times).for_each(|_| _ = monitor.add(stage, monitor.now()));
        }
        assert_eq!(monitor.slowest(), Some(FillStage::Decode));
        assert_eq!(monitor.spent(FillStage::Decode), Duration::from_secs(3));
        monitor.set_threads(4);
        assert_eq!(monitor.threads(), 4);
    }

    /// A clock that moves on by a second whenever it is read.
    #[derive(Debug, Default)]
    struct Ticks(std::sync::atomic::AtomicU64);

    impl base::Clock for Ticks {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        }

        fn sleep(&self, _: Duration) {}
    }
}
