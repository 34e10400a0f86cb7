//! The threads of one worker.
//!
//! One call of [`Pool::run`] at a time hands out tasks `0..tasks`; the caller takes part. The whole
//! hand-out is one 64-bit word, `tasks << 32 | next`: a thread claims tasks from `next` on by replacing the
//! word with a larger `next`. So there is no lock, and a thread that comes late to an old hand-out
//! finds it exhausted, or claims tasks of the new one, which is as good. A claim takes a part of what is
//! left: many at first, since threads that take every small task by itself wait for the word's cache line;
//! one by one towards the end, so that all threads end together.
//!
//! Why the job pointer may be read: it is written only while no task is claimed and unfinished
//! (`run` returns after all are finished), and read only by a thread that has just claimed one.
//!
//! Idle threads spin for about a millisecond, as the next kernel is usually that close, then sleep. To be
//! woken takes from 15 microseconds to a millisecond on a virtual machine: with spins of 20 microseconds a second
//! thread lost 5 % of GoogLeNet. More threads than cores spin shortly: others need the core.

use std::{
    any::Any,
    cell::UnsafeCell,
    hint,
    ops::Range,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

/// What threads run: `job(task, slot)`, where `slot` names the thread.
type Job<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// A claim takes what is left, divided by so many for each thread.
const CLAIMS: u64 = 4;

/// Spins before a thread sleeps, about a millisecond's.
const SPINS: u32 = 200_000;

/// The same where threads share cores.
const SPINS_CROWDED: u32 = 4_000;

/// Threads that wait for tasks, until dropped.
pub(super) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    /// `tasks << 32 | next`.
    hand_out: AtomicU64,
    finished: AtomicUsize,
    threads: u64,
    spins: u32,
    job: UnsafeCell<Option<*const Job<'static>>>,
    /// A run is under way; one that begins meanwhile (from inside a task) runs on its own thread.
    busy: AtomicBool,
    stop: AtomicBool,
    sleepers: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `job` is the only field that is not `Sync` or not `Send`; the module's header says why
// its reads and writes never overlap, and the job it points to is `Sync`.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

impl Pool {
    /// Starts `threads - 1` threads: the caller of [`Pool::run`] is the first.
    pub(super) fn new(threads: usize) -> Self {
        let crowded = thread::available_parallelism().is_ok_and(|cores| cores.get() < threads);
        let shared = Arc::new(Shared {
            hand_out: AtomicU64::new(0),
            finished: AtomicUsize::new(0),
            threads: threads as u64,
            spins: if crowded { SPINS_CROWDED } else { SPINS },
            job: UnsafeCell::new(None),
            busy: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
            panic: Mutex::new(None),
        });
        let threads = (1..threads)
            .map(|slot| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(slot))
            })
            .collect();
        Self { shared, threads }
    }

    /// Threads, the caller's included.
    pub(super) fn threads(&self) -> usize {
        self.threads.len() + 1
    }

    /// Runs `job(task, slot)` for every task and returns when all are done.
    pub(super) fn run(&self, tasks: usize, job: &Job<'_>) {
        let alone = tasks <= 1 || self.threads.is_empty();
        if alone || self.shared.busy.swap(true, Ordering::Acquire) {
            (0..tasks).for_each(|task| job(task, 0));
            return;
        }
        let shared = &*self.shared;
        // SAFETY: only the lifetime is erased; `run` outlives every use of the pointer.
        let erased = unsafe { std::mem::transmute::<*const Job<'_>, *const Job<'static>>(job) };
        // SAFETY: no task is claimed, so nobody reads `job` now (see the header).
        unsafe { *shared.job.get() = Some(erased) };
        shared.finished.store(0, Ordering::Relaxed);
        shared.hand_out.store((tasks as u64) << 32, Ordering::SeqCst);
        shared.wake_sleepers();
        while shared.claim_and_run(0) {}
        let mut spins = 0_u32;
        while shared.finished.load(Ordering::Acquire) < tasks {
            spins += 1;
            if spins < shared.spins { hint::spin_loop() } else { thread::yield_now() }
        }
        let payload = lock(&shared.panic).take();
        shared.busy.store(false, Ordering::Release);
        if let Some(payload) = payload {
            panic::resume_unwind(payload);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.wake_sleepers();
        for thread in self.threads.drain(..) {
            // Tasks' panics are caught, so a thread can only end well; nothing to report in a drop.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The life of a thread.
    fn serve(&self, slot: usize) {
        while !self.stop.load(Ordering::SeqCst) {
            if !self.claim_and_run(slot) && !self.spin() {
                self.sleep_until_work();
            }
        }
    }

    /// Takes some tasks, if any is left.
    fn claim(&self) -> Option<Range<usize>> {
        let mut word = self.hand_out.load(Ordering::Acquire);
        loop {
            let (tasks, next) = (word >> 32, word & u64::from(u32::MAX));
            if next >= tasks {
                return None;
            }
            let count = ((tasks - next) / (CLAIMS * self.threads)).max(1);
            let claimed = word + count;
            match self.hand_out.compare_exchange_weak(
                word,
                claimed,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => {
                    let place = |task| usize::try_from(task).unwrap_or(usize::MAX); // from a usize
                    return Some(place(next)..place(next + count));
                }
                Err(now) => word = now,
            }
        }
    }

    /// Runs some tasks, if any is left.
    fn claim_and_run(&self, slot: usize) -> bool {
        let Some(tasks) = self.claim() else { return false };
        // SAFETY: we hold unfinished tasks, so nobody writes `job` now (see the header).
        let job = unsafe { *self.job.get() };
        if let Some(job) = job {
            // SAFETY: the job lives until `run` returns, which waits for these tasks.
            let job = unsafe { &*job };
            for task in tasks.clone() {
                if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| job(task, slot))) {
                    lock(&self.panic).get_or_insert(payload);
                }
            }
        }
        self.finished.fetch_add(tasks.len(), Ordering::AcqRel);
        true
    }

    fn has_work(&self) -> bool {
        let word = self.hand_out.load(Ordering::SeqCst);
        word & u64::from(u32::MAX) < word >> 32
    }

    /// Waits a little; true if work came.
    fn spin(&self) -> bool {
        (0..self.spins).any(|_| {
            hint::spin_loop();
            self.has_work()
        })
    }

    fn sleep_until_work(&self) {
        let mut guard = lock(&self.sleep);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while !self.has_work() && !self.stop.load(Ordering::SeqCst) {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake_sleepers(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            let _guard = lock(&self.sleep); // or a thread between its check and its sleep would miss it
            self.wake.notify_all();
        }
    }
}

/// Locks; a panic elsewhere while holding it left nothing half-done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
