//! Events in order of time; of equal times the one that was announced first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventKind {
    /// A lane takes its next step.
    Resume { lane: u32 },
    /// The last byte of a transfer has left, unless its rate has changed since.
    Sent { transfer: u32, version: u32 },
    /// A message from this rank has come.
    Arrived { lane: u32, from: u32 },
}

/// What is to come. Times are not negative, so their bits are ordered as they are.
#[derive(Debug, Default)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Reverse<(u64, u64, EventKind)>>,
    announced: u64,
}

impl EventQueue {
    /// Announces an event at `time` in seconds.
    pub(super) fn push(&mut self, time: f64, event: EventKind) {
        debug_assert!(time >= 0.0, "times begin at 0");
        self.announced += 1;
        self.heap.push(Reverse((time.to_bits(), self.announced, event)));
    }

    /// The next event and its time.
    pub(super) fn pop(&mut self) -> Option<(f64, EventKind)> {
        let Reverse((time, _, event)) = self.heap.pop()?;
        Some((f64::from_bits(time), event))
    }
}
