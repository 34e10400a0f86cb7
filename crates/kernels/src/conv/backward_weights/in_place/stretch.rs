//! Which pixels of a block a section's rows have, and where they lie.

use std::ops::Range;

use crate::conv::backward_weights::in_place::{PIXELS, Work};

/// Neighbouring outputs of a block whose inputs lie a fixed step apart.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    /// Floats from the image's beginning to the first output's pixel times stride.
    pub(super) skip: usize,
    /// The first output, counted from the block's.
    pub(super) at: usize,
    /// Outputs.
    pub(super) len: usize,
}

/// The stretches of a block.
pub(super) struct Stretches {
    all: [Stretch; PIXELS],
    count: usize,
}

impl Stretches {
    /// None yet.
    pub(super) fn new() -> Self {
        Self { all: [Stretch { skip: 0, at: 0, len: 0 }; PIXELS], count: 0 }
    }

    /// Those found.
    pub(super) fn all(&self) -> &[Stretch] {
        &self.all[..self.count]
    }

    /// Finds the stretches of a section: along rows of outputs, without what is padding for its tap, and
    /// joined where one ends a step before the next begins.
    #[inline(always)]
    pub(super) fn find(&mut self, of: &Work<'_>, section: usize, pixels: &Range<usize>) {
        let conv = of.conv;
        let [h, w] = of.runs.padded(conv);
        let [oh, ow] = conv.out();
        let step = conv.stride[1] * conv.c;
        let tap = of.cut.padded.then(|| of.runs.taps[section]);
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
                self.add(Stretch { skip, at, len: columns.len() }, step);
            }
            pixel += end - first;
        }
    }

    /// Adds a stretch behind the others.
    #[inline(always)]
    fn add(&mut self, next: Stretch, step: usize) {
        match self.all[..self.count].last_mut() {
            Some(last)
                if last.at + last.len == next.at && last.skip + last.len * step == next.skip =>
            {
                last.len += next.len;
            }
            _ => {
                self.all[self.count] = next;
                self.count += 1;
            }
        }
    }
}

/// The columns of `columns` whose tap is inside an image of `h` by `w`; none if its row is not.
#[inline(always)]
fn inside(
    [down, right]: [isize; 2],
    [h, w]: [usize; 2],
    top: usize,
    stride: usize,
    columns: Range<usize>,
) -> Range<usize> {
    // A negative place wraps around to a huge one, outside as well.
    if top.wrapping_add_signed(down) >= h {
        return 0..0;
    }
    let first = right.min(0).unsigned_abs().div_ceil(stride);
    let end = w.saturating_add_signed(-right).div_ceil(stride);
    columns.start.max(first)..columns.end.min(end)
}
