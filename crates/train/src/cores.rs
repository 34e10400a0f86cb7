//! Where the threads of workers run: the operating system's affair, unless the program that embeds
//! us says otherwise.

use std::fmt;

/// Places the threads of workers on cores.
pub trait WorkerCores: fmt::Debug + Send + Sync {
    /// Restricts the calling thread to the cores of `worker`. Called at the start of each thread of
    /// a worker, or by the thread that starts it: threads inherit their cores. A number that no
    /// worker has stands for the thread that speaks to other ranks.
    fn enter(&self, worker: usize);
}

/// Threads run where the operating system puts them.
#[derive(Debug)]
pub struct AnyCores;

impl WorkerCores for AnyCores {
    fn enter(&self, _: usize) {}
}
