//! Where the workers of one step meet, and who talks to other ranks for them: who has delivered what,
//! barriers, and failure.
//!
//! One lock and one bell. Nothing on it is hot: a worker comes here a few times a layer at most, and
//! waits by sleeping, so that workers may outnumber cores. A worker that fails or panics fails the
//! board, and everyone who waits, or will, is told.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A step's meeting place.
pub(crate) struct Board {
    state: Mutex<State>,
    bell: Condvar,
}

struct State {
    /// How much of its pool each worker has delivered: a prefix.
    delivered: Vec<usize>,
    /// Of how many buckets each worker has summed its share.
    summed: Vec<usize>,
    /// Workers that have told their news.
    told: usize,
    /// Whether the sums over ranks and the news of all are here.
    exchanged: bool,
    /// Workers at the present barrier, and how many barriers were passed.
    waiting: usize,
    passed: usize,
    failed: bool,
}

/// Another worker failed; its own error says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed;

impl Board {
    /// A board for `workers` workers.
    pub(crate) fn new(workers: usize) -> Self {
        let state = State {
            delivered: vec![0; workers],
            summed: vec![0; workers],
            told: 0,
            exchanged: false,
            waiting: 0,
            passed: 0,
            failed: false,
        };
        Self { state: Mutex::new(state), bell: Condvar::new() }
    }

    /// Says that `worker` has delivered the first `upto` values of its pool.
    pub(crate) fn deliver(&self, worker: usize, upto: usize) {
        self.lock().delivered[worker] = upto;
        self.bell.notify_all();
    }

    /// How much all workers have delivered.
    pub(crate) fn delivered(&self) -> usize {
        self.lock().delivered.iter().copied().min().unwrap_or(0)
    }

    /// Waits until all have delivered `upto`.
    pub(crate) fn wait_delivered(&self, upto: usize) -> Result<(), Failed> {
        self.wait(|state| state.delivered.iter().all(|&delivered| delivered >= upto))
    }

    /// Says that `worker` has summed its share of the first `buckets` buckets.
    pub(crate) fn sum(&self, worker: usize, buckets: usize) {
        self.lock().summed[worker] = buckets;
        self.bell.notify_all();
    }

    /// Waits until all have summed their shares of the first `buckets`.
    pub(crate) fn wait_summed(&self, buckets: usize) -> Result<(), Failed> {
        self.wait(|state| state.summed.iter().all(|&summed| summed >= buckets))
    }

    /// Says that a worker has told its news.
    pub(crate) fn tell(&self) {
        self.lock().told += 1;
        self.bell.notify_all();
    }

    /// Waits until all have told theirs.
    pub(crate) fn wait_told(&self) -> Result<(), Failed> {
        self.wait(|state| state.told == state.delivered.len())
    }

    /// Says that the sums over ranks and the news of all are here.
    pub(crate) fn exchange(&self) {
        self.lock().exchanged = true;
        self.bell.notify_all();
    }

    /// Waits for that.
    pub(crate) fn wait_exchanged(&self) -> Result<(), Failed> {
        self.wait(|state| state.exchanged)
    }

    /// Waits until all workers are here.
    pub(crate) fn barrier(&self) -> Result<(), Failed> {
        let mut state = self.lock();
        state.waiting += 1;
        if state.waiting == state.delivered.len() {
            state.waiting = 0;
            state.passed += 1;
            self.bell.notify_all();
            return if state.failed { Err(Failed) } else { Ok(()) };
        }
        let passed = state.passed;
        drop(state);
        self.wait(|state| state.passed > passed)
    }

    /// Makes every wait fail from now on.
    pub(crate) fn fail(&self) {
        self.lock().failed = true;
        self.bell.notify_all();
    }

    /// A guard that fails the board when its worker panics.
    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch(self)
    }

    fn wait(&self, done: impl Fn(&State) -> bool) -> Result<(), Failed> {
        let mut state = self.lock();
        while !state.failed && !done(&state) {
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.failed { Err(Failed) } else { Ok(()) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fails the board if dropped by a panic.
pub(crate) struct Watch<'a>(&'a Board);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail();
        }
    }
}
