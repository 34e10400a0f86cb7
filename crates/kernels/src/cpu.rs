//! The compute resources of a worker: threads, SIMD level, and scratch memory.
//!
//! Work is divided into tasks by shape, never by the number of threads, and each task writes its
//! own memory. So the bits do not depend on the number of threads or on which thread runs which
//! task.
//!
//! Scratch (packed weights, packed blocks) belongs to the `Cpu` and is shared by all layers of its
//! worker, one kernel at a time. It grows to the largest size needed in the first iteration and
//! stays.

mod active_threads;
mod disjoint;
mod scratch;
mod thread_pool;
mod work_stealing;

use std::{
    fmt,
    sync::{Mutex, TryLockError},
};

pub use active_threads::ActiveThreads;
pub(crate) use disjoint::DisjointMut;
use scratch::Scratch;

use crate::simd::{Kernel, Simd, SimdLevel};

/// Floats a thread handles at a time in elementwise kernels: 64 KiB per operand.
pub(crate) const TASK_FLOATS: usize = 1 << 14;

/// A worker's threads and SIMD level. Passed to every kernel.
pub struct Cpu {
    threads: thread_pool::ThreadPool,
    level: SimdLevel,
    /// One per thread, then one that all threads share.
    scratch: Vec<Mutex<Scratch>>,
}

impl Cpu {
    /// A worker with `threads` threads, the caller's included.
    ///
    /// # Panics
    ///
    /// If `threads` is 0, or this CPU does not support `simd` ([`Simd::is_supported`]).
    #[must_use]
    pub fn new(threads: usize, simd: Simd) -> Self {
        Self::limited(threads, simd, ActiveThreads::default())
    }

    /// As [`Cpu::new`], of whose threads at most `active` take part in kernels.
    ///
    /// # Panics
    ///
    /// As [`Cpu::new`].
    #[must_use]
    pub fn limited(threads: usize, simd: Simd, active: ActiveThreads) -> Self {
        assert!(threads > 0, "a worker has at least one thread");
        let level =
            SimdLevel::new(simd).unwrap_or_else(|| panic!("this CPU does not support {simd}"));
        let scratch = (0..=threads).map(|_| Mutex::new(Scratch::default())).collect();
        Self { threads: thread_pool::ThreadPool::new(threads, active), level, scratch }
    }

    /// Number of threads, the caller's included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// The instruction set that kernels on this worker use.
    #[must_use]
    pub fn simd(&self) -> Simd {
        self.level.simd()
    }

    /// Runs `task(0)`, `task(1)`, .. `task(tasks - 1)` on the threads, in no fixed order.
    ///
    /// Called from inside a task, it runs the inner tasks on the calling thread.
    ///
    /// # Panics
    ///
    /// With the first panic of a task, after all tasks have ended.
    pub fn run(&self, tasks: usize, task: impl Fn(usize) + Sync) {
        self.threads.run(tasks, &|index, _| task(index));
    }

    /// Runs `task(index, block)` for each block of `len` values; the last may be shorter.
    ///
    /// # Panics
    ///
    /// If `len` is 0, or as [`Cpu::run`].
    pub fn run_blocks<T: Send>(
        &self,
        values: &mut [T],
        len: usize,
        task: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let blocks = DisjointMut::new(values, len);
        self.run(blocks.count(), |index| {
            // SAFETY: each index belongs to one task, so no two tasks hold the same block.
            task(index, unsafe { blocks.get(index) });
        });
    }

    /// As [`Cpu::run_blocks`] for two slices with equally many blocks, of `lens[0]` and `lens[1]`
    /// values.
    ///
    /// # Panics
    ///
    /// If the numbers of blocks differ, or as [`Cpu::run_blocks`].
    pub(crate) fn run_blocks2<T: Send, U: Send>(
        &self,
        (first, second): (&mut [T], &mut [U]),
        lens: [usize; 2],
        task: impl Fn(usize, &mut [T], &mut [U]) + Sync,
    ) {
        let (first, second) = (DisjointMut::new(first, lens[0]), DisjointMut::new(second, lens[1]));
        assert_eq!(first.count(), second.count(), "both slices have equally many blocks");
        self.run(first.count(), |index| {
            // SAFETY: each index belongs to one task, so no two tasks hold the same block.
            let one = unsafe { first.get(index) };
            // SAFETY: as above.
            task(index, one, unsafe { second.get(index) });
        });
    }

    /// Runs tasks that each get `len` floats of scratch: 64-byte aligned, contents unspecified.
    pub(crate) fn run_scratch(
        &self,
        tasks: usize,
        len: usize,
        task: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        self.threads.run(tasks, &|index, slot| self.with_scratch(slot, len, |s| task(index, s)));
    }

    /// Lends `len` floats that all tasks of one kernel may share, 64-byte aligned.
    pub(crate) fn with_shared<R>(&self, len: usize, body: impl FnOnce(&mut [f32]) -> R) -> R {
        self.with_scratch(self.threads(), len, body)
    }

    /// As [`Cpu::with_shared`], in f64.
    pub(crate) fn with_shared_f64<R>(&self, len: usize, body: impl FnOnce(&mut [f64]) -> R) -> R {
        self.with_shared(2 * len, |scratch| body(scratch::as_f64(scratch)))
    }

    fn with_scratch<R>(&self, slot: usize, len: usize, body: impl FnOnce(&mut [f32]) -> R) -> R {
        match self.scratch[slot].try_lock() {
            Ok(mut scratch) => body(scratch.get(len)),
            Err(TryLockError::Poisoned(scratch)) => body(scratch.into_inner().get(len)),
            // A kernel called inside a task of another kernel: rare, so it may allocate.
            Err(TryLockError::WouldBlock) => body(Scratch::default().get(len)),
        }
    }

    /// Runs `kernel` as compiled for this worker's SIMD level.
    #[inline]
    pub(crate) fn enter<K: Kernel>(&self, kernel: K) -> K::Out {
        self.level.run(kernel)
    }

    /// Runs a plain loop as compiled for this worker's SIMD level. Functions that it calls must be
    /// `#[inline(always)]`, or they are compiled for the baseline instruction set. Rounding does
    /// not depend on the level. Use [`vectorize!`](crate::vectorize!), which adds the attribute.
    #[inline]
    pub fn vectorize<R>(&self, body: impl FnOnce() -> R) -> R {
        self.level.vectorize(body)
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cpu").field("threads", &self.threads()).field("simd", &self.simd()).finish()
    }
}

#[cfg(test)]
mod tests;
