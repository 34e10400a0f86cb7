//! Turns the inputs of a tile, for all three passes.

use crate::{
    conv::winograd::{CHANNELS_MAX, POINTS, transform},
    simd::{LANES, Lanes},
    tile::COLS,
    view::Rows,
};

/// What a pixel in the padding reads.
static ZEROS: [f32; CHANNELS_MAX] = [0.0; CHANNELS_MAX];

/// Some channels of an image.
#[derive(Clone, Copy)]
pub(super) struct Channels<'a> {
    pub(super) x: Rows<'a>,
    pub(super) first: usize,
    pub(super) count: usize,
}

/// Where the values of a tile go: channel `c` of value `p` to `to[p * point + c / 16 * panel + c % 16]`.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) to: *mut f32,
    pub(super) point: usize,
    pub(super) panel: usize,
}

impl Room {
    #[inline(always)]
    fn at(self, channel: usize) -> *mut f32 {
        self.to.wrapping_add(channel / COLS * self.panel + channel % COLS)
    }
}

/// Turns a tile's 4×4 inputs, which are pixels of the image; lanes of channels that do not exist become 0.
///
/// # Safety
///
/// `room` must be writable for all values and channels, in whole vectors of eight.
#[inline(always)]
pub(super) unsafe fn turn<S: Lanes>(
    s: S,
    channels: Channels<'_>,
    inputs: &[Option<usize>; POINTS],
    room: Room,
) {
    let Channels { x, first, count } = channels;
    let whole = count / LANES * LANES;
    assert!(count <= CHANNELS_MAX, "zeros for every channel");
    let mut pixels = [ZEROS.as_ptr(); POINTS];
    for (pixel, input) in pixels.iter_mut().zip(inputs) {
        if let Some(input) = input {
            *pixel = x.row(*input, first + count)[first..].as_ptr();
        }
    }
    for channel in (0..whole).step_by(LANES) {
        // SAFETY: pixels, or zeros, have channels `channel..channel + 8`; the caller vouches for `room`.
        unsafe { transform::inputs(s, &pixels, channel, room.at(channel), room.point) };
    }
    if whole < count {
        let mut rest = [[0.0; LANES]; POINTS];
        for ((rest, pixel), input) in rest.iter_mut().zip(&mut pixels).zip(inputs) {
            if let Some(input) = input {
                let from = &x.row(*input, first + count)[first + whole..];
                rest[..from.len()].copy_from_slice(from);
            }
            *pixel = rest.as_ptr();
        }
        // SAFETY: each of `rest` is eight floats; the caller vouches for `room`.
        unsafe { transform::inputs(s, &pixels, 0, room.at(whole), room.point) };
    }
}
