//! Winograd's convolution for kernels of 3×3 with stride 1: 16 products where the sum of taps takes 36.
//!
//! An image is cut into tiles of 2×2 outputs, which need 4×4 inputs, one pixel shared with the neighbours
//! on each side. Inputs and filters are turned into 4×4 values each (`transform`); output channel by
//! input channel, the 16 are multiplied pairwise and added over channels: 16 matrix products, (tiles, c) by
//! (c, k), which the register tile makes. What comes out is turned back into 2×2 outputs. The turning
//! back and forth costs some 40 additions a channel, against 16 products for every pair of channels, so it
//! pays from 16 channels on.
//!
//! * [`forward`] and [`backward_data`] are the same `sweep`, with filters turned around in the second.
//! * [`backward_weights`] (`gradient`) has 2×2 of `dy` in the filter's part and 3×3 taps as outputs.
//!
//! After Lavin and Gray (2015), F(2×2, 3×3). Of the transforms only additions and halvings are needed, so the
//! result is as near to the exact one as 1e-6 of the largest terms; larger tiles would save more
//! and cost digits. An infinite or undefined input makes all four outputs of its tiles undefined, also those
//! that do not depend on it.

mod filters;
mod gradient;
mod inputs;
mod sweep;
mod transform;

pub(super) use gradient::backward_weights;

use crate::{
    conv::{
        Conv,
        winograd::{filters::Turned, sweep::Sweep},
    },
    cpu::{Cpu, Pieces},
    view::{Rows, RowsMut},
};

/// Outputs of a tile, along an axis.
const SIDE: usize = 2;
/// Inputs of a tile, along an axis.
const REACH: usize = 4;
/// Matrix products.
const POINTS: usize = REACH * REACH;
/// Taps of a filter.
const TAPS: usize = 9;
/// Fewer channels are not worth the transforms.
const CHANNELS_MIN: usize = 16;
/// More are not met, and would need as many zeros.
const CHANNELS_MAX: usize = 4096;

/// Whether a convolution is made this way; follows from the shape.
pub(super) fn applies(conv: &Conv) -> bool {
    let plain = conv.kernel == [3, 3] && conv.stride == [1, 1] && conv.dilation == [1, 1];
    let [h, w] = conv.out();
    let covered = h.next_multiple_of(SIDE) * w.next_multiple_of(SIDE);
    // Tiles hang over odd borders: on 7×7 by so much that the sum of taps, which leaves padding out, is as
    // fast. Without images there are no tiles.
    let fits = conv.out_pixels() > 0 && 5 * covered <= 6 * h * w;
    let channels = CHANNELS_MIN..=CHANNELS_MAX;
    let many = channels.contains(&conv.group_c()) && channels.contains(&conv.group_k());
    plain && fits && many && conv.pad.iter().all(|&pad| pad <= 2)
}

/// As [`forward`](super::forward), for what [`applies`].
pub(super) fn forward(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    weights: &[f32],
    (bias, relu): (Option<&[f32]>, Option<f32>),
    y: RowsMut<'_>,
) {
    let turned = Turned { conv, weights, forward: true };
    cpu.with_shared(turned.len(), |packed| {
        turned.pack(cpu, packed);
        let sweep = Sweep {
            grid: Grid { n: conv.n, outputs: conv.out(), inputs: [conv.h, conv.w], pad: conv.pad },
            group: conv.group,
            x: Rows::dense(x, conv.c),
            depth: conv.group_c(),
            packed,
            cols: conv.group_k(),
            bias,
            relu,
            strides: (y.stride, y.offset),
            y: Pieces::new(y.data, 1),
        };
        sweep.run(cpu);
    });
}

/// As [`backward_data`](super::backward_data), for what [`applies`].
pub(super) fn backward_data(cpu: &Cpu, conv: &Conv, dy: Rows<'_>, weights: &[f32], dx: &mut [f32]) {
    let turned = Turned { conv, weights, forward: false };
    cpu.with_shared(turned.len(), |packed| {
        turned.pack(cpu, packed);
        let pad = conv.pad.map(|pad| 2 - pad);
        let sweep = Sweep {
            grid: Grid { n: conv.n, outputs: [conv.h, conv.w], inputs: conv.out(), pad },
            group: conv.group,
            x: dy,
            depth: conv.group_k(),
            packed,
            cols: conv.group_c(),
            bias: None,
            relu: None,
            strides: (conv.c, 0),
            y: Pieces::new(dx, 1),
        };
        sweep.run(cpu);
    });
}

/// The tiles of some images, numbered image by image and row by row.
#[derive(Clone, Copy)]
struct Grid {
    /// Images.
    n: usize,
    /// Height and width of what comes out.
    outputs: [usize; 2],
    /// Height and width of what goes in.
    inputs: [usize; 2],
    /// Zeros around it.
    pad: [usize; 2],
}

/// Where a tile lies.
#[derive(Clone, Copy)]
struct Place {
    image: usize,
    /// Row and column of its first output.
    output: [usize; 2],
}

impl Grid {
    /// All tiles.
    fn tiles(&self) -> usize {
        let [h, w] = self.outputs.map(|size| size.div_ceil(SIDE));
        self.n * h * w
    }

    /// Tile number `index`.
    fn place(&self, index: usize) -> Place {
        let [h, w] = self.outputs.map(|size| size.div_ceil(SIDE));
        let (row, column) = (index / w % h, index % w);
        Place { image: index / w / h, output: [row * SIDE, column * SIDE] }
    }

    /// The 4×4 inputs of a tile: the number of each pixel, if it is not in the padding.
    #[inline(always)]
    fn inputs(&self, place: Place) -> [Option<usize>; POINTS] {
        let [h, w] = self.inputs;
        std::array::from_fn(|point| {
            // A place left of the image wraps around to a huge one, outside as well.
            let row = (place.output[0] + point / REACH).wrapping_sub(self.pad[0]);
            let column = (place.output[1] + point % REACH).wrapping_sub(self.pad[1]);
            (row < h && column < w).then(|| (place.image * h + row) * w + column)
        })
    }

    /// The 2×2 outputs of a tile: the number of each pixel that exists.
    #[inline(always)]
    fn outputs(&self, place: Place) -> [Option<usize>; SIDE * SIDE] {
        let [h, w] = self.outputs;
        std::array::from_fn(|point| {
            let (row, column) = (place.output[0] + point / SIDE, place.output[1] + point % SIDE);
            (row < h && column < w).then(|| (place.image * h + row) * w + column)
        })
    }
}

/// Floats from a row to the next: whole vectors, and an odd number of cache lines, so that rows do not
/// compete for the same places in L1.
fn row_len(values: usize) -> usize {
    let lines = values.div_ceil(16);
    (lines | 1) * 16
}
