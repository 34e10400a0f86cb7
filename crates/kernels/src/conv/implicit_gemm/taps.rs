//! The taps of a task's pixels as slices of the reduction: the same offsets for all pixels, or
//! looked up per tile where some taps are padding.

use std::{ops::Range, ptr};

use crate::{
    conv::implicit_gemm::{DEPTH, ImplicitGemm, MAX_SLICES, TILES},
    tile::{KSlice, ROWS},
};

/// What a tap in the padding reads.
static ZEROS: [f32; DEPTH] = [0.0; DEPTH];

/// An input pixel of a tile: where the floats of tap (0, 0) begin, and its row and column.
#[derive(Clone, Copy)]
pub(super) struct TilePixel {
    pub(super) base: *const f32,
    pub(super) row: usize,
    pub(super) column: usize,
}

/// A slice that all pixels have, `skip` floats from where tap (0, 0) begins.
#[derive(Clone, Copy)]
struct TapOffset {
    skip: usize,
    panel_row: usize,
    len: usize,
}

/// The slices of every pixel, if there is no padding.
pub(super) struct UniformTaps {
    offsets: [TapOffset; MAX_SLICES],
    count: usize,
}

impl UniformTaps {
    /// The slices of `taps`, floats `floats` of each. Slices that are contiguous in memory become
    /// one.
    #[inline(always)]
    pub(super) fn new(of: &ImplicitGemm<'_>, taps: &Range<usize>, floats: &Range<usize>) -> Self {
        let contiguous = floats.len() == of.x_grid.stride;
        let (mut offsets, mut count) =
            ([TapOffset { skip: 0, panel_row: 0, len: 0 }; MAX_SLICES], 0);
        for (index, &tap) in of.taps[taps.clone()].iter().enumerate() {
            let skip = of.tap_at(tap).wrapping_add(floats.start);
            match offsets[..count].last_mut() {
                Some(last) if contiguous && last.skip.wrapping_add(last.len) == skip => {
                    last.len += floats.len();
                }
                _ => {
                    offsets[count] =
                        TapOffset { skip, panel_row: index * floats.len(), len: floats.len() };
                    count += 1;
                }
            }
        }
        Self { offsets, count }
    }

    /// The slices of a tile whose pixels begin at `bases`.
    #[inline(always)]
    pub(super) fn slices(
        &self,
        bases: [*const f32; ROWS],
    ) -> impl Iterator<Item = KSlice> + Clone + '_ {
        self.offsets[..self.count].iter().map(move |offset| KSlice {
            rows: bases.map(|base| base.wrapping_add(offset.skip)),
            panel_row: offset.panel_row,
            len: offset.len,
        })
    }
}

/// The slices of a task's tiles, tile after tile.
pub(super) struct PaddedTaps {
    slices: [KSlice; TILES * MAX_SLICES],
    /// Where each tile's slices end.
    ends: [usize; TILES],
}

impl PaddedTaps {
    /// No slices.
    pub(super) fn new() -> Self {
        let none = KSlice { rows: [ptr::null(); ROWS], panel_row: 0, len: 0 };
        Self { slices: [none; TILES * MAX_SLICES], ends: [0; TILES] }
    }

    /// The slices of a tile.
    #[inline(always)]
    pub(super) fn slices(&self, tile: usize) -> impl Iterator<Item = KSlice> + Clone + '_ {
        let begin = if tile == 0 { 0 } else { self.ends[tile - 1] };
        self.slices[begin..self.ends[tile]].iter().copied()
    }

    /// Finds the slices of each tile. A tap that is padding for all six pixels is skipped, and
    /// slices that are contiguous in memory become one.
    #[inline(always)]
    pub(super) fn look_up(
        &mut self,
        of: &ImplicitGemm<'_>,
        pixels: &[[TilePixel; ROWS]],
        taps: &Range<usize>,
        floats: &Range<usize>,
    ) {
        let [height, width] = of.x_grid.size;
        let contiguous = floats.len() == of.x_grid.stride;
        let mut end = 0;
        for (pixels, tile_end) in pixels.iter().zip(&mut self.ends) {
            let begin = end;
            let [first, ..] = pixels;
            let same_position =
                pixels.iter().all(|p| (p.row, p.column) == (first.row, first.column));
            let mut open = false; // the last slice may be extended
            for (index, &[down, right]) in of.taps[taps.clone()].iter().enumerate() {
                // A negative coordinate wraps around to a huge one, which is outside too.
                let inside = |pixel: &TilePixel| {
                    pixel.row.wrapping_add_signed(down) < height
                        && pixel.column.wrapping_add_signed(right) < width
                };
                let count = match same_position {
                    true => usize::from(inside(first)) * ROWS,
                    false => pixels.iter().filter(|pixel| inside(pixel)).count(),
                };
                let skip = of.tap_at([down, right]).wrapping_add(floats.start);
                let panel_row = index * floats.len();
                if count == ROWS && open {
                    let last: &mut KSlice = &mut self.slices[end - 1];
                    let next = last.rows[0].wrapping_add(last.len);
                    if next == pixels[0].base.wrapping_add(skip)
                        && last.panel_row + last.len == panel_row
                    {
                        last.len += floats.len();
                        continue;
                    }
                }
                if count > 0 {
                    let begin = |pixel: TilePixel| match inside(&pixel) {
                        true => pixel.base.wrapping_add(skip),
                        false => ZEROS.as_ptr(),
                    };
                    self.slices[end] =
                        KSlice { rows: pixels.map(begin), panel_row, len: floats.len() };
                    end += 1;
                }
                open = contiguous && count == ROWS;
            }
            debug_assert!(end - begin <= MAX_SLICES, "slices of a tile");
            *tile_end = end;
        }
    }
}
