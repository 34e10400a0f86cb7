//! The pixels of a block that are not padding for a section, and where their inputs lie.

use std::ops::Range;

use crate::conv::backward_weights::unpacked::{PIXELS, UnpackedGradient};

/// Consecutive outputs of a block whose inputs are a fixed step apart.
#[derive(Clone, Copy)]
pub(super) struct PixelRange {
    /// Floats from the start of the images to the input pixel of the first output at tap (0, 0).
    pub(super) skip: usize,
    /// The first output, counted from the first of the block.
    pub(super) at: usize,
    /// Number of outputs.
    pub(super) len: usize,
}

/// The pixel ranges of a block.
pub(super) struct PixelRanges {
    ranges: [PixelRange; PIXELS],
    count: usize,
}

impl PixelRanges {
    /// No ranges.
    pub(super) fn new() -> Self {
        Self { ranges: [PixelRange { skip: 0, at: 0, len: 0 }; PIXELS], count: 0 }
    }

    /// The ranges found by [`find`](Self::find).
    pub(super) fn as_slice(&self) -> &[PixelRange] {
        &self.ranges[..self.count]
    }

    /// Finds the ranges of a section: along rows of outputs, without the padding of its tap, and
    /// merged where the inputs continue at the same step.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        of: &UnpackedGradient<'_>,
        section: usize,
        pixels: &Range<usize>,
    ) {
        let conv = of.conv;
        let [h, w] = of.taps.padded(conv);
        let [oh, ow] = conv.out();
        let step = conv.stride[1] * conv.c;
        let tap = of.blocking.padded.then(|| of.taps.taps[section]);
        self.count = 0;
        let mut pixel = pixels.start;
        while pixel < pixels.end {
            let (row, first) = (pixel / ow, pixel % ow);
            let end = ow.min(first + (pixels.end - pixel));
            let top = row % oh * conv.stride[0];
            let columns = match tap {
                None => first..end,
                Some(tap) => inside(tap, [h, w], top, conv.stride[1], first..end),
            };
            if !columns.is_empty() {
                let skip = ((row / oh * h + top) * w + columns.start * conv.stride[1]) * conv.c;
                let at = pixel + (columns.start - first) - pixels.start;
                self.add(PixelRange { skip, at, len: columns.len() }, step);
            }
            pixel += end - first;
        }
    }

    /// Appends a range, or extends the last one.
    #[inline(always)]
    fn add(&mut self, next: PixelRange, step: usize) {
        match self.ranges[..self.count].last_mut() {
            Some(last)
                if last.at + last.len == next.at && last.skip + last.len * step == next.skip =>
            {
                last.len += next.len;
            }
            _ => {
                self.ranges[self.count] = next;
                self.count += 1;
            }
        }
    }
}

/// The part of `columns` whose tap is inside an image of `h` by `w`; empty if its row is not.
#[inline(always)]
fn inside(
    [down, right]: [isize; 2],
    [h, w]: [usize; 2],
    top: usize,
    stride: usize,
    columns: Range<usize>,
) -> Range<usize> {
    // A negative coordinate wraps around to a huge one, which is outside too.
    if top.wrapping_add_signed(down) >= h {
        return 0..0;
    }
    let first = right.min(0).unsigned_abs().div_ceil(stride);
    let end = w.saturating_add_signed(-right).div_ceil(stride);
    columns.start.max(first)..columns.end.min(end)
}
