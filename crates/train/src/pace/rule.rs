//! When a thread is added, and when it was one too many: a pure function of what windows show.
//!
//! ```text
//!             waits, and filling is the cause
//!  watching ──────────────────────────────────▶ settling ──▶ trying ──┬─ it helped ──▶ watching
//!     ▲                                                               │
//!     └──────────────── resting, longer each time ◀───────────────────┘ one thread less
//! ```
//!
//! A thread helps when the net waits half as long and iterations take no longer, or when they take
//! clearly less time. On cores that compute, another thread takes the time from the net: it waits
//! less and iterations take longer, so the thread goes.

/// A longer wait, as a part of the time, gets another thread.
const WAIT_MAX: f64 = 0.01;
/// Threads of a batch are started for it and passed its records one by one: a batch that takes less
/// than so many seconds to fill is filled sooner by one.
const FILL_MIN: f64 = 1e-3;
/// Iterations that take less than this part of the time were made faster by a thread, whatever the
/// wait is.
const CLEARLY_FASTER: f64 = 0.98;
/// Windows after a trial that did not help in which no other one is made: at first, and at most.
const REST: u32 = 30;
const REST_MAX: u32 = 1000;

/// What some iterations took, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaceWindow {
    /// Of an iteration.
    pub(super) total: f64,
    /// Of that, waiting for data.
    pub(super) wait: f64,
    /// Of all threads that filled a batch.
    pub(super) fill: f64,
}

#[derive(Debug, Clone, Copy)]
enum PaceState {
    /// The window after a change is not looked at: it used batches that were ready before.
    Settling {
        tried: Option<PaceWindow>,
    },
    /// The last thread is kept if it makes this better.
    Trying {
        before: PaceWindow,
    },
    Watching,
    Resting {
        windows: u32,
    },
}

/// Threads per stream.
#[derive(Debug)]
pub(super) struct ThreadRule {
    most: usize,
    threads: usize,
    state: PaceState,
    rest: u32,
}

impl ThreadRule {
    /// One thread at first, `most` at most.
    pub(super) fn new(most: usize) -> Self {
        let state = PaceState::Settling { tried: None };
        Self { most: most.max(1), threads: 1, state, rest: REST }
    }

    /// After a window; how many threads the next one has.
    pub(super) fn next(&mut self, window: PaceWindow) -> usize {
        self.state = match self.state {
            PaceState::Settling { tried: None } => PaceState::Watching,
            PaceState::Settling { tried: Some(before) } => PaceState::Trying { before },
            PaceState::Trying { before } if !helped(before, window) => {
                self.threads -= 1;
                let windows = self.rest;
                self.rest = (2 * windows).min(REST_MAX);
                PaceState::Resting { windows }
            }
            PaceState::Resting { windows: windows @ 2.. } => {
                PaceState::Resting { windows: windows - 1 }
            }
            _ if self.threads < self.most && is_starved(window) => {
                self.threads += 1;
                PaceState::Settling { tried: Some(window) }
            }
            _ => PaceState::Watching,
        };
        self.threads
    }
}

fn is_starved(window: PaceWindow) -> bool {
    window.wait > WAIT_MAX * window.total && window.fill >= FILL_MIN
}

fn helped(before: PaceWindow, now: PaceWindow) -> bool {
    let waits_less = now.wait <= before.wait / 2.0 && now.total <= before.total;
    waits_less || now.total <= CLEARLY_FASTER * before.total
}

#[cfg(test)]
mod tests {
    use super::{PaceWindow, REST, ThreadRule};

    /// Runs `windows` windows of a net that takes what `takes` says of so many threads; the numbers
    /// of threads that they had, without repetitions.
    fn run(most: usize, windows: u32, takes: impl Fn(usize) -> PaceWindow) -> Vec<(usize, u32)> {
        let (mut rule, mut threads) = (ThreadRule::new(most), 1);
        let mut had: Vec<(usize, u32)> = Vec::new();
        for _ in 0..windows {
            match had.last_mut() {
                Some((last, times)) if *last == threads => *times += 1,
                _ => had.push((threads, 1)),
            }
            threads = rule.next(takes(threads));
        }
        had
    }

    /// A net of 0.1 s on cores of its own, whose batch takes `fill` seconds to fill on one thread.
    fn idle_cores(fill: f64) -> impl Fn(usize) -> PaceWindow {
        move |threads| {
            let wait = (fill / threads as f64 - 0.1).max(0.0);
            PaceWindow { total: 0.1 + wait, wait, fill }
        }
    }

    #[test]
    fn threads_are_added_until_the_net_does_not_wait_and_stay() {
        // The first window is not looked at, nor is the one after each change.
        assert_eq!(run(8, 100, idle_cores(0.25)), [(1, 2), (2, 2), (3, 96)]);
        assert_eq!(run(2, 100, idle_cores(0.25)), [(1, 2), (2, 98)], "as many as are allowed");
        assert_eq!(run(8, 100, idle_cores(0.1009)), [(1, 100)], "waits 0.9 %");
        assert_eq!(run(8, 100, idle_cores(0.102)), [(1, 2), (2, 98)], "waits 2 %");
        assert_eq!(run(1, 100, idle_cores(0.25)), [(1, 100)]);
    }

    #[test]
    fn a_thread_that_slows_the_net_down_goes_and_is_not_tried_again_soon() {
        let busy_cores = |threads: usize| match threads {
            1 => PaceWindow { total: 0.102, wait: 0.002, fill: 0.01 },
            _ => PaceWindow { total: 0.105, wait: 0.0, fill: 0.01 },
        };
        let got = run(8, 200, busy_cores);
        assert_eq!(got[..5], [(1, 2), (2, 2), (1, REST), (2, 2), (1, 2 * REST)]);
    }

    #[test]
    fn a_thread_that_changes_nothing_goes() {
        // Waits for a disk.
        let got = run(8, 20, |_| PaceWindow { total: 0.2, wait: 0.1, fill: 0.2 });
        assert_eq!(got, [(1, 2), (2, 2), (1, 16)]);
    }

    #[test]
    fn small_batches_are_filled_by_one_thread() {
        // LeNet: 60 us per batch, and the wait is for waking up.
        assert_eq!(run(8, 99, |_| PaceWindow { total: 5e-3, wait: 1e-4, fill: 6e-5 }), [(1, 99)]);
    }
}
