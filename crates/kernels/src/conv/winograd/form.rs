//! Chooses the form of Winograd convolution for a shape, if any.

use crate::conv::{ConvShape, winograd::CHANNELS_MAX};

/// F(M, R): M outputs of a tile and R taps of a filter, along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::conv) enum WinogradForm {
    F23,
    F43,
    F25,
}

/// Cost of transforming a value on each side, in products: with 16 channels on both sides, the
/// transforms cost as much as the products.
const TRANSFORM: usize = 8;
/// Transformed filters are up to four times the weights, computed and read again in every call: as
/// expensive as this many more tiles. Measured on 256 channels of 14×14, where eight images are 128
/// tiles of 4×4 or 392 of 2×2, and the larger number of tiles is faster.
const FILTERS: usize = 192;

impl WinogradForm {
    /// The cheapest form for a pass, or `None` if the direct sum is cheaper. Follows from the
    /// shape.
    ///
    /// * `[h, w]`: size of what is divided into tiles: the output, or the input for its gradient
    pub(in crate::conv) fn of(conv: &ConvShape, [h, w]: [usize; 2]) -> Option<Self> {
        let forms = [(Self::F23, 2, 3), (Self::F43, 4, 3), (Self::F25, 2, 5)];
        let (c, k) = (conv.group_c(), conv.group_k());
        let plain = conv.stride == [1, 1] && conv.dilation == [1, 1] && c.max(k) <= CHANNELS_MAX;
        if !plain || conv.out_pixels() == 0 {
            return None; // without images there are no tiles
        }
        let pads = || conv.pad.into_iter().chain(conv.pad_end);
        let fits = |taps: usize| conv.kernel == [taps; 2] && pads().all(|pad| pad < taps);
        forms
            .into_iter()
            .filter(|&(_, _, taps)| fits(taps))
            .map(|(form, side, taps)| {
                let tiles = conv.n * h.div_ceil(side) * w.div_ceil(side);
                let work = tiles * (c * k + TRANSFORM * (c + k)) + FILTERS * c * k;
                ((side + taps - 1).pow(2) * work, form)
            })
            .filter(|&(cost, _)| cost < conv.out_pixels() * conv.taps() * c * k)
            .min_by_key(|&(cost, _)| cost)
            .map(|(_, form)| form)
    }
}
