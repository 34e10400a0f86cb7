//! How far a rank is and whom it waits for: written by the exchange, read by the watch.

use crate::Stamp;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Collectives remembered: a rank that has gone on may still be compared with one that has not.
const HISTORY: usize = 4;

/// Whom a rank waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Nobody: it computes, or moves values.
    Nobody,
    /// This rank, among others perhaps.
    For(usize),
    /// Everyone: it is inside a call of the MPI library.
    Everyone,
}

/// A collective that a rank has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The how-many-th.
    pub sequence: u64,
    /// Hash of what it is.
    pub fingerprint: u64,
    /// What it is, in words.
    pub label: String,
}

/// One rank's state, shared by its exchange and its watch.
#[derive(Default)]
pub struct Progress {
    /// 0 nobody, 1 everyone, else rank + 2.
    waiting: AtomicU64,
    /// Grows whenever something moves: tells waiting from being stuck.
    moves: AtomicU64,
    begun: Mutex<Vec<Entry>>,
}

impl Progress {
    /// A collective begins.
    pub fn begin(&self, stamp: &Stamp) {
        let Stamp { sequence, fingerprint, ref label } = *stamp;
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.len() == HISTORY {
            begun.remove(0);
        }
        begun.push(Entry { sequence, fingerprint, label: label.clone() });
        self.waiting.store(0, Relaxed);
        self.moved();
    }

    /// It waits, or no longer does.
    pub fn wait(&self, whom: Waiting) {
        let code = match whom {
            Waiting::Nobody => 0,
            Waiting::Everyone => 1,
            Waiting::For(rank) => u64::try_from(rank).map_or(1, |rank| rank + 2),
        };
        self.waiting.store(code, Relaxed);
    }

    /// Something moved.
    pub fn moved(&self) {
        self.moves.fetch_add(1, Relaxed);
    }

    /// How often something moved.
    pub fn moves(&self) -> u64 {
        self.moves.load(Relaxed)
    }

    /// Whom it waits for.
    pub fn waiting(&self) -> Waiting {
        match self.waiting.load(Relaxed) {
            0 => Waiting::Nobody,
            1 => Waiting::Everyone,
            code => usize::try_from(code - 2).map_or(Waiting::Everyone, Waiting::For),
        }
    }

    /// The last collectives it began, newest last.
    pub fn begun(&self) -> Vec<Entry> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
