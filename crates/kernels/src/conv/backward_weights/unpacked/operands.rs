//! The operands of the gradient with `x` unpacked, and the addresses of their values.

use std::{ops::Range, ptr};

use crate::{
    conv::{ConvShape, backward_weights::unpacked::UnpackedBlocking, input_taps::InputTaps},
    cpu::DisjointMut,
    simd::SimdLanes,
    tile::ROWS,
    view::StridedRows,
};

/// From this many panels on, the pixels of the next block are prefetched meanwhile.
const PREFETCH_PANELS: usize = 4;
/// Floats of a cache line.
const LINE: usize = 16;

/// The operands of the gradient, shared by all tasks.
pub(super) struct UnpackedGradient<'a> {
    pub(super) conv: &'a ConvShape,
    pub(super) taps: &'a InputTaps,
    pub(super) blocking: &'a UnpackedBlocking,
    /// The image, with its border if the taps need one.
    pub(super) x: &'a [f32],
    pub(super) dy: StridedRows<'a>,
    pub(super) sums: DisjointMut<'a, f32>,
}

impl UnpackedGradient<'_> {
    /// Prefetches some pixels of `x` and `dy` of a pointwise convolution (larger kernels find most
    /// of their pixels in cache), if there are enough panels to hide the latency.
    #[inline(always)]
    pub(super) fn prefetch<S: SimdLanes>(&self, s: S, pixels: Range<usize>) {
        let conv = self.conv;
        let pointwise = conv.taps() == 1 && conv.stride == [1, 1] && !conv.has_padding();
        if !pointwise || self.blocking.panels.count() < PREFETCH_PANELS {
            return;
        }
        for pixel in pixels {
            let x = &self.x[pixel * conv.c..][..conv.c];
            for line in x.chunks(LINE).chain(self.dy.row(pixel, conv.k).chunks(LINE)) {
                s.prefetch(line.as_ptr());
            }
        }
    }

    /// Pointers to six rows (tap, c) at pixel 0, from `row` on. Rows past the next `left` repeat
    /// the last: they are summed, and not used.
    #[inline(always)]
    pub(super) fn rows(&self, group: usize, row: usize, left: usize) -> [*const f32; ROWS] {
        let len = self.taps.len;
        let (mut tap, mut skip) = (row / len, row % len);
        let mut rows = [ptr::null(); ROWS];
        for (i, row) in rows.iter_mut().enumerate() {
            let at = self.tap_at(tap).wrapping_add(group * len + skip);
            *row = self.x.as_ptr().wrapping_add(at);
            if i + 1 < left {
                skip += 1;
                if skip == len {
                    (tap, skip) = (tap + 1, 0);
                }
            }
        }
        rows
    }

    /// Floats from a pixel to that of a tap; negative offsets wrap around.
    #[inline(always)]
    fn tap_at(&self, tap: usize) -> usize {
        let [_, width] = self.taps.padded(self.conv);
        let [down, right] = self.taps.taps[tap];
        let pixels = down.wrapping_mul(width.cast_signed()).wrapping_add(right);
        pixels.wrapping_mul(self.conv.c.cast_signed()).cast_unsigned()
    }
}
