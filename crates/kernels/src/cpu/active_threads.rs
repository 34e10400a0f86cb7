//! How many threads of a worker take part in kernels: all, unless somebody lowers it.
//!
//! Results do not depend on it, so it may change between any two kernels. A job lowers it while
//! other programs use its cores: a thread that waits for a core keeps all others waiting at the end
//! of every kernel.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// A limit that several [`Cpu`](crate::Cpu)s share.
#[derive(Debug, Clone)]
pub struct ActiveThreads(Arc<AtomicUsize>);

impl Default for ActiveThreads {
    /// No limit.
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }
}

impl ActiveThreads {
    /// At most so many threads of each `Cpu` run kernels that start from now on; at least one does.
    pub fn limit(&self, threads: usize) {
        self.0.store(threads, Ordering::Relaxed);
    }

    /// How many of `threads` run.
    pub(super) fn of(&self, threads: usize) -> usize {
        self.0.load(Ordering::Relaxed).clamp(1, threads)
    }
}
