//! Turns at the sources of a test net: workers share one stream, so each takes its batch when it is due.

use std::sync::{Condvar, Mutex, PoisonError};

use layers::DataSource;

use crate::TrainError;

/// Hands out the iterations' batches in order: a worker takes its turn, or learns that it is over.
pub(crate) struct Turns<'a> {
    state: Mutex<(usize, bool)>,
    bell: Condvar,
    sources: Mutex<&'a mut Vec<Box<dyn DataSource>>>,
}

impl<'a> Turns<'a> {
    /// The first turn is number 0.
    pub(crate) fn new(sources: &'a mut Vec<Box<dyn DataSource>>) -> Self {
        Self { state: Mutex::new((0, false)), bell: Condvar::new(), sources: Mutex::new(sources) }
    }

    /// Turns taken so far.
    pub(crate) fn taken(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Runs `take` with the sources when it is turn `turn`; `None` after an end.
    pub(crate) fn take<T>(
        &self,
        turn: usize,
        take: impl FnOnce(&mut Vec<Box<dyn DataSource>>) -> Result<T, TrainError>,
    ) -> Result<Option<T>, TrainError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.0 < turn && !state.1 {
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.1 {
            return Ok(None);
        }
        let taken = take(&mut self.sources.lock().unwrap_or_else(PoisonError::into_inner));
        *state = (turn + 1, taken.is_err());
        self.bell.notify_all();
        taken.map(Some)
    }

    pub(crate) fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.bell.notify_all();
    }
}
