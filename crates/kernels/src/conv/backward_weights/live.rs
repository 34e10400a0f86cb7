//! Which pixels of a block a tap sees.

use std::ops::Range;

/// Most stretches of a block that are not padding, with padding between them.
pub(super) const LIVE: usize = 16;

/// Which pixels of a block a panel has: those that are not padding.
pub(super) struct Live {
    ranges: [(usize, usize); LIVE],
    count: usize,
}

impl Live {
    /// No pixels.
    pub(super) fn none() -> Self {
        Self { ranges: [(0, 0); LIVE], count: 0 }
    }

    /// Adds pixels, which must lie behind those already there.
    #[inline(always)]
    pub(super) fn add(&mut self, pixels: Range<usize>) {
        match self.ranges[..self.count].last_mut() {
            Some((_, end)) if *end == pixels.start => *end = pixels.end,
            _ => {
                self.ranges[self.count] = (pixels.start, pixels.end);
                self.count += 1;
            }
        }
    }

    /// Stretches of pixels, first and end.
    pub(super) fn ranges(&self) -> &[(usize, usize)] {
        &self.ranges[..self.count]
    }
}
