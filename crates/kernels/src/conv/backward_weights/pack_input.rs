//! Packs 16 input channels at one tap of a block of output pixels: a panel, (pixels, 16).

use std::ops::Range;

use crate::{
    conv::backward_weights::{WeightGradient, skip_padding, valid_pixels::ValidPixels},
    pack::copy_sixteen,
    simd::SimdLanes,
    tile::COLS,
};

/// 16 channels of one tap.
#[derive(Clone, Copy)]
pub(super) struct TapChannels {
    pub(super) tap: [isize; 2],
    pub(super) offset: usize,
}

impl TapChannels {
    /// The tap and channels of a panel.
    #[inline(always)]
    fn of(of: &WeightGradient<'_>, group: usize, panel: usize) -> Self {
        let (tap, channel) = of.blocking.tap_and_channel(panel);
        Self { tap: of.taps.taps[tap], offset: group * of.taps.len + channel }
    }
}

/// Packs a panel and returns which pixels are not padding.
#[inline(always)]
pub(super) fn pack<S: SimdLanes>(
    s: S,
    of: &WeightGradient<'_>,
    (group, panel): (usize, usize),
    pixels: &Range<usize>,
    into: &mut [f32],
) -> ValidPixels {
    let channels = TapChannels::of(of, group, panel);
    if let Some(order) = of.order {
        return skip_padding::pack(s, of, order, channels, pixels, into);
    }
    let step = of.conv.stride[1] * of.conv.c;
    rows(of, channels, pixels, |first, count, from| {
        copy_rows(s, from, step, &mut into[first * COLS..][..count * COLS]);
    });
    let mut valid = ValidPixels::none();
    valid.add(0..pixels.len());
    valid
}

/// Prefetches the cache lines that [`pack`] will read.
#[inline(always)]
pub(super) fn prefetch<S: SimdLanes>(
    s: S,
    of: &WeightGradient<'_>,
    (group, panel): (usize, usize),
    pixels: &Range<usize>,
) {
    let channels = TapChannels::of(of, group, panel);
    if let Some(order) = of.order {
        return skip_padding::prefetch(s, of, order, channels, pixels);
    }
    rows(of, channels, pixels, |_, _, from| {
        let lines = from.into_iter().flat_map(|x| x.chunks(of.conv.stride[1] * of.conv.c));
        lines.for_each(|line| s.prefetch(line.as_ptr()));
    });
}

/// Copies 16 floats every `step`, or zeros.
#[inline(always)]
pub(super) fn copy_rows<S: SimdLanes>(s: S, from: Option<&[f32]>, step: usize, into: &mut [f32]) {
    let Some(from) = from else { return into.fill(0.0) };
    let rows = into.len() / COLS;
    assert!(rows == 0 || from.len() >= (rows - 1) * step + COLS, "rows of 16 in {}", from.len());
    for row in 0..rows {
        let to = into.as_mut_ptr().wrapping_add(row * COLS);
        // SAFETY: `from` has 16 floats every `step` for each row of `into`.
        unsafe { copy_sixteen(s, from.as_ptr().wrapping_add(row * step), to) };
    }
}

/// Calls `take(first, count, values)` for ranges of pixels, counted from the first of the block.
/// `values` begins with the channels of the first pixel and ends with those of the last, or is
/// `None` in the padding.
#[inline(always)]
fn rows(
    of: &WeightGradient<'_>,
    channels: TapChannels,
    pixels: &Range<usize>,
    mut take: impl FnMut(usize, usize, Option<&[f32]>),
) {
    let (conv, [h, w]) = (of.conv, [of.conv.h, of.conv.w]);
    let [oh, ow] = conv.out();
    let stride = conv.stride[1];
    let mut pixel = pixels.start;
    while pixel < pixels.end {
        let (row, j) = (pixel / ow, pixel % ow);
        let count = (ow - j).min(pixels.end - pixel);
        let at = pixel - pixels.start;
        pixel += count;
        let i = (row % oh * conv.stride[0]).wrapping_add_signed(channels.tap[0]);
        if i >= h {
            take(at, count, None);
            continue;
        }
        // Outputs whose input column is left of the image, then those inside.
        let before = channels.tap[1].min(0).unsigned_abs().div_ceil(stride);
        let left = before.saturating_sub(j).min(count);
        let end = w.saturating_add_signed(-channels.tap[1]).div_ceil(stride);
        let inside = end.saturating_sub(j).clamp(left, count) - left;
        if left > 0 {
            take(at, left, None);
        }
        if inside > 0 {
            let column = ((j + left) * stride).wrapping_add_signed(channels.tap[1]);
            let first = ((row / oh * h + i) * w + column) * conv.c + channels.offset;
            let last = first + (inside - 1) * stride * conv.c;
            take(at + left, inside, Some(&of.x[first..last + COLS]));
        }
        if left + inside < count {
            take(at + left + inside, count - left - inside, None);
        }
    }
}
