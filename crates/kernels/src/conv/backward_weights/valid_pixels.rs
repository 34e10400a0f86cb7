//! Which pixels of a block are not padding at a tap.

use std::ops::Range;

/// Upper bound of the number of ranges of a block, with padding between them.
pub(super) const MAX_RANGES: usize = 16;

/// Ranges of pixels of a block that are not padding.
pub(super) struct ValidPixels {
    ranges: [(usize, usize); MAX_RANGES],
    count: usize,
}

impl ValidPixels {
    /// No pixels.
    pub(super) fn none() -> Self {
        Self { ranges: [(0, 0); MAX_RANGES], count: 0 }
    }

    /// Adds pixels, which must follow those already there.
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

    /// Start and end of each range.
    pub(super) fn ranges(&self) -> &[(usize, usize)] {
        &self.ranges[..self.count]
    }
}
