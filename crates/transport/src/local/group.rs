//! What the workers of one process share: channels, wake-ups, and who has failed or left.

use super::channel::Channel;
use super::lent::LentBuffer;
use super::wake_up::WakeUp;
use crate::{LANES_MAX, LinkError, Stamp};
use std::cell::UnsafeCell;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Release, SeqCst},
};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A worker's entry.
#[derive(Default)]
pub(super) struct Member {
    pub(super) wake_up: WakeUp,
    /// Ended without failing.
    left: AtomicBool,
    /// The collective it is in.
    stamp: Mutex<Stamp>,
    /// Barriers it has arrived at.
    phase: AtomicU64,
    /// Its buffer while the group works on all of them.
    lent: UnsafeCell<Option<LentBuffer>>,
}

/// How the collectives of two workers compare.
#[derive(PartialEq, Eq)]
pub(super) enum StampComparison {
    /// They run the same one.
    Same,
    /// Both are at the same number, but it is not the same operation.
    SameNumberOnly,
    /// One of them is ahead.
    OtherNumber,
}

/// The group. Workers hold it together.
pub(super) struct WorkerGroup {
    pub(super) members: Vec<Member>,
    /// By `(from · world + to) · LANES_MAX + lane`, made when first used.
    channels: Vec<OnceLock<Channel>>,
    failed: AtomicBool,
    failure: Mutex<Option<LinkError>>,
    /// Turns of the spin loop before a worker parks.
    pub(super) spins: u32,
}

// SAFETY: `lent` is the one part that is not `Sync` by itself. Its owner writes it before arriving
// at a barrier; others read it after that barrier and before the next, at which the owner takes it
// back.
unsafe impl Sync for WorkerGroup {}
// SAFETY: as above; the pointers in `lent` are followed only between those barriers.
unsafe impl Send for WorkerGroup {}

impl WorkerGroup {
    pub(super) fn new(world: usize, spins: u32) -> Self {
        Self {
            members: (0..world).map(|_| Member::default()).collect(),
            channels: (0..world * world * LANES_MAX).map(|_| OnceLock::new()).collect(),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
            spins,
        }
    }

    /// The channel of one direction and lane.
    pub(super) fn channel(&self, from: usize, to: usize, lane: usize) -> &Channel {
        assert!(lane < LANES_MAX, "lane {lane}: threads have {LANES_MAX} lanes");
        let world = self.members.len();
        self.channels[(from * world + to) * LANES_MAX + lane].get_or_init(Channel::new)
    }

    /// Channels that `from` has used.
    pub(super) fn channels_of(&self, from: usize) -> impl Iterator<Item = &Channel> {
        let each = self.members.len() * LANES_MAX;
        self.channels[from * each..(from + 1) * each].iter().filter_map(OnceLock::get)
    }

    /// Ends the group's work with `error`, unless it has already failed.
    pub(super) fn fail(&self, error: LinkError) {
        lock(&self.failure).get_or_insert(error);
        self.failed.store(true, SeqCst);
        self.members.iter().for_each(|member| member.wake_up.signal());
    }

    /// The failure of the group, if there is one.
    pub(super) fn check(&self) -> Result<(), LinkError> {
        if !self.failed.load(Acquire) {
            return Ok(());
        }
        let failure = lock(&self.failure).clone();
        Err(failure.expect("set before the flag"))
    }

    /// Says that `rank` takes part no more.
    pub(super) fn leave(&self, rank: usize) {
        self.members[rank].left.store(true, SeqCst);
        self.members.iter().for_each(|member| member.wake_up.signal());
    }

    pub(super) fn has_left(&self, rank: usize) -> bool {
        self.members[rank].left.load(SeqCst)
    }

    pub(super) fn set_stamp(&self, rank: usize, stamp: &Stamp) {
        lock(&self.members[rank].stamp).clone_from(stamp);
    }

    /// Whether `rank` is in the collective of this stamp, and whether in one of the same number.
    pub(super) fn compare(&self, rank: usize, stamp: &Stamp) -> StampComparison {
        let theirs = lock(&self.members[rank].stamp);
        match (theirs.sequence == stamp.sequence, theirs.fingerprint == stamp.fingerprint) {
            (true, true) => StampComparison::Same,
            (true, false) => StampComparison::SameNumberOnly,
            (false, _) => StampComparison::OtherNumber,
        }
    }

    /// What `rank` says it is doing.
    pub(super) fn stamp(&self, rank: usize) -> Stamp {
        lock(&self.members[rank].stamp).clone()
    }

    /// Steps `rank` to its next barrier and tells the others. Returns the barrier's number.
    pub(super) fn arrive(&self, rank: usize) -> u64 {
        let phase = self.members[rank].phase.fetch_add(1, Release) + 1;
        for (other, member) in self.members.iter().enumerate() {
            if other != rank {
                member.wake_up.signal();
            }
        }
        phase
    }

    /// Who has not arrived at barrier `phase`.
    pub(super) fn missing(&self, phase: u64) -> Vec<usize> {
        let late = |rank: &usize| self.members[*rank].phase.load(Acquire) < phase;
        (0..self.members.len()).filter(late).collect()
    }

    /// Shows `rank`'s buffer to the group. Called by `rank` only, between barriers.
    pub(super) fn lend(&self, rank: usize, buffer: Option<LentBuffer>) {
        // SAFETY: only `rank` writes this, before its barrier; nobody reads it then (see `Sync`).
        unsafe { *self.members[rank].lent.get() = buffer };
    }

    /// The buffer `rank` has lent. Called between the barrier after `lend` and the next.
    pub(super) fn lent(&self, rank: usize) -> LentBuffer {
        // SAFETY: `rank` wrote it before the barrier and does not write it before the next.
        let lent = unsafe { *self.members[rank].lent.get() };
        lent.expect("everyone lends before the barrier")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
