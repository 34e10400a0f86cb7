//! What a net of Python's runs on: an engine of its own, or a part of a solver's job.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};

use train::{LentNet, Single};

use crate::errors::CallError;
use crate::solver_core::SolverCore;

/// Lends a net while one call uses it.
pub(crate) enum NetEngine {
    /// A net without a solver.
    Alone(EngineLock<Box<Single>>),
    /// The net that a solver trains.
    Train(Arc<SolverCore>),
    /// One of its test nets.
    Test(Arc<SolverCore>, usize),
}

impl NetEngine {
    /// Lends the net to `run`.
    pub(crate) fn with<R>(&self, run: impl FnOnce(&mut LentNet<'_>) -> R) -> Result<R, CallError> {
        match self {
            Self::Alone(single) => Ok(run(&mut single.lock()?.lend())),
            Self::Train(solver) => Ok(run(&mut solver.job()?.lend_train_net())),
            Self::Test(solver, index) => {
                Ok(solver.job()?.lend_test_net(*index, |mut lent| run(&mut lent))?)
            }
        }
    }

    /// Keeps other threads out of this net, and of its solver and the solver's other nets.
    pub(crate) fn claim(&self) -> Result<ThreadClaim<'_>, CallError> {
        match self {
            Self::Alone(single) => single.claim(),
            Self::Train(solver) | Self::Test(solver, _) => solver.claim(),
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

/// What one call at a time may use. A call in whose middle scripts run, as hooks and callbacks do,
/// claims it for its thread: then other threads get it neither in the call nor between its parts.
pub(crate) struct EngineLock<T> {
    value: Mutex<T>,
    /// The thread that has claimed it, and in how many calls.
    owner: Mutex<Option<(ThreadId, usize)>>,
}

impl<T> EngineLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), owner: Mutex::new(None) }
    }

    /// Locks it, unless it is in use or another thread's.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, T>, CallError> {
        let guard = match self.value.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(CallError::Busy),
        };
        // Asked after locking, so that no other thread claims it in between.
        match *lock(&self.owner) {
            Some((owner, _)) if owner != thread::current().id() => Err(CallError::Busy),
            _ => Ok(guard),
        }
    }

    /// Makes it this thread's until the claim is dropped.
    pub(crate) fn claim(&self) -> Result<ThreadClaim<'_>, CallError> {
        let _locked = self.lock()?;
        let mut owner = lock(&self.owner);
        let calls = owner.map_or(0, |(_, calls)| calls);
        *owner = Some((thread::current().id(), calls + 1));
        Ok(ThreadClaim(&self.owner))
    }
}

/// A call that has claimed an engine for its thread.
pub(crate) struct ThreadClaim<'a>(&'a Mutex<Option<(ThreadId, usize)>>);

impl Drop for ThreadClaim<'_> {
    fn drop(&mut self) {
        let mut owner = lock(self.0);
        *owner = owner.filter(|(_, calls)| *calls > 1).map(|(thread, calls)| (thread, calls - 1));
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
