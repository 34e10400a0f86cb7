//! Where a task's pixels lie, if none of their runs leaves the image: then pixels are taken as they lie in
//! memory, and neighbours in a row are a fixed step apart.

use std::{array, ops::Range};

use crate::{
    conv::sweep::{Grid, TILES},
    tile::ROWS,
};

/// Where pixels begin in an image, tile by tile; past the end of a task the last pixel again.
pub(super) struct Pixels {
    places: [[usize; ROWS]; TILES],
}

impl Pixels {
    /// The places of pixels number `pixels`, counted over all images, at channel `channel`; `positions` are
    /// those of one image.
    #[inline(always)]
    pub(super) fn new(
        grid: &Grid,
        positions: [usize; 2],
        channel: usize,
        pixels: &Range<usize>,
    ) -> Self {
        let mut places = [[0; ROWS]; TILES];
        let flat = places.as_flattened_mut();
        let [height, width] = positions;
        let step = grid.step[1] * grid.stride;
        let (mut row, mut column) = (pixels.start / width, pixels.start % width);
        let (mut count, mut last) = (0, 0);
        while count < pixels.len() {
            let stretch = (width - column).min(pixels.len() - count);
            let [line, first] = [
                row % height * grid.step[0] + grid.origin[0],
                column * grid.step[1] + grid.origin[1],
            ];
            let pixel = (row / height * grid.size[0] + line) * grid.size[1] + first;
            last = pixel * grid.stride + grid.offset + channel;
            for place in &mut flat[count..count + stretch] {
                *place = last;
                last += step;
            }
            last -= step;
            count += stretch;
            (row, column) = (row + 1, 0);
        }
        let end = count.next_multiple_of(ROWS);
        flat[count..end].fill(last);
        Self { places }
    }

    /// Where the pixels of a tile begin in an image at `base`.
    #[inline(always)]
    pub(super) fn read(&self, base: *const f32, tile: usize) -> [*const f32; ROWS] {
        array::from_fn(|i| base.wrapping_add(self.places[tile][i]))
    }

    /// As [`Pixels::read`], to be written.
    #[inline(always)]
    pub(super) fn write(&self, base: *mut f32, tile: usize) -> [*mut f32; ROWS] {
        array::from_fn(|i| base.wrapping_add(self.places[tile][i]))
    }
}
