//! The tiles of some images, numbered image by image and row by row.

use crate::{conv::winograd::CHANNELS_MAX, view::StridedRows};

/// What a pixel in the padding reads.
static ZEROS: [f32; CHANNELS_MAX] = [0.0; CHANNELS_MAX];

/// Images, cut into tiles of M×M outputs that need N×N inputs.
#[derive(Clone, Copy)]
pub(super) struct Grid<const M: usize, const N: usize> {
    /// Images.
    pub(super) n: usize,
    /// Height and width of what comes out.
    pub(super) outputs: [usize; 2],
    /// Height and width of what goes in.
    pub(super) inputs: [usize; 2],
    /// Zeros around it.
    pub(super) pad: [usize; 2],
}

/// Where a tile lies.
#[derive(Clone, Copy)]
pub(super) struct Place {
    image: usize,
    /// Row and column of its first output.
    output: [usize; 2],
}

impl<const M: usize, const N: usize> Grid<M, N> {
    /// All tiles.
    pub(super) fn tiles(&self) -> usize {
        let [h, w] = self.outputs.map(|size| size.div_ceil(M));
        self.n * h * w
    }

    /// Tile number `index`.
    pub(super) fn place(&self, index: usize) -> Place {
        let [h, w] = self.outputs.map(|size| size.div_ceil(M));
        let (row, column) = (index / w % h, index % w);
        Place { image: index / w / h, output: [row * M, column * M] }
    }

    /// Where the N×N inputs of a tile lie, from channel `first` on; in the padding there are zeros.
    ///
    /// * `x`: the pixels of all images
    #[inline(always)]
    pub(super) fn inputs(
        &self,
        place: Place,
        x: StridedRows<'_>,
        first: usize,
    ) -> [[*const f32; N]; N] {
        let [h, w] = self.inputs;
        let mut pixels = [[ZEROS.as_ptr(); N]; N];
        for (i, pixels) in pixels.iter_mut().enumerate() {
            // A place left of the image wraps around to a huge one, outside as well.
            let row = (place.output[0] + i).wrapping_sub(self.pad[0]);
            if row >= h {
                continue;
            }
            for (j, pixel) in pixels.iter_mut().enumerate() {
                let column = (place.output[1] + j).wrapping_sub(self.pad[1]);
                if column < w {
                    *pixel = x.at((place.image * h + row) * w + column, first);
                }
            }
        }
        pixels
    }

    /// Where the M×M outputs of a tile lie, from channel `first` on; beyond the image there are zeros.
    ///
    /// * `y`: the pixels of all images
    #[inline(always)]
    pub(super) fn output_pixels(
        &self,
        place: Place,
        y: StridedRows<'_>,
        first: usize,
    ) -> [[*const f32; M]; M] {
        let mut pixels = [[ZEROS.as_ptr(); M]; M];
        for (pixels, outputs) in pixels.iter_mut().zip(self.outputs(place)) {
            for (pixel, output) in pixels.iter_mut().zip(outputs) {
                if let Some(output) = output {
                    *pixel = y.at(output, first);
                }
            }
        }
        pixels
    }

    /// The M×M outputs of a tile: the number of each pixel that exists.
    #[inline(always)]
    pub(super) fn outputs(&self, place: Place) -> [[Option<usize>; M]; M] {
        let [h, w] = self.outputs;
        let mut pixels = [[None; M]; M];
        for (i, pixels) in pixels.iter_mut().enumerate() {
            for (j, pixel) in pixels.iter_mut().enumerate() {
                let [row, column] = [place.output[0] + i, place.output[1] + j];
                if row < h && column < w {
                    *pixel = Some((place.image * h + row) * w + column);
                }
            }
        }
        pixels
    }
}
