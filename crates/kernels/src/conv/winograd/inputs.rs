//! Turns the inputs of a tile, for all three passes.

use crate::{
    conv::winograd::{
        CHANNELS_MAX,
        grid::{Grid, Place},
        points::{At, Points},
        transform,
    },
    simd::{LANES, Lanes},
    view::StridedRows,
};

/// Some channels of an image.
#[derive(Clone, Copy)]
pub(super) struct Channels<'a> {
    pub(super) x: StridedRows<'a>,
    pub(super) first: usize,
    pub(super) count: usize,
}

/// Turns a tile's N×N inputs: channel `c` of value `p` goes to `to + p * step + c`. Lanes of channels that do
/// not exist become 0.
///
/// # Safety
///
/// The grid's inputs must be pixels of `x` with these channels, and `to` writable for all values and channels, in
/// whole vectors of eight.
#[inline(always)]
pub(super) unsafe fn turn<S: Lanes, const M: usize, const N: usize>(
    s: S,
    channels: Channels<'_>,
    (grid, place): (&Grid<M, N>, Place),
    to: *mut f32,
    step: usize,
) where
    At<N>: Points<N>,
{
    let Channels { x, first, count } = channels;
    assert!(count <= CHANNELS_MAX, "zeros for every channel");
    let pixels = grid.inputs(place, x, first);
    let whole = count / LANES * LANES;
    for channel in (0..whole).step_by(LANES) {
        let to = to.wrapping_add(channel);
        // SAFETY: pixels, or zeros, have channels `channel..channel + 8`; the caller vouches for `to`.
        unsafe { transform::inputs::<S, N, true>(s, &pixels, (channel, LANES), to, step) };
    }
    if whole < count {
        let to = to.wrapping_add(whole);
        // SAFETY: pixels, or zeros, have channels `whole..count`; the caller vouches for `to`.
        unsafe { transform::inputs::<S, N, false>(s, &pixels, (whole, count - whole), to, step) };
    }
}
