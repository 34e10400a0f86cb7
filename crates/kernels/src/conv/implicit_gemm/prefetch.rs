//! Software prefetch: requests the pixels of the next task while this one multiplies.
//!
//! A tile of a 1×1 convolution reads six short pixels once, too short for the hardware prefetcher
//! to detect a pattern: with 192 channels, waiting for them takes up to a quarter of the time. So
//! each tile prefetches some cache lines of the tile with the same index in the next task,
//! distributed over the panels.

use std::ops::Range;

use crate::{conv::implicit_gemm::pixel_offsets::PixelOffsets, simd::SimdLanes, tile::ROWS};

/// Floats of a cache line.
const LINE: usize = 16;

/// Which cache lines to prefetch.
#[derive(Clone)]
pub(super) struct PixelPrefetch<'a> {
    pixels: Option<&'a PixelOffsets>,
    /// Where the first pixel's values begin.
    base: *const f32,
    /// Number of tiles of the next task.
    tiles: usize,
    /// Cache lines of each pixel.
    lines: Range<usize>,
}

impl<'a> PixelPrefetch<'a> {
    /// Prefetches nothing.
    pub(super) fn none() -> Self {
        Self { pixels: None, base: std::ptr::null(), tiles: 0, lines: 0..0 }
    }

    /// `len` values of each of `count` pixels of an image at `base`.
    pub(super) fn new(
        pixels: &'a PixelOffsets,
        base: *const f32,
        count: usize,
        len: usize,
    ) -> Self {
        Self {
            pixels: Some(pixels),
            base,
            tiles: count.div_ceil(ROWS),
            lines: 0..len.div_ceil(LINE),
        }
    }

    /// The lines that panel `index` of `panels` prefetches.
    #[inline(always)]
    pub(super) fn for_panel(&self, index: usize, panels: usize) -> Self {
        let lines = self.lines.len();
        Self { lines: lines * index / panels..lines * (index + 1) / panels, ..self.clone() }
    }

    /// Prefetches the lines of tile `index`.
    #[inline(always)]
    pub(super) fn tile<S: SimdLanes>(&self, s: S, index: usize) {
        let Some(pixels) = self.pixels else { return };
        if index < self.tiles {
            for row in pixels.read(self.base, index) {
                for line in self.lines.clone() {
                    s.prefetch(row.wrapping_add(line * LINE));
                }
            }
        }
    }
}
