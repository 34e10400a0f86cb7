//! One task of an implicit GEMM: some pixels by some panels of a group.

use std::{ops::Range, ptr};

use crate::{
    conv::{
        implicit_gemm::{
            ImplicitGemm, TILES,
            pixel_offsets::PixelOffsets,
            prefetch::PixelPrefetch,
            taps::{PaddedTaps, TilePixel, UniformTaps},
        },
        pixel_order::{PixelOrder, PixelPosition},
    },
    simd::{Kernel, SimdLanes},
    tile::{self, COLS, KSlice, Panels, ROWS, TileInit, TileOutput},
};

/// Pixels `pixels` by column panels `panels` of group `group`.
pub(super) struct ImplicitGemmTask<'a> {
    pub(super) of: &'a ImplicitGemm<'a>,
    pub(super) group: usize,
    pub(super) pixels: Range<usize>,
    pub(super) panels: Range<usize>,
    /// Maps `pixels` to positions, if there is padding.
    pub(super) order: Option<&'a PixelOrder>,
    /// The pixels of the next task, if they are to be prefetched.
    pub(super) next: Range<usize>,
}

impl Kernel for ImplicitGemmTask<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        match self.order {
            Some(order) => self.run_padded(s, order),
            None => self.run_inside(s),
        }
    }
}

impl ImplicitGemmTask<'_> {
    /// With padding: looks up the taps of each tile.
    #[inline(always)]
    fn run_padded<S: SimdLanes>(&self, s: S, order: &PixelOrder) {
        let tiles = self.pixels.len().div_ceil(ROWS);
        let mut tile_pixels = [[TilePixel { base: ptr::null(), row: 0, column: 0 }; ROWS]; TILES];
        let mut rows = [[ptr::null_mut(); ROWS]; TILES];
        let mut position = order.at(self.pixels.start);
        for pixel in 0..tiles * ROWS {
            tile_pixels.as_flattened_mut()[pixel] = self.tile_pixel(position);
            rows.as_flattened_mut()[pixel] = self.output(position);
            if pixel + 1 < self.pixels.len() {
                position = order.skip(position, 1); // past the end, the last pixel again
            }
        }
        let last = self.of.k_blocks().count() - 1;
        let mut padded_taps = PaddedTaps::new();
        for (block, (taps, floats)) in self.of.k_blocks().enumerate() {
            padded_taps.look_up(self.of, &tile_pixels[..tiles], &taps, &floats);
            let at = taps.start * self.of.len + floats.start;
            let first_last = (block == 0, block == last);
            self.multiply(
                s,
                at,
                first_last,
                |tile| rows[tile],
                |tile| padded_taps.slices(tile),
                &PixelPrefetch::none(),
            );
        }
    }

    /// Without padding: all pixels have the same tap offsets.
    #[inline(always)]
    fn run_inside<S: SimdLanes>(&self, s: S) {
        let of = self.of;
        let read =
            |pixels| PixelOffsets::new(&of.x_grid, of.positions, self.group * of.len, pixels);
        let (here, next) = (read(&self.pixels), read(&self.next));
        let out = PixelOffsets::new(&of.y_grid, of.positions, self.group * of.cols, &self.pixels);
        let (x, y) = (of.x.as_ptr(), of.y.pointer(0));
        let last = of.k_blocks().count() - 1;
        for (block, (taps, floats)) in of.k_blocks().enumerate() {
            let uniform_taps = UniformTaps::new(of, &taps, &floats);
            let slices = |tile: usize| uniform_taps.slices(here.read(x, tile));
            let at = taps.start * of.len + floats.start;
            let prefetch = PixelPrefetch::new(
                &next,
                x.wrapping_add(floats.start),
                self.next.len(),
                floats.len(),
            );
            self.multiply(
                s,
                at,
                (block == 0, block == last),
                |tile| out.write(y, tile),
                slices,
                &prefetch,
            );
        }
    }

    /// Where the outputs of a position begin.
    fn output(&self, position: PixelPosition) -> *mut f32 {
        let grid = &self.of.y_grid;
        let [row, column] = grid.pixel(position);
        let pixel = (position.image * grid.size[0] + row) * grid.size[1] + column;
        self.of.y.pointer(pixel * grid.stride + grid.offset + self.group * self.of.cols)
    }

    /// The input pixel of a position.
    fn tile_pixel(&self, position: PixelPosition) -> TilePixel {
        let grid = &self.of.x_grid;
        let [row, column] = grid.pixel(position);
        let pixel = (position.image * grid.size[0] + row) * grid.size[1] + column;
        let at = pixel * grid.stride + grid.offset + self.group * self.of.len;
        TilePixel { base: self.of.x.as_ptr().wrapping_add(at), row, column }
    }

    /// Multiplies every tile by every panel, for one block of the reduction. The block begins at
    /// row `at` of the panels and may be the first or the last. `rows(tile)` are the outputs of a
    /// tile, `slices(tile)` its slices of the reduction.
    #[inline(always)]
    fn multiply<S: SimdLanes, R: Iterator<Item = KSlice> + Clone>(
        &self,
        s: S,
        at: usize,
        (first, last): (bool, bool),
        rows: impl Fn(usize) -> [*mut f32; ROWS],
        slices: impl Fn(usize) -> R,
        prefetch: &PixelPrefetch<'_>,
    ) {
        let of = self.of;
        let panels = Panels::new(of.cols);
        let depth = of.depth();
        let packed = &of.packed[self.group * depth * panels.packed_cols()..];
        let relu = if last { of.relu } else { None };
        for (index, panel) in self.panels.clone().enumerate() {
            let (width, cols) = (panels.width(panel), panels.cols(panel));
            let b = packed[panel * COLS * depth + at * width..].as_ptr();
            let start = match of.bias {
                _ if !first => TileInit::Output,
                None => TileInit::Zero,
                Some(bias) => {
                    TileInit::Columns(bias[self.group * of.cols + panel * COLS..][..cols].as_ptr())
                }
            };
            let prefetch = prefetch.for_panel(index, self.panels.len());
            for tile in 0..self.pixels.len().div_ceil(ROWS) {
                prefetch.tile(s, tile);
                let rows = &rows(tile).map(|row| row.wrapping_add(panel * COLS));
                let valid = ROWS.min(self.pixels.len() - tile * ROWS);
                let output = TileOutput { rows, valid, cols, step: 1 };
                // SAFETY: the geometry (checked by the public functions) keeps every slice inside
                // the image or in `ZEROS`, `b` has `depth` rows, and only this task writes these
                // panels of its pixels.
                unsafe { tile::sum_tile(s, width, slices(tile), 1, b, (start, relu), &output) };
            }
        }
    }
}
