//! What a net of Python's runs on: an engine of its own, or a part of a solver's job.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use train::{LentNet, Single};

use crate::errors::CallError;
use crate::solver_core::SolverCore;

/// Lends a net while one call uses it.
pub(crate) enum NetEngine {
    /// A net without a solver.
    Alone(Mutex<Box<Single>>),
    /// The net that a solver trains.
    Train(Arc<SolverCore>),
    /// One of its test nets.
    Test(Arc<SolverCore>, usize),
}

impl NetEngine {
    /// Lends the net to `run`.
    pub(crate) fn with<R>(&self, run: impl FnOnce(&mut LentNet<'_>) -> R) -> Result<R, CallError> {
        match self {
            Self::Alone(single) => Ok(run(&mut try_lock(single)?.lend())),
            Self::Train(solver) => Ok(run(&mut solver.job()?.lend_train_net())),
            Self::Test(solver, index) => {
                Ok(solver.job()?.lend_test_net(*index, |mut lent| run(&mut lent))?)
            }
        }
    }

    /// The solver whose net this is.
    pub(crate) fn solver(&self) -> Option<&Arc<SolverCore>> {
        match self {
            Self::Alone(_) => None,
            Self::Train(solver) | Self::Test(solver, _) => Some(solver),
        }
    }
}

/// Locks what one call at a time may use.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Result<MutexGuard<'_, T>, CallError> {
    match mutex.try_lock() {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
        Err(TryLockError::WouldBlock) => Err(CallError::Busy),
    }
}

/// Locks what nobody holds for long.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `run`; a panic becomes an error, since an abort would take the script with it.
pub(crate) fn catch<R>(run: impl FnOnce() -> Result<R, CallError>) -> Result<R, CallError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(bug(&*panic)))
}

fn bug(panic: &(dyn Any + Send)) -> CallError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    CallError::Bug { message: text.unwrap_or("a panic without a message").to_owned() }
}
