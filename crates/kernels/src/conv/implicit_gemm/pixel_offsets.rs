//! Offsets of the pixels of a task when there is no padding: pixels are taken in memory order, and
//! neighbours in a row are a fixed step apart.

use std::{array, ops::Range};

use crate::{
    conv::implicit_gemm::{PixelGrid, TILES},
    tile::ROWS,
};

/// Offsets of pixels in floats, tile by tile; past the end of a task, those of the last pixel.
pub(super) struct PixelOffsets {
    offsets: [[usize; ROWS]; TILES],
}

impl PixelOffsets {
    /// Offsets of channel `channel` of `pixels`, counted over all images. `positions` is the height
    /// and width of one image.
    #[inline(always)]
    pub(super) fn new(
        grid: &PixelGrid,
        positions: [usize; 2],
        channel: usize,
        pixels: &Range<usize>,
    ) -> Self {
        let mut offsets = [[0; ROWS]; TILES];
        let flat = offsets.as_flattened_mut();
        let [height, width] = positions;
        let step = grid.step[1] * grid.stride;
        let (mut row, mut column) = (pixels.start / width, pixels.start % width);
        let (mut count, mut last) = (0, 0);
        while count < pixels.len() {
            let in_row = (width - column).min(pixels.len() - count);
            let [line, first] = [
                row % height * grid.step[0] + grid.origin[0],
                column * grid.step[1] + grid.origin[1],
            ];
            let pixel = (row / height * grid.size[0] + line) * grid.size[1] + first;
            last = pixel * grid.stride + grid.offset + channel;
            for offset in &mut flat[count..count + in_row] {
                *offset = last;
                last += step;
            }
            last -= step;
            count += in_row;
            (row, column) = (row + 1, 0);
        }
        let end = count.next_multiple_of(ROWS);
        flat[count..end].fill(last);
        Self { offsets }
    }

    /// Pointers to the pixels of a tile, in images at `base`.
    #[inline(always)]
    pub(super) fn read(&self, base: *const f32, tile: usize) -> [*const f32; ROWS] {
        array::from_fn(|i| base.wrapping_add(self.offsets[tile][i]))
    }

    /// As [`PixelOffsets::read`], for writing.
    #[inline(always)]
    pub(super) fn write(&self, base: *mut f32, tile: usize) -> [*mut f32; ROWS] {
        array::from_fn(|i| base.wrapping_add(self.offsets[tile][i]))
    }
}
