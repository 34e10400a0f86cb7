//! Division of images into tiles, numbered image by image and row by row.

use crate::{conv::winograd::CHANNELS_MAX, view::StridedRows};

/// The values of a pixel in the padding.
static ZEROS: [f32; CHANNELS_MAX] = [0.0; CHANNELS_MAX];

/// Images divided into tiles of M×M outputs that need N×N inputs.
#[derive(Clone, Copy)]
pub(super) struct WinogradTiling<const M: usize, const N: usize> {
    /// Images.
    pub(super) n: usize,
    /// Height and width of the output image.
    pub(super) outputs: [usize; 2],
    /// Height and width of the input image.
    pub(super) inputs: [usize; 2],
    /// Zeros around the input.
    pub(super) pad: [usize; 2],
}

/// One tile.
#[derive(Clone, Copy)]
pub(super) struct WinogradTile {
    image: usize,
    /// Row and column of its first output.
    output: [usize; 2],
}

impl<const M: usize, const N: usize> WinogradTiling<M, N> {
    /// Number of tiles.
    pub(super) fn tiles(&self) -> usize {
        let [h, w] = self.outputs.map(|size| size.div_ceil(M));
        self.n * h * w
    }

    /// Tile `index`.
    pub(super) fn tile(&self, index: usize) -> WinogradTile {
        let [h, w] = self.outputs.map(|size| size.div_ceil(M));
        let (row, column) = (index / w % h, index % w);
        WinogradTile { image: index / w / h, output: [row * M, column * M] }
    }

    /// Pointers to the N×N inputs of a tile, from channel `first` on; to zeros in the padding.
    ///
    /// * `x`: the pixels of all images
    #[inline(always)]
    pub(super) fn inputs(
        &self,
        tile: WinogradTile,
        x: StridedRows<'_>,
        first: usize,
    ) -> [[*const f32; N]; N] {
        let [h, w] = self.inputs;
        let mut pixels = [[ZEROS.as_ptr(); N]; N];
        for (i, pixels) in pixels.iter_mut().enumerate() {
            // A negative coordinate wraps around to a huge one, which is outside too.
            let row = (tile.output[0] + i).wrapping_sub(self.pad[0]);
            if row >= h {
                continue;
            }
            for (j, pixel) in pixels.iter_mut().enumerate() {
                let column = (tile.output[1] + j).wrapping_sub(self.pad[1]);
                if column < w {
                    *pixel = x.at((tile.image * h + row) * w + column, first);
                }
            }
        }
        pixels
    }

    /// Pointers to the M×M outputs of a tile, from channel `first` on; to zeros beyond the image.
    ///
    /// * `y`: the pixels of all images
    #[inline(always)]
    pub(super) fn output_pixels(
        &self,
        tile: WinogradTile,
        y: StridedRows<'_>,
        first: usize,
    ) -> [[*const f32; M]; M] {
        let mut pixels = [[ZEROS.as_ptr(); M]; M];
        for (pixels, outputs) in pixels.iter_mut().zip(self.outputs(tile)) {
            for (pixel, output) in pixels.iter_mut().zip(outputs) {
                if let Some(output) = output {
                    *pixel = y.at(output, first);
                }
            }
        }
        pixels
    }

    /// The M×M outputs of a tile: the index of each pixel that exists.
    #[inline(always)]
    pub(super) fn outputs(&self, tile: WinogradTile) -> [[Option<usize>; M]; M] {
        let [h, w] = self.outputs;
        let mut pixels = [[None; M]; M];
        for (i, pixels) in pixels.iter_mut().enumerate() {
            for (j, pixel) in pixels.iter_mut().enumerate() {
                let [row, column] = [tile.output[0] + i, tile.output[1] + j];
                if row < h && column < w {
                    *pixel = Some((tile.image * h + row) * w + column);
                }
            }
        }
        pixels
    }
}
