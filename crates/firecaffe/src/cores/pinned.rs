//! Threads that stay on the NUMA nodes of their worker.

use rustix::thread::{CpuSet, sched_setaffinity};
use train::WorkerCores;

use super::core_list::CoreList;

/// The cores of each worker.
#[derive(Debug)]
pub(super) struct PinnedWorkers {
    /// All of this rank's, for threads that belong to no worker.
    pub(super) rank: CoreList,
    pub(super) workers: Vec<CoreList>,
}

impl WorkerCores for PinnedWorkers {
    /// The system may refuse, for cores that were taken away meanwhile; the thread then runs where
    /// it may.
    fn enter(&self, worker: usize) {
        let mut cores = CpuSet::new();
        let listed = self.workers.get(worker).unwrap_or(&self.rank).iter();
        listed.filter(|&core| core < CpuSet::MAX_CPU).for_each(|core| cores.set(core));
        _ = sched_setaffinity(None, &cores);
    }
}
