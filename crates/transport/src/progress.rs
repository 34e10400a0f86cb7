//! How far a rank is and whom it waits for: written by the exchange, read by the failure detector.

use crate::Stamp;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

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
pub struct BegunCollective {
    /// Counts the collectives of its rank, from 1.
    pub sequence: u64,
    /// Hash of what it is.
    pub fingerprint: u64,
    /// What it is, in words.
    pub label: Arc<str>,
}

/// One rank's state, shared by its exchange and its failure detector.
#[derive(Default)]
pub struct RankProgress {
    /// 0 nobody, 1 everyone, else rank + 2.
    waiting: AtomicU64,
    /// Grows whenever something moves: tells waiting and working from being stuck.
    moves: AtomicU64,
    /// Long calls under way that cannot say how far they are, such as writing a file.
    busy: AtomicU64,
    begun: Mutex<Vec<BegunCollective>>,
}

/// Counts as movement while it lives: see [`RankProgress::busy`].
pub struct Busy<'a>(&'a RankProgress);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Relaxed);
    }
}

impl RankProgress {
    /// A collective begins.
    pub fn begin(&self, stamp: &Stamp) {
        let Stamp { sequence, fingerprint, ref label } = *stamp;
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.len() == HISTORY {
            begun.remove(0);
        }
        begun.push(BegunCollective { sequence, fingerprint, label: Arc::clone(label) });
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

    /// A long call begins that cannot say how far it is, such as writing a file. Until the guard is
    /// dropped this rank counts as moving.
    #[must_use]
    pub fn busy(&self) -> Busy<'_> {
        self.busy.fetch_add(1, Relaxed);
        Busy(self)
    }

    /// How often something moved. While the rank is busy every look is a move.
    pub fn moves(&self) -> u64 {
        if self.busy.load(Relaxed) > 0 {
            self.moved();
        }
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
    pub fn begun(&self) -> Vec<BegunCollective> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
