//! What a worker computes with: its threads, its SIMD level, and scratch memory.
//!
//! Work is cut into tasks by shape, never by the number of threads, and each task writes memory of
//! its own; so the bits do not depend on how many threads there are or who runs what.
//!
//! Scratch (packed weights, packed blocks) belongs to the `Cpu` and is shared by all layers of its
//! worker, one kernel at a time. It grows to the largest need in the first iteration and stays.

mod left;
mod pieces;
mod pool;
mod scratch;

use std::{
    fmt,
    sync::{Mutex, TryLockError},
};

pub(crate) use pieces::Pieces;
use scratch::Scratch;

use crate::simd::{Kernel, Level, Simd};

/// Floats a thread handles at a time in elementwise kernels: 64 KiB per operand.
pub(crate) const CHUNK: usize = 1 << 14;

/// A worker's threads and SIMD level. Passed to every kernel.
pub struct Cpu {
    pool: pool::Pool,
    level: Level,
    /// One per thread, then one for what threads share.
    scratch: Vec<Mutex<Scratch>>,
}

impl Cpu {
    /// A worker with `threads` threads, the caller's included.
    ///
    /// # Panics
    ///
    /// If `threads` is 0, or this CPU does not run `simd` ([`Simd::is_supported`] tells).
    #[must_use]
    pub fn new(threads: usize, simd: Simd) -> Self {
        assert!(threads > 0, "a worker has at least one thread");
        let level = Level::new(simd).unwrap_or_else(|| panic!("this CPU does not run {simd}"));
        let scratch = (0..=threads).map(|_| Mutex::new(Scratch::default())).collect();
        Self { pool: pool::Pool::new(threads), level, scratch }
    }

    /// Number of threads, the caller's included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// The SIMD level.
    #[must_use]
    pub fn simd(&self) -> Simd {
        self.level.simd()
    }

    /// Runs `task(0)`, `task(1)`, .. `task(tasks - 1)`, spread over the threads in no fixed order.
    ///
    /// From inside a task, the inner tasks run on the calling thread.
    ///
    /// # Panics
    ///
    /// If a task panics: with that panic, once all tasks have ended.
    pub fn run(&self, tasks: usize, task: impl Fn(usize) + Sync) {
        self.pool.run(tasks, &|index, _| task(index));
    }

    /// Cuts `values` into pieces of `len` (the last may be shorter) and runs `task(index, piece)`.
    ///
    /// # Panics
    ///
    /// If `len` is 0, or as [`Cpu::run`].
    pub fn run_chunks<T: Send>(
        &self,
        values: &mut [T],
        len: usize,
        task: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let pieces = Pieces::new(values, len);
        self.run(pieces.count(), |index| {
            // SAFETY: each index is one task's, so no two tasks hold the same piece.
            task(index, unsafe { pieces.get(index) });
        });
    }

    /// As [`Cpu::run_chunks`] for two slices, cut into equally many pieces of `lens[0]` and `lens[1]`.
    ///
    /// # Panics
    ///
    /// If the numbers of pieces differ, or as [`Cpu::run_chunks`].
    pub fn run_chunks2<T: Send, U: Send>(
        &self,
        (first, second): (&mut [T], &mut [U]),
        lens: [usize; 2],
        task: impl Fn(usize, &mut [T], &mut [U]) + Sync,
    ) {
        let (first, second) = (Pieces::new(first, lens[0]), Pieces::new(second, lens[1]));
        assert_eq!(first.count(), second.count(), "both slices have as many pieces");
        self.run(first.count(), |index| {
            // SAFETY: each index is one task's, so no two tasks hold the same piece.
            let one = unsafe { first.get(index) };
            // SAFETY: as above.
            task(index, one, unsafe { second.get(index) });
        });
    }

    /// Runs tasks that each get `len` floats of scratch, 64-byte aligned, contents unspecified.
    pub(crate) fn run_scratch(
        &self,
        tasks: usize,
        len: usize,
        task: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        self.pool.run(tasks, &|index, slot| self.with_scratch(slot, len, |s| task(index, s)));
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
            // A kernel inside a task of another: rare, so it may allocate.
            Err(TryLockError::WouldBlock) => body(Scratch::default().get(len)),
        }
    }

    /// Runs `kernel` as compiled for this worker's SIMD level.
    #[inline]
    pub(crate) fn enter<K: Kernel>(&self, kernel: K) -> K::Out {
        self.level.run(kernel)
    }

    /// Runs a plain loop as compiled for this worker's SIMD level: what it calls must be
    /// `#[inline(always)]`, or is compiled for any machine. Rounding does not depend on the level.
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
