//! What all tasks share, and where its values lie.

use std::{ops::Range, ptr};

use crate::{
    conv::{Conv, backward_weights::in_place::Cut, runs::Runs},
    cpu::Pieces,
    simd::Lanes,
    tile::ROWS,
    view::StridedRows,
};

/// With so many panels, there is time to fetch the next block's pixels meanwhile.
const ASK_PANELS: usize = 4;
/// Floats of a cache line.
const LINE: usize = 16;

/// What all tasks share.
pub(super) struct Work<'a> {
    pub(super) conv: &'a Conv,
    pub(super) runs: &'a Runs,
    pub(super) cut: &'a Cut,
    /// With its border, if it needs one.
    pub(super) x: &'a [f32],
    pub(super) dy: StridedRows<'a>,
    pub(super) sums: Pieces<'a, f32>,
}

impl Work<'_> {
    /// Asks for some pixels of `x` and `dy`, if an output needs one pixel of `x` (of larger kernels, most of
    /// it is there already) and there are panels enough to wait for them.
    #[inline(always)]
    pub(super) fn ask<S: Lanes>(&self, s: S, pixels: Range<usize>) {
        let conv = self.conv;
        let pointwise = conv.taps() == 1 && conv.stride == [1, 1] && conv.pad == [0, 0];
        if !pointwise || self.cut.panels.count() < ASK_PANELS {
            return;
        }
        for pixel in pixels {
            let x = &self.x[pixel * conv.c..][..conv.c];
            for line in x.chunks(LINE).chain(self.dy.row(pixel, conv.k).chunks(LINE)) {
                s.prefetch(line.as_ptr());
            }
        }
    }

    /// Where six rows (tap, c) lie at pixel 0, from `row` on; those past the next `left` repeat the last:
    /// they are summed, and not used.
    #[inline(always)]
    pub(super) fn rows(&self, group: usize, row: usize, left: usize) -> [*const f32; ROWS] {
        let len = self.runs.len;
        let (mut run, mut skip) = (row / len, row % len);
        let mut rows = [ptr::null(); ROWS];
        for (i, row) in rows.iter_mut().enumerate() {
            let at = self.run_at(run).wrapping_add(group * len + skip);
            *row = self.x.as_ptr().wrapping_add(at);
            if i + 1 < left {
                skip += 1;
                if skip == len {
                    (run, skip) = (run + 1, 0);
                }
            }
        }
        rows
    }

    /// Floats from a pixel to its run number `run`; backwards wraps around.
    #[inline(always)]
    fn run_at(&self, run: usize) -> usize {
        let [_, width] = self.runs.padded(self.conv);
        let [down, right] = self.runs.taps[run];
        let pixels = down.wrapping_mul(width.cast_signed()).wrapping_add(right);
        pixels.wrapping_mul(self.conv.c.cast_signed()).cast_unsigned()
    }
}
