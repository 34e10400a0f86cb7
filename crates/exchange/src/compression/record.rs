//! What a step did: ranges that it applies to, bytes, entries and times.

use base::Clock;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// What one step did.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressedStep {
    /// Where the update applies.
    pub applied: Applied,
    /// Bytes that this rank sent, counted.
    pub sent_bytes: u64,
    /// Entries (an index with a sign or value) among them, our own and those that this rank passed
    /// on; 0 for rows that send none.
    pub entries: u64,
    /// Whether a compressed value was not finite, on whichever rank. The same on all ranks.
    pub not_finite: bool,
    /// Time that this rank's thread computed for encoding, if there is a clock.
    pub encode: Duration,
    /// Time that it computed for decoding and for sums of its own, if there is a clock.
    pub decode: Duration,
}

/// Where the update applies. Elsewhere the pool holds zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// The whole pool.
    Everything,
    /// Ranges of the pool, in its order, apart from each other. Drop it before the next step, and
    /// its memory is used again.
    Ranges(Arc<Vec<Range<usize>>>),
}

/// Collects ranges in ascending order, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct AppliedRanges(Arc<Vec<Range<usize>>>);

impl AppliedRanges {
    /// Forgets the ranges of the last step.
    pub(super) fn clear(&mut self) {
        match Arc::get_mut(&mut self.0) {
            Some(ranges) => ranges.clear(),
            None => self.0 = Arc::default(), // somebody still looks at the last step's
        }
    }

    /// Adds a range, which begins at the end of the last one or behind it.
    pub(super) fn push(&mut self, range: Range<usize>) {
        let ranges = Arc::get_mut(&mut self.0).expect("cleared since it was handed out");
        match ranges.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }

    /// Hands out what was collected.
    pub(super) fn applied(&self, pool_len: usize) -> Applied {
        match &self.0[..] {
            [all] if *all == (0..pool_len) => Applied::Everything,
            _ => Applied::Ranges(Arc::clone(&self.0)),
        }
    }
}

/// What rows note while a step runs.
#[derive(Debug, Default)]
pub(super) struct StepRecord {
    pub(super) clock: Option<Arc<dyn Clock>>,
    pub(super) sent_bytes: u64,
    pub(super) entries: u64,
    pub(super) not_finite: bool,
    pub(super) encode: Duration,
    pub(super) decode: Duration,
}

impl StepRecord {
    /// What this thread has computed so far, if there is a clock. In an emulated run that clock may
    /// be slow, and a codec is not faster for it.
    pub(super) fn spent(&self) -> Duration {
        self.clock.as_ref().map_or(Duration::ZERO, |clock| clock.thread_spent())
    }

    /// Values were prepared for sending since `begin`.
    pub(super) fn encoded_since(&mut self, begin: Duration) {
        self.encode += self.spent().saturating_sub(begin);
    }

    /// Values that were received were added or written since `begin`.
    pub(super) fn decoded_since(&mut self, begin: Duration) {
        self.decode += self.spent().saturating_sub(begin);
    }

    /// The step's figures; a new step begins.
    pub(super) fn take(&mut self, applied: Applied) -> CompressedStep {
        let clock = self.clock.take();
        let Self { sent_bytes, entries, not_finite, encode, decode, .. } =
            std::mem::replace(self, Self { clock, ..Self::default() });
        CompressedStep { applied, sent_bytes, entries, not_finite, encode, decode }
    }
}
