//! Hands one object to several workers in a fixed order: the data sources of a test net, which all
//! its workers read from, each when its iteration is next.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::TrainError;

/// An object that is used in order of turns, counted from 0.
pub(super) struct OrderedQueue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

struct QueueState<T> {
    item: T,
    /// Turns taken so far.
    taken: usize,
    /// No more turns are taken.
    ended: bool,
}

impl<T> OrderedQueue<T> {
    pub(super) fn new(item: T) -> Self {
        let state = QueueState { item, taken: 0, ended: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Runs `use_item` when it is turn `turn`; `None` if the queue ended before. An error ends it.
    pub(super) fn take<R>(
        &self,
        turn: usize,
        use_item: impl FnOnce(&mut T) -> Result<R, TrainError>,
    ) -> Result<Option<R>, TrainError> {
        let mut state = self.lock();
        while state.taken < turn && !state.ended {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended {
            return Ok(None);
        }
        let result = use_item(&mut state.item);
        (state.taken, state.ended) = (turn + 1, result.is_err());
        self.changed.notify_all();
        result.map(Some)
    }

    /// Lets nobody take another turn.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// A guard that ends the queue when its worker panics: the others would wait for its turn.
    pub(super) fn end_on_panic(&self) -> EndOnPanic<'_, T> {
        EndOnPanic(self)
    }

    /// The object, and how many turns were taken.
    pub(super) fn into_inner(self) -> (T, usize) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.item, state.taken)
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the queue if it is dropped by a panic.
pub(super) struct EndOnPanic<'a, T>(&'a OrderedQueue<T>);

impl<T> Drop for EndOnPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}
