//! Uplinks of leaf switches, which carry several transfers at once and divide their bandwidth
//! fairly.
//!
//! A transfer runs at the least of its own rate and of its fair fraction of the uplink that it
//! leaves by and of the one that it comes down. What one transfer cannot use is not given to the
//! others, so this is the fair fraction, not the max-min one; they differ only where transfers of
//! one uplink are limited elsewhere.

use super::events::{EventKind, EventQueue};

/// The uplink by which a transfer leaves a switch and the one by which it comes down.
#[derive(Debug, Clone, Copy)]
pub(super) struct UplinkPair([u32; 2]);

impl UplinkPair {
    /// Between two switches: every switch has a link up and one down.
    pub(super) fn between(from: usize, to: usize) -> Self {
        Self([super::index(2 * from), super::index(2 * to + 1)])
    }
}

/// A transfer that shares.
#[derive(Debug, Clone, Copy)]
struct SharedTransfer {
    uplinks: UplinkPair,
    /// Bytes that have not left at `since`.
    left: f64,
    since: f64,
    rate: f64,
    /// Its rate if it were alone.
    rate_max: f64,
}

/// All uplinks.
#[derive(Debug, Default)]
pub(super) struct SharedLinks {
    /// Bytes per second of each.
    capacity: f64,
    /// Transfers under way on each.
    on_link: Vec<Vec<u32>>,
    /// By transfer.
    shared: Vec<Option<SharedTransfer>>,
    /// By transfer: how often its end was announced.
    versions: Vec<u32>,
}

impl SharedLinks {
    pub(super) fn new(links: usize, capacity: f64) -> Self {
        Self { capacity, on_link: vec![Vec::new(); links], ..Self::default() }
    }

    /// Whether the end of a transfer was announced under this number, last.
    pub(super) fn is_current(&self, transfer: u32, version: u32) -> bool {
        self.versions.get(transfer as usize).is_none_or(|current| *current == version)
    }

    /// A number for the end of a transfer that shares nothing.
    pub(super) fn forget(&mut self, transfer: u32) -> u32 {
        match self.versions.get_mut(transfer as usize) {
            Some(version) => {
                *version += 1;
                *version
            }
            None => 0,
        }
    }

    /// A transfer of `amount` bytes begins, at `rate` bytes per second if it were alone.
    pub(super) fn join(
        &mut self,
        now: f64,
        transfer: u32,
        uplinks: UplinkPair,
        amount: f64,
        rate: f64,
        events: &mut EventQueue,
    ) {
        let needed = transfer as usize + 1;
        if self.shared.len() < needed {
            self.shared.resize(needed, None);
            self.versions.resize(needed, 0);
        }
        for link in uplinks.0 {
            self.on_link[link as usize].push(transfer);
        }
        let joined =
            SharedTransfer { uplinks, left: amount, since: now, rate: 0.0, rate_max: rate };
        self.shared[transfer as usize] = Some(joined);
        self.divide(now, uplinks, events);
    }

    /// The last byte of a transfer has left.
    pub(super) fn leave(&mut self, now: f64, transfer: u32, events: &mut EventQueue) {
        let left = self.shared[transfer as usize].take().expect("it has joined");
        for link in left.uplinks.0 {
            self.on_link[link as usize].retain(|&other| other != transfer);
        }
        self.divide(now, left.uplinks, events);
    }

    /// Gives every transfer on these links its rate, and announces its end where that changed.
    fn divide(&mut self, now: f64, uplinks: UplinkPair, events: &mut EventQueue) {
        for link in uplinks.0 {
            for at in 0..self.on_link[link as usize].len() {
                let transfer = self.on_link[link as usize][at];
                let fair = |link: u32| self.capacity / self.on_link[link as usize].len() as f64;
                let old = self.shared[transfer as usize].expect("it is on a link");
                let [up, down] = old.uplinks.0.map(fair);
                let rate = old.rate_max.min(up).min(down);
                if rate.to_bits() == old.rate.to_bits() {
                    continue;
                }
                let left = (old.left - old.rate * (now - old.since).max(0.0)).max(0.0);
                let since = now.max(old.since);
                self.shared[transfer as usize] = Some(SharedTransfer { left, since, rate, ..old });
                let version = &mut self.versions[transfer as usize];
                *version += 1;
                let event = EventKind::Sent { transfer, version: *version };
                events.push(since + left / rate, event);
            }
        }
    }
}
