//! Packs 16 channels of the input at one tap, of a block of output pixels: `into` is (pixels, 16).

use std::ops::Range;

use crate::{
    conv::backward_weights::{Work, live::Live, places},
    pack::copy_sixteen,
    simd::Lanes,
    tile::COLS,
};

/// 16 channels of one tap.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) tap: [isize; 2],
    pub(super) offset: usize,
}

impl Run {
    /// The run of a panel.
    #[inline(always)]
    fn of(of: &Work<'_>, group: usize, panel: usize) -> Self {
        let (tap, channel) = of.cut.place(panel);
        Self { tap: of.runs.taps[tap], offset: group * of.runs.len + channel }
    }
}

/// Packs a panel and tells which pixels it has.
#[inline(always)]
pub(super) fn pack<S: Lanes>(
    s: S,
    of: &Work<'_>,
    (group, panel): (usize, usize),
    pixels: &Range<usize>,
    into: &mut [f32],
) -> Live {
    let run = Run::of(of, group, panel);
    if let Some(order) = of.order {
        return places::pack(s, of, order, run, pixels, into);
    }
    let step = of.conv.stride[1] * of.conv.c;
    rows(of, run, pixels, |first, count, from| {
        copy_rows(s, from, step, &mut into[first * COLS..][..count * COLS]);
    });
    let mut live = Live::none();
    live.add(0..pixels.len());
    live
}

/// Asks for the cache lines that [`pack`] will read.
#[inline(always)]
pub(super) fn ask<S: Lanes>(
    s: S,
    of: &Work<'_>,
    (group, panel): (usize, usize),
    pixels: &Range<usize>,
) {
    let run = Run::of(of, group, panel);
    if let Some(order) = of.order {
        return places::ask(s, of, order, run, pixels);
    }
    rows(of, run, pixels, |_, _, from| {
        let lines = from.into_iter().flat_map(|x| x.chunks(of.conv.stride[1] * of.conv.c));
        lines.for_each(|line| s.prefetch(line.as_ptr()));
    });
}

/// Copies 16 floats every `step`, or zeros.
#[inline(always)]
pub(super) fn copy_rows<S: Lanes>(s: S, from: Option<&[f32]>, step: usize, into: &mut [f32]) {
    let Some(from) = from else { return into.fill(0.0) };
    let rows = into.len() / COLS;
    assert!(rows == 0 || from.len() >= (rows - 1) * step + COLS, "rows of 16 in {}", from.len());
    for row in 0..rows {
        let to = into.as_mut_ptr().wrapping_add(row * COLS);
        // SAFETY: `from` has 16 floats every `step` for each row of `into`.
        unsafe { copy_sixteen(s, from.as_ptr().wrapping_add(row * step), to) };
    }
}

/// Calls `take(first, count, values)` for stretches of pixels, counted from the block's first: `values`
/// begins at the first pixel's run and ends with the last's, or is `None` in the padding.
#[inline(always)]
fn rows(
    of: &Work<'_>,
    run: Run,
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
        let i = (row % oh * conv.stride[0]).wrapping_add_signed(run.tap[0]);
        if i >= h {
            take(at, count, None);
            continue;
        }
        // Outputs whose input column is left of the image, then inside.
        let before = run.tap[1].min(0).unsigned_abs().div_ceil(stride);
        let left = before.saturating_sub(j).min(count);
        let end = w.saturating_add_signed(-run.tap[1]).div_ceil(stride);
        let inside = end.saturating_sub(j).clamp(left, count) - left;
        if left > 0 {
            take(at, left, None);
        }
        if inside > 0 {
            let column = ((j + left) * stride).wrapping_add_signed(run.tap[1]);
            let first = ((row / oh * h + i) * w + column) * conv.c + run.offset;
            let last = first + (inside - 1) * stride * conv.c;
            take(at + left, inside, Some(&of.x[first..last + COLS]));
        }
        if left + inside < count {
            take(at + left + inside, count - left - inside, None);
        }
    }
}
