//! Wakes a worker. Signalling is one atomic addition unless the worker is parked.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long a parked worker stays so without checking on the others.
const PARKED_MAX: Duration = Duration::from_millis(100);

/// One worker's wake-up.
#[derive(Default)]
pub(super) struct WakeUp {
    signals: AtomicU64,
    parked: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl WakeUp {
    /// Signals so far.
    pub(super) fn signals(&self) -> u64 {
        self.signals.load(SeqCst)
    }

    /// Lets the worker look again. The lock is touched only when it is parked.
    pub(super) fn signal(&self) {
        self.signals.fetch_add(1, SeqCst);
        if self.parked.load(SeqCst) {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_one();
        }
    }

    /// Returns once there are more signals than `seen`, at once if there already are; and after
    /// [`PARKED_MAX`] without one, so that the caller can check whether the others still run the
    /// same collective.
    pub(super) fn wait(&self, seen: u64, spins: u32) {
        for _ in 0..spins {
            if self.signals() != seen {
                return;
            }
            spin_loop();
        }
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.parked.store(true, SeqCst);
        // A signal after this load sees `parked` and takes the lock, so it cannot be missed.
        if self.signals() == seen {
            let waited = self.wake.wait_timeout(guard, PARKED_MAX);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        self.parked.store(false, SeqCst);
        drop(guard);
    }
}
