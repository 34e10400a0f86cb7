//! The threads of one worker.
//!
//! One call of [`Pool::run`] at a time hands out tasks `0..tasks`; the caller takes part. Each thread has a
//! run of them, the same part of `0..tasks` in every call: tasks are pieces of blobs, so a thread finds in its cache
//! what it wrote for the layer before. Who has done its own takes from the end of others'.
//!
//! There is no lock: a thread claims tasks by replacing a word ([`Left`]), and one that comes late to an old
//! hand-out finds it exhausted, or claims tasks of the new one, which is as good.
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
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

use super::left::Left;

/// What threads run: `job(task, slot)`, where `slot` names the thread.
type Job<'a> = dyn Fn(usize, usize) + Sync + 'a;

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
    /// What is left to hand out, by thread.
    runs: Box<[Left]>,
    finished: AtomicUsize,
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
            runs: (0..threads.max(1)).map(|_| Left::default()).collect(),
            finished: AtomicUsize::new(0),
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
        let threads = shared.runs.len();
        for (slot, run) in shared.runs.iter().enumerate() {
            run.set(tasks * slot / threads..tasks * (slot + 1) / threads);
        }
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

    /// Takes some tasks, if any is left: one's own first.
    fn claim(&self, slot: usize) -> Option<Range<usize>> {
        let (before, from) = self.runs.split_at(slot);
        let (own, behind) = from.split_first()?;
        let others = || behind.iter().chain(before).find_map(Left::claim_last);
        own.claim_first().or_else(others)
    }

    /// Runs some tasks, if any is left.
    fn claim_and_run(&self, slot: usize) -> bool {
        let Some(tasks) = self.claim(slot) else { return false };
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
        self.runs.iter().any(|run| !run.is_empty())
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
