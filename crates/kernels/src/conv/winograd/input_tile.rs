//! Transforms the inputs of a tile, for all three passes.

use crate::{
    conv::winograd::{
        CHANNELS_MAX,
        points::{PointSet, WinogradPoints},
        tiling::{WinogradTile, WinogradTiling},
        transform,
    },
    simd::{LANES, SimdLanes},
    view::StridedRows,
};

/// Channels `first..first + count` of an image.
#[derive(Clone, Copy)]
pub(super) struct ChannelRange<'a> {
    pub(super) x: StridedRows<'a>,
    pub(super) first: usize,
    pub(super) count: usize,
}

/// Transforms the N×N inputs of a tile: channel `c` of value `p` is stored at `to + p * step + c`.
/// Lanes of channels that do not exist become 0.
///
/// # Safety
///
/// The inputs of the tiling must be pixels of `x` with these channels, and `to` writable for all
/// values and channels, in whole vectors of eight.
#[inline(always)]
pub(super) unsafe fn transform_tile<S: SimdLanes, const M: usize, const N: usize>(
    s: S,
    channels: ChannelRange<'_>,
    (tiling, tile): (&WinogradTiling<M, N>, WinogradTile),
    to: *mut f32,
    step: usize,
) where
    PointSet<N>: WinogradPoints<N>,
{
    let ChannelRange { x, first, count } = channels;
    assert!(count <= CHANNELS_MAX, "zeros for every channel");
    let pixels = tiling.inputs(tile, x, first);
    let whole = count / LANES * LANES;
    for channel in (0..whole).step_by(LANES) {
        let to = to.wrapping_add(channel);
        // SAFETY: pixels, or zeros, have channels `channel..channel + 8`; the caller guarantees
        // `to`.
        unsafe { transform::input::<S, N, true>(s, &pixels, (channel, LANES), to, step) };
    }
    if whole < count {
        let to = to.wrapping_add(whole);
        // SAFETY: pixels, or zeros, have channels `whole..count`; the caller guarantees `to`.
        unsafe { transform::input::<S, N, false>(s, &pixels, (whole, count - whole), to, step) };
    }
}
