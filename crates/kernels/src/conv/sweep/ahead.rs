//! Asks for the pixels of the next task while this one multiplies.
//!
//! A tile of a 1×1 convolution reads six short stretches of memory once, too short for the processor to see a
//! pattern: of 192 channels, the wait for them took a quarter of the time. So each tile asks for some cache
//! lines of the tile at its place in the next task, a line's share for each panel.

use std::ops::Range;

use crate::{conv::sweep::pixels::Pixels, simd::Lanes, tile::ROWS};

/// Floats of a cache line.
const LINE: usize = 16;

/// What to ask for.
#[derive(Clone)]
pub(super) struct Ahead<'a> {
    pixels: Option<&'a Pixels>,
    /// Where the first pixel's values begin.
    base: *const f32,
    /// Tiles that exist.
    tiles: usize,
    /// Cache lines of each pixel.
    lines: Range<usize>,
}

impl<'a> Ahead<'a> {
    /// Nothing.
    pub(super) fn none() -> Self {
        Self { pixels: None, base: std::ptr::null(), tiles: 0, lines: 0..0 }
    }

    /// `len` values of each of `count` pixels of an image at `base`.
    pub(super) fn new(pixels: &'a Pixels, base: *const f32, count: usize, len: usize) -> Self {
        Self {
            pixels: Some(pixels),
            base,
            tiles: count.div_ceil(ROWS),
            lines: 0..len.div_ceil(LINE),
        }
    }

    /// Part `index` of `parts`.
    #[inline(always)]
    pub(super) fn part(&self, index: usize, parts: usize) -> Self {
        let lines = self.lines.len();
        Self { lines: lines * index / parts..lines * (index + 1) / parts, ..self.clone() }
    }

    /// Asks for a tile's lines.
    #[inline(always)]
    pub(super) fn ask<S: Lanes>(&self, s: S, tile: usize) {
        let Some(pixels) = self.pixels else { return };
        if tile < self.tiles {
            for row in pixels.read(self.base, tile) {
                for line in self.lines.clone() {
                    s.prefetch(row.wrapping_add(line * LINE));
                }
            }
        }
    }
}
