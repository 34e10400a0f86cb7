//! Who computes with learned values, and who changes them, where several nets use the same ones.
//!
//! A net that shares another's params runs on its own, perhaps while a solver of that other net
//! updates them on another thread. Values of one net or solver have one lock, and every net knows
//! the locks of all values that it uses. Nobody waits for them.

use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use crate::errors::CallError;

/// What is done with learned values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueAccess {
    /// Passes, saving: any number of nets at a time.
    Read,
    /// Updates, loading: one at a time.
    Write,
}

/// The locks of the values that a net uses: first its own.
#[derive(Clone, Default)]
pub(crate) struct ValueLocks(Vec<Arc<RwLock<()>>>);

impl ValueLocks {
    /// The lock of values that nobody shares yet.
    pub(crate) fn new() -> Self {
        Self(vec![Arc::default()])
    }

    /// Adds those of a net whose values are used from now on. The own one is kept, since other nets
    /// may use what it is for.
    pub(crate) fn add(&mut self, others: &Self) {
        for other in &others.0 {
            if !self.0.iter().any(|own| Arc::ptr_eq(own, other)) {
                self.0.push(Arc::clone(other));
            }
        }
    }

    /// Runs `run` unless another call has values that this access excludes.
    pub(crate) fn hold<R>(
        &self,
        access: ValueAccess,
        run: impl FnOnce() -> Result<R, CallError>,
    ) -> Result<R, CallError> {
        let held: Result<Vec<HeldValues<'_>>, _> =
            self.0.iter().map(|lock| HeldValues::new(lock, access)).collect();
        let _held = held?;
        run()
    }
}

/// A lock while it is held.
enum HeldValues<'a> {
    Read { _guard: RwLockReadGuard<'a, ()> },
    Write { _guard: RwLockWriteGuard<'a, ()> },
}

impl<'a> HeldValues<'a> {
    /// Takes a lock if it is free. A panic while it was held has changed nothing that it is for:
    /// the net that panicked knows it itself.
    fn new(lock: &'a RwLock<()>, access: ValueAccess) -> Result<Self, CallError> {
        match access {
            ValueAccess::Read => match lock.try_read() {
                Ok(guard) => Ok(Self::Read { _guard: guard }),
                Err(TryLockError::Poisoned(guard)) => Ok(Self::Read { _guard: guard.into_inner() }),
                Err(TryLockError::WouldBlock) => Err(CallError::BusyValues),
            },
            ValueAccess::Write => match lock.try_write() {
                Ok(guard) => Ok(Self::Write { _guard: guard }),
                Err(TryLockError::Poisoned(guard)) => {
                    Ok(Self::Write { _guard: guard.into_inner() })
                }
                Err(TryLockError::WouldBlock) => Err(CallError::BusyValues),
            },
        }
    }
}
