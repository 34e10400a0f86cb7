//! The threads of one worker.
//!
//! One call of [`ThreadPool::run`] at a time distributes tasks `0..tasks`; the caller takes part.
//! Each thread starts with its own range of tasks, the same fraction of `0..tasks` in every call:
//! tasks are blocks of blobs, so a thread finds in its cache what it wrote for the previous layer.
//! A thread that has finished its range steals from the end of the others'.
//!
//! There is no lock: a thread claims tasks by a compare-and-swap on a word ([`WorkStealingRange`]).
//! A thread that reads an old range finds it exhausted, or claims tasks of the new one, which is
//! correct too.
//!
//! Why the pointer to the task function may be read: it is written only while no task is claimed
//! and unfinished (`run` returns after all have finished), and read only by a thread that holds a
//! claim.
//!
//! Idle threads spin for about a millisecond, because the next kernel usually starts within that
//! time, then sleep. Waking a thread takes 15 microseconds to a millisecond on a virtual machine,
//! so spins of 20 microseconds cost a second thread 5 % of its speed. With more threads than cores
//! the spins are short, because other threads need the core. [`ActiveThreads`] may exclude the last
//! threads from kernels; those sleep, apart from the others, until they take part again.

use std::{
    any::Any,
    cell::UnsafeCell,
    hint,
    mem::transmute,
    ops::Range,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

use super::{active_threads::ActiveThreads, work_stealing::WorkStealingRange};

/// Runs one task: `run(task, slot)`, where `slot` is the index of the thread.
type TaskFn<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Spins before a thread sleeps: about a millisecond.
const SPINS: u32 = 200_000;

/// The same when threads share cores.
const SPINS_CROWDED: u32 = 4_000;

/// Threads that wait for tasks until the value is dropped.
pub(super) struct ThreadPool {
    state: Arc<ThreadPoolState>,
    threads: Vec<JoinHandle<()>>,
}

struct ThreadPoolState {
    /// Unclaimed tasks, one range per thread.
    ranges: Box<[WorkStealingRange]>,
    /// How many threads may take part from the next call of `run` on, and how many do.
    limit: ActiveThreads,
    active: AtomicUsize,
    finished: AtomicUsize,
    spins: u32,
    task_fn: UnsafeCell<Option<*const TaskFn<'static>>>,
    /// A call of `run` is under way; a nested one (from inside a task) runs on the calling thread.
    busy: AtomicBool,
    stop: AtomicBool,
    sleepers: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
    /// Wakes threads that did not take part.
    raised: Condvar,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `task_fn` is the only field that is not `Sync` or not `Send`; the module's header says
// why its reads and writes never overlap, and the function it points to is `Sync`.
unsafe impl Sync for ThreadPoolState {}
// SAFETY: as above.
unsafe impl Send for ThreadPoolState {}

impl ThreadPool {
    /// Starts `threads - 1` threads: the caller of [`ThreadPool::run`] is the first.
    pub(super) fn new(threads: usize, limit: ActiveThreads) -> Self {
        let crowded = thread::available_parallelism().is_ok_and(|cores| cores.get() < threads);
        let state = Arc::new(ThreadPoolState {
            ranges: (0..threads.max(1)).map(|_| WorkStealingRange::default()).collect(),
            limit,
            active: AtomicUsize::new(threads.max(1)),
            finished: AtomicUsize::new(0),
            spins: if crowded { SPINS_CROWDED } else { SPINS },
            task_fn: UnsafeCell::new(None),
            busy: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
            raised: Condvar::new(),
            panic: Mutex::new(None),
        });
        let threads = (1..threads)
            .map(|slot| {
                let state = Arc::clone(&state);
                thread::spawn(move || state.serve(slot))
            })
            .collect();
        Self { state, threads }
    }

    /// Number of threads, the caller's included.
    pub(super) fn count(&self) -> usize {
        self.threads.len() + 1
    }

    /// Runs `task_fn(task, slot)` for every task and returns when all have finished.
    pub(super) fn run(&self, tasks: usize, task_fn: &TaskFn<'_>) {
        let threads = self.state.limit.of(self.count());
        let alone = tasks <= 1 || threads == 1;
        if alone || self.state.busy.swap(true, Ordering::Acquire) {
            (0..tasks).for_each(|task| task_fn(task, 0));
            return;
        }
        let state = &*self.state;
        // SAFETY: only the lifetime is erased; `run` outlives every use of the pointer.
        let erased = unsafe { transmute::<*const TaskFn<'_>, *const TaskFn<'static>>(task_fn) };
        // SAFETY: no task is claimed, so no thread reads `task_fn` now (see the header).
        unsafe { *state.task_fn.get() = Some(erased) };
        state.finished.store(0, Ordering::Relaxed);
        state.activate(threads);
        // The ranges of threads that do not take part are empty since their last call.
        for (slot, range) in state.ranges[..threads].iter().enumerate() {
            range.set(tasks * slot / threads..tasks * (slot + 1) / threads);
        }
        state.wake_sleepers();
        while state.claim_and_run(0) {}
        let mut spins = 0_u32;
        while state.finished.load(Ordering::Acquire) < tasks {
            spins += 1;
            if spins < state.spins { hint::spin_loop() } else { thread::yield_now() }
        }
        let payload = lock(&state.panic).take();
        state.busy.store(false, Ordering::Release);
        if let Some(payload) = payload {
            panic::resume_unwind(payload);
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::SeqCst);
        self.state.wake_sleepers();
        self.state.activate(self.count());
        for thread in self.threads.drain(..) {
            // Panics of tasks are caught, so a thread does not panic; nothing to report in a drop.
            let _ = thread.join();
        }
    }
}

impl ThreadPoolState {
    /// The loop of a thread: claim and run tasks, spin, sleep.
    fn serve(&self, slot: usize) {
        while !self.stop.load(Ordering::SeqCst) {
            if slot >= self.active.load(Ordering::SeqCst) {
                self.sleep_until_active(slot);
            } else if !self.claim_and_run(slot) && !self.spin() {
                self.sleep_until_work();
            }
        }
    }

    /// Claims some tasks, if any is left: from the thread's own range first.
    fn claim(&self, slot: usize) -> Option<Range<usize>> {
        let (before, from) = self.ranges.split_at(slot);
        let (own, behind) = from.split_first()?;
        let others = || behind.iter().chain(before).find_map(WorkStealingRange::claim_last);
        own.claim_first().or_else(others)
    }

    /// Claims and runs some tasks; `false` if none is left.
    fn claim_and_run(&self, slot: usize) -> bool {
        let Some(tasks) = self.claim(slot) else { return false };
        // SAFETY: this thread holds unfinished tasks, so `task_fn` is not written now (see the
        // header).
        let task_fn = unsafe { *self.task_fn.get() };
        if let Some(task_fn) = task_fn {
            // SAFETY: the function lives until `run` returns, which waits for these tasks.
            let task_fn = unsafe { &*task_fn };
            for task in tasks.clone() {
                if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| task_fn(task, slot)))
                {
                    lock(&self.panic).get_or_insert(payload);
                }
            }
        }
        self.finished.fetch_add(tasks.len(), Ordering::AcqRel);
        true
    }

    fn has_work(&self) -> bool {
        self.ranges.iter().any(|range| !range.is_empty())
    }

    /// Spins until there is work, or for `spins` rounds; `true` if there is work.
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

    /// Lets the first `threads` threads take part.
    fn activate(&self, threads: usize) {
        if self.active.swap(threads, Ordering::SeqCst) < threads {
            let _guard = lock(&self.sleep); // as in `wake_sleepers`
            self.raised.notify_all();
        }
    }

    fn sleep_until_active(&self, slot: usize) {
        let mut guard = lock(&self.sleep);
        while slot >= self.active.load(Ordering::SeqCst) && !self.stop.load(Ordering::SeqCst) {
            guard = self.raised.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wake_sleepers(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            let _guard = lock(&self.sleep); // else a thread between its check and its sleep would miss it
            self.wake.notify_all();
        }
    }
}

/// Locks. A panic while the lock was held left the value consistent.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
