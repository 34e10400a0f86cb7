//! Which form of Winograd's convolution suits a shape, if any.

use crate::conv::{Conv, winograd::CHANNELS_MAX};

/// Outputs of a tile and taps of a filter, along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::conv) enum Form {
    TwoOfThree,
    FourOfThree,
    TwoOfFive,
}

/// What turning a value costs on each side, in products: with 16 channels on both, Winograd's way costs twice
/// its products.
const TURN: usize = 8;
/// Turned filters are up to four times the weights, made and fetched again at every call: as dear as so many
/// more tiles. Measured on 256 channels of 14×14, where eight images are 128 tiles of 4×4 or 392 of 2×2, and
/// the larger number is faster.
const FILTERS: usize = 192;

impl Form {
    /// The cheapest form for a pass, or `None` if the sum of taps is cheaper. Follows from the shape.
    ///
    /// * `[h, w]`: of what is cut into tiles: the output, or the input for its gradient
    pub(in crate::conv) fn of(conv: &Conv, [h, w]: [usize; 2]) -> Option<Self> {
        let forms = [(Self::TwoOfThree, 2, 3), (Self::FourOfThree, 4, 3), (Self::TwoOfFive, 2, 5)];
        let (c, k) = (conv.group_c(), conv.group_k());
        let plain = conv.stride == [1, 1] && conv.dilation == [1, 1] && c.max(k) <= CHANNELS_MAX;
        if !plain || conv.out_pixels() == 0 {
            return None; // without images there are no tiles
        }
        let fits = |taps: usize| conv.kernel == [taps; 2] && conv.pad.iter().all(|&pad| pad < taps);
        forms
            .into_iter()
            .filter(|&(_, _, taps)| fits(taps))
            .map(|(form, side, taps)| {
                let tiles = conv.n * h.div_ceil(side) * w.div_ceil(side);
                let turned = tiles * (c * k + TURN * (c + k)) + FILTERS * c * k;
                ((side + taps - 1).pow(2) * turned, form)
            })
            .filter(|&(cost, _)| cost < conv.out_pixels() * conv.taps() * c * k)
            .min_by_key(|&(cost, _)| cost)
            .map(|(_, form)| form)
    }
}
