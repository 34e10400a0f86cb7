//! Wakes a worker. Ringing is one atomic addition unless the worker is parked.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long a parked worker stays without looking round.
const GLANCE: Duration = Duration::from_millis(100);

/// One worker's bell.
#[derive(Default)]
pub(super) struct Bell {
    rings: AtomicU64,
    parked: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Bell {
    /// How often it rang so far.
    pub(super) fn rings(&self) -> u64 {
        self.rings.load(SeqCst)
    }

    /// Lets the worker look again. The lock is touched only when it is parked.
    pub(super) fn ring(&self) {
        self.rings.fetch_add(1, SeqCst);
        if self.parked.load(SeqCst) {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_one();
        }
    }

    /// Returns once it has rung since `heard`, at once if it already has; and now and then without a
    /// ring, so that the caller can look whether others still do the same collective.
    pub(super) fn wait(&self, heard: u64, spins: u32) {
        for _ in 0..spins {
            if self.rings() != heard {
                return;
            }
            spin_loop();
        }
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.parked.store(true, SeqCst);
        // A ring after this load sees `parked` and takes the lock, so it cannot be missed.
        if self.rings() == heard {
            let waited = self.wake.wait_timeout(guard, GLANCE);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        self.parked.store(false, SeqCst);
        drop(guard);
    }
}
