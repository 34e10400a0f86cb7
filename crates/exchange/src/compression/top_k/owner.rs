//! The owner of an index range: sums the entries of all ranks and keeps those that are among the
//! largest of all owners.
//!
//! ```text
//!   entries of rank 0, 1, .. ──▶ sums of our range ──▶ from the threshold on ──▶ counts to all
//!                                                                                  │ about k?
//!                              a new threshold, by histograms of all owners ◀── no ┘
//! ```

use super::super::blocks::GatheredCounts;
use super::entries::read_entries;
use super::keys::{BINS_MAX, GLOBAL_DIGITS, key, kth_largest};
use super::local::about;
use crate::wire::WireFormat;
use crate::{Exchange, ExchangeError};
use std::ops::Range;

/// Sums of one rank's range and what is kept of them.
pub(super) struct RangeOwner {
    /// Zero between buckets.
    sums: Vec<f32>,
    /// Indices that have an entry, each once; ascending after [`add_all`](Self::add_all).
    touched: Vec<u32>,
    values: Vec<f32>,
    counts: GatheredCounts,
    /// What is kept, ascending.
    pub(super) kept: Vec<u32>,
    /// Their sums.
    pub(super) kept_sums: Vec<f32>,
    /// How many every rank keeps.
    pub(super) kept_counts: Vec<usize>,
}

impl RangeOwner {
    pub(super) fn new(world: usize) -> Self {
        Self {
            sums: Vec::new(),
            touched: Vec::new(),
            values: Vec::new(),
            counts: GatheredCounts::new(world),
            kept: Vec::new(),
            kept_sums: Vec::new(),
            kept_counts: vec![0; world],
        }
    }

    /// Adds the entries of all blocks, in order, to the sums of `range`.
    pub(super) fn add_all<'a>(
        &mut self,
        wire: &WireFormat,
        range: Range<usize>,
        blocks: impl Iterator<Item = &'a [u8]>,
    ) {
        self.sums.resize(range.len().max(self.sums.len()), 0.0);
        self.touched.clear();
        for block in blocks {
            let indices = read_entries(wire, block, &mut self.values);
            for (&index, value) in indices.iter().zip(&self.values) {
                self.sums[index as usize - range.start] += value;
            }
            self.touched.extend_from_slice(indices);
        }
        self.touched.sort_unstable();
        self.touched.dedup();
    }

    /// Keeps what is among about the `k` largest sums of all owners, from `threshold` on, which
    /// is renewed if it keeps too many or too few. All ranks call it and get the same threshold.
    pub(super) fn keep_largest(
        &mut self,
        exchange: &mut Exchange,
        start: usize,
        k: usize,
        threshold: Option<u32>,
    ) -> Result<u32, ExchangeError> {
        if let Some(threshold) = threshold {
            let total = self.count(exchange, start, threshold)?;
            if total <= *about(k).end() && (total >= *about(k).start() || threshold == 1) {
                self.keep(exchange, start, threshold, total);
                return Ok(threshold);
            }
        }
        let threshold = self.renew_threshold(exchange, start, k)?;
        self.count(exchange, start, threshold)?;
        self.keep(exchange, start, threshold, k);
        Ok(threshold)
    }

    fn sum_of(&self, start: usize, index: u32) -> f32 {
        self.sums[index as usize - start]
    }

    /// Tells all owners how many sums are above the threshold, and how many at it. Returns the
    /// number over all owners.
    fn count(
        &mut self,
        exchange: &mut Exchange,
        start: usize,
        threshold: u32,
    ) -> Result<usize, ExchangeError> {
        let (mut above, mut equal) = (0, 0);
        for &index in &self.touched {
            let key = key(self.sum_of(start, index));
            above += u32::from(key > threshold);
            equal += u32::from(key == threshold);
        }
        self.counts.gather(exchange, [above, equal])?;
        let counts = (0..self.kept_counts.len()).map(|rank| self.counts.of(rank));
        Ok(counts.map(|[above, equal]| above + equal).sum())
    }

    /// Keeps all sums above the threshold, and of those at it so many that there are at most
    /// `limit` over all owners: the first ones.
    fn keep(&mut self, exchange: &mut Exchange, start: usize, threshold: u32, limit: usize) {
        let world = self.kept_counts.len();
        let above: usize = (0..world).map(|rank| self.counts.of(rank)[0]).sum();
        let mut free = limit.saturating_sub(above);
        let mut ours = 0;
        for rank in 0..world {
            let [above, equal] = self.counts.of(rank);
            let taken = equal.min(free);
            free -= taken;
            self.kept_counts[rank] = above + taken;
            if rank == exchange.rank().index() {
                ours = taken;
            }
        }
        self.kept.clear();
        self.kept_sums.clear();
        for &index in &self.touched {
            let sum = self.sums[index as usize - start];
            let key = key(sum);
            let is_taken = key == threshold && ours > 0;
            ours -= usize::from(is_taken);
            if key > threshold || is_taken {
                self.kept.push(index);
                self.kept_sums.push(sum);
            }
        }
    }

    /// The magnitude of the `k`-th largest sum of all owners.
    fn renew_threshold(
        &self,
        exchange: &mut Exchange,
        start: usize,
        k: usize,
    ) -> Result<u32, ExchangeError> {
        kth_largest(k, GLOBAL_DIGITS, |prefix, bins| {
            let sums = self.touched.iter().map(|&index| self.sum_of(start, index));
            prefix.count(sums, bins);
            // Owners have different indices, so a bin counts fewer than 2^31 in all. Two halves of
            // it are exact as sums of f32.
            let mut halves = [0.0_f32; 2 * BINS_MAX];
            let halves = &mut halves[..2 * bins.len()];
            for (bin, halves) in bins.iter().zip(halves.as_chunks_mut().0) {
                *halves = [(bin & 0xfff) as f32, (bin >> 12) as f32];
            }
            exchange.sum(halves)?;
            for (bin, [low, high]) in bins.iter_mut().zip(halves.as_chunks().0) {
                *bin = whole(*low) + (whole(*high) << 12);
            }
            Ok(())
        })
    }

    /// Makes the sums zero again.
    pub(super) fn clear(&mut self, start: usize) {
        for index in self.touched.drain(..) {
            self.sums[index as usize - start] = 0.0;
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a count below 2^24, exact as f32")]
#[expect(clippy::cast_sign_loss, reason = "a count")]
fn whole(value: f32) -> u32 {
    value as u32
}
