//! Events in order of time; of equal times the one that was announced first.
//!
//! Ranks of a collective often act at the very same time. Events of one time share a list, and the
//! heap orders lists: an event whose list is open costs no more than an append. Lists are found by
//! a small cache of open ones; if it has forgotten a list, a second one of the same time follows
//! it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// A lane takes its next step.
    Resume { lane: u32 },
    /// The last byte of a transfer has left, unless its rate has changed since.
    Sent { transfer: u32, version: u32 },
    /// A message from this rank has come.
    Arrived { lane: u32, from: u32 },
}

/// Open lists that are remembered: as many as a byte counts.
const OPEN: usize = 256;

/// Where the events of one time are.
#[derive(Debug, Clone, Copy)]
struct TimeList {
    /// The bits of a time. Times are not negative, so their bits are ordered as they are.
    time: u64,
    list: usize,
}

/// What is to come.
#[derive(Debug)]
pub(super) struct EventQueue {
    /// Time, order of announcement, and list.
    heap: BinaryHeap<Reverse<(u64, u64, usize)>>,
    announced: u64,
    lists: Vec<Vec<EventKind>>,
    /// Lists without events.
    unused: Vec<usize>,
    open: Vec<Option<TimeList>>,
    /// The list whose events happen, and the next of them.
    current: Option<(TimeList, usize)>,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            announced: 0,
            lists: Vec::new(),
            unused: Vec::new(),
            open: vec![None; OPEN],
            current: None,
        }
    }
}

/// Where the cache remembers the list of a time.
fn place(time: u64) -> usize {
    // Fibonacci hashing: the first byte of the product depends on all bits.
    usize::from(time.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[0])
}

impl EventQueue {
    /// Announces an event at `time` in seconds.
    pub(super) fn push(&mut self, time: f64, event: EventKind) {
        debug_assert!(time >= 0.0, "times begin at 0");
        let time = time.to_bits();
        let open = &mut self.open[place(time)];
        if let Some(known) = open.filter(|known| known.time == time) {
            self.lists[known.list].push(event);
            return;
        }
        let list = self.unused.pop().unwrap_or_else(|| {
            self.lists.push(Vec::new());
            self.lists.len() - 1
        });
        self.lists[list].push(event);
        *open = Some(TimeList { time, list });
        self.announced += 1;
        self.heap.push(Reverse((time, self.announced, list)));
    }

    /// The next event and its time.
    pub(super) fn pop(&mut self) -> Option<(f64, EventKind)> {
        loop {
            if let Some((at, next)) = &mut self.current {
                if let Some(&event) = self.lists[at.list].get(*next) {
                    *next += 1;
                    return Some((f64::from_bits(at.time), event));
                }
                let TimeList { time, list } = *at;
                self.lists[list].clear();
                self.unused.push(list);
                self.open[place(time)].take_if(|open| open.list == list);
            }
            let Reverse((time, _, list)) = self.heap.pop()?;
            self.current = Some((TimeList { time, list }, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EventKind, EventQueue};

    /// In order of time, of equal times as announced, though far more times are open than the cache
    /// remembers and events are announced while others happen.
    #[test]
    fn events_happen_in_order() {
        let mut queue = EventQueue::default();
        let mut announced = Vec::new();
        let mut push = |queue: &mut EventQueue, time: f64| {
            let lane = u32::try_from(announced.len()).unwrap();
            announced.push((time, lane));
            queue.push(time, EventKind::Resume { lane });
        };
        for index in 0_u32..3000 {
            push(&mut queue, f64::from(index * 7919 % 1000));
        }
        let mut happened = Vec::new();
        while let Some((time, EventKind::Resume { lane })) = queue.pop() {
            happened.push((time, lane));
            if lane % 3 == 0 && lane < 3000 {
                push(&mut queue, time + f64::from(lane % 2));
            }
        }
        announced.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(happened, announced);
    }
}
