//! Messages from one worker to another on one lane: a ring of pointers with two counters.
//!
//! ```text
//!   taken ▼              ▼ posted
//!   [ x ][ p ][ p ][ p ][   ]        the sender writes at `posted`, the receiver reads at `taken`
//! ```
//!
//! Each counter has one writer. `reading` and `withdrawn` decide the one race that is left: a
//! sender that gives up while its memory is being read waits for that read, and no new one starts.

use std::cell::UnsafeCell;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

/// Untaken messages that fit: enough for a sender to run ahead while the receiver has no core.
const DEPTH: u64 = 64;

/// A message: the sender's memory, and the collective it belongs to.
#[derive(Clone, Copy)]
pub(super) struct LentMessage {
    pub(super) bytes: *const u8,
    pub(super) len: usize,
    pub(super) sequence: u64,
    pub(super) fingerprint: u64,
}

/// One direction between two workers on one lane.
pub(super) struct Channel {
    slots: Box<[UnsafeCell<LentMessage>]>,
    posted: AtomicU64,
    taken: AtomicU64,
    reading: AtomicBool,
    withdrawn: AtomicBool,
}

// SAFETY: a slot is written by the sender while `posted - taken` excludes it for the receiver, and
// read by the receiver while it excludes it for the sender; the counters order the two.
unsafe impl Sync for Channel {}
// SAFETY: the pointers are only followed in `read`, under the rule in the crate's header.
unsafe impl Send for Channel {}

/// What a receiver finds.
pub(super) enum Arrival {
    /// Nothing yet.
    Nothing,
    /// A message of another collective or length; it was not read.
    Other(LentMessage),
    /// A message that was read.
    Read,
}

impl Channel {
    pub(super) fn new() -> Self {
        let empty = LentMessage { bytes: std::ptr::null(), len: 0, sequence: 0, fingerprint: 0 };
        Self {
            slots: (0..DEPTH).map(|_| UnsafeCell::new(empty)).collect(),
            posted: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            reading: AtomicBool::new(false),
            withdrawn: AtomicBool::new(false),
        }
    }

    fn slot(&self, index: u64) -> *mut LentMessage {
        let position = usize::try_from(index % DEPTH).expect("the remainder is small");
        self.slots[position].get()
    }

    /// Called by the sender only. The message's number, or `None` when the ring is full.
    pub(super) fn post(&self, message: LentMessage) -> Option<u64> {
        let index = self.posted.load(Relaxed);
        if index - self.taken.load(Acquire) >= DEPTH {
            return None;
        }
        // SAFETY: slot `index` is not among `taken..posted`, so the receiver does not look at it.
        unsafe { *self.slot(index) = message };
        self.posted.store(index + 1, Release);
        Some(index)
    }

    /// Whether the receiver is done with message `index`.
    pub(super) fn is_taken(&self, index: u64) -> bool {
        self.taken.load(Acquire) > index
    }

    /// Called by the receiver only: reads the oldest message if it is the one expected.
    pub(super) fn take(
        &self,
        expected: &dyn Fn(&LentMessage) -> bool,
        reader: &mut dyn FnMut(&[u8]),
    ) -> Arrival {
        let index = self.taken.load(Relaxed);
        if index == self.posted.load(Acquire) {
            return Arrival::Nothing;
        }
        // SAFETY: slot `index` is among `taken..posted`, so the sender does not touch it.
        let message = unsafe { *self.slot(index) };
        if !expected(&message) {
            return Arrival::Other(message);
        }
        self.reading.store(true, SeqCst);
        let done = ReadGuard(&self.reading);
        if self.withdrawn.load(SeqCst) {
            return Arrival::Nothing; // the sender failed; waiting will say why
        }
        // SAFETY: posted and not withdrawn, so the sender keeps it readable and unchanged until
        // `taken` passes it or, in `withdraw`, until `reading` ends.
        let bytes = unsafe { std::slice::from_raw_parts(message.bytes, message.len) };
        reader(bytes);
        drop(done);
        self.taken.store(index + 1, Release);
        Arrival::Read
    }

    /// Called by the sender only: when it returns nobody reads what was posted here, ever again.
    pub(super) fn withdraw(&self) {
        self.withdrawn.store(true, SeqCst);
        while self.reading.load(SeqCst) {
            std::thread::yield_now(); // at most one segment's addition
        }
    }
}

/// Ends a read, also when the reader panics.
struct ReadGuard<'a>(&'a AtomicBool);

impl Drop for ReadGuard<'_> {
    fn drop(&mut self) {
        self.0.store(false, SeqCst);
    }
}
