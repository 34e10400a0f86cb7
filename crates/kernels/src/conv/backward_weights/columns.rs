//! Packs columns of the input, (tap, c), of a block of output pixels: `into` is (pixels, width).

use std::ops::Range;

use crate::{
    conv::backward_weights::{Work, live::Live, places},
    simd::{LANES, Lanes},
    tile::COLS,
};

/// Some channels of one tap, and the lane of the panel where they go.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) tap: [isize; 2],
    pub(super) offset: usize,
    lane: usize,
    len: usize,
}

/// The runs of a panel, in the order of their lanes.
#[inline(always)]
fn runs<'a>(of: &'a Work<'_>, group: usize, panel: usize) -> impl Iterator<Item = Run> + 'a {
    let (runs, cut) = (of.runs, of.cut);
    let cols = cut.panels.cols(panel);
    let mut lane = 0;
    std::iter::from_fn(move || {
        let (run, skip) = (lane < cols).then(|| cut.place(panel, lane))?;
        let len = (runs.len - skip).min(cols - lane);
        let run = Run { tap: runs.taps[run], offset: group * runs.len + skip, lane, len };
        lane += len;
        Some(run)
    })
}

/// Packs a panel and tells which pixels it has. `into` has a row and 16 floats to spare, which are
/// overwritten.
#[inline(always)]
pub(super) fn pack<S: Lanes>(
    s: S,
    of: &Work<'_>,
    (group, panel): (usize, usize),
    pixels: &Range<usize>,
    into: &mut [f32],
) -> Live {
    let width = of.cut.panels.width(panel);
    assert!(into.len() >= (pixels.len() + 1) * width + COLS, "room to spare");
    let mut found = [Run { tap: [0; 2], offset: 0, lane: 0, len: 0 }; COLS];
    let count = found.iter_mut().zip(runs(of, group, panel)).map(|(to, run)| *to = run).count();
    if let (Some(order), [run]) = (of.order, &found[..count]) {
        return places::pack(of, order, *run, pixels, into);
    }
    let step = of.conv.stride[1] * of.conv.c;
    match found[..count] {
        [run] if run.len == COLS && step >= COLS => {
            rows(of, run, pixels, |first, count, from| {
                copy_rows(from, step, &mut into[first * COLS..][..count * COLS]);
            });
        }
        ref runs => pack_mixed(s, of, runs, pixels, width, into),
    }
    let mut live = Live::none();
    live.add(0..pixels.len());
    live
}

/// Asks for the cache lines that [`pack`] will read, if it reads whole ones.
#[inline(always)]
pub(super) fn ask<S: Lanes>(
    s: S,
    of: &Work<'_>,
    (group, panel): (usize, usize),
    pixels: &Range<usize>,
) {
    for run in runs(of, group, panel).filter(|run| run.len == COLS) {
        if let Some(order) = of.order {
            places::ask(s, of, order, run, pixels);
            continue;
        }
        rows(of, run, pixels, |_, _, from| {
            let lines = from.into_iter().flat_map(|x| x.chunks(of.conv.stride[1] * of.conv.c));
            lines.for_each(|line| s.prefetch(line.as_ptr()));
        });
    }
}

/// Copies 16 floats every `step`, or zeros.
#[inline(always)]
pub(super) fn copy_rows(from: Option<&[f32]>, step: usize, into: &mut [f32]) {
    let Some(from) = from else { return into.fill(0.0) };
    for (from, into) in from.chunks(step).zip(into.as_chunks_mut::<COLS>().0) {
        if let Some(from) = from.first_chunk::<COLS>() {
            *into = *from;
        }
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
    let (conv, [h, w]) = (of.conv, of.runs.padded(of.conv));
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
            take(at + left, inside, Some(&of.x[first..last + run.len]));
        }
        if left + inside < count {
            take(at + left + inside, count - left - inside, None);
        }
    }
}

/// Packs a panel of several runs: pixel by pixel, each run as 16 floats. What is too much is overwritten
/// by the next run, by the next pixel, or lies in columns that do not exist.
#[inline(always)]
fn pack_mixed<S: Lanes>(
    s: S,
    of: &Work<'_>,
    runs: &[Run],
    pixels: &Range<usize>,
    width: usize,
    into: &mut [f32],
) {
    let (conv, [h, w]) = (of.conv, of.runs.padded(of.conv));
    let [oh, ow] = conv.out();
    let mut pixel = pixels.start;
    while pixel < pixels.end {
        let (row, j) = (pixel / ow, pixel % ow);
        let count = (ow - j).min(pixels.end - pixel);
        let into = &mut into[(pixel - pixels.start) * width..];
        // Per run: where its input row begins, if it is not in the padding.
        let mut starts = [None; COLS];
        for (start, run) in starts.iter_mut().zip(runs) {
            let i = (row % oh * conv.stride[0]).wrapping_add_signed(run.tap[0]);
            *start = (i < h).then(|| (row / oh * h + i) * w * conv.c + run.offset);
        }
        let step = conv.stride[1] * conv.c;
        let place =
            |run: &Run, p: usize| ((j + p) * conv.stride[1]).wrapping_add_signed(run.tap[1]);
        let whole = runs.iter().zip(starts).all(|(run, start)| {
            let (first, last) = (place(run, 0), place(run, count - 1));
            start.is_none_or(|start| {
                first <= last && last < w && start + last * conv.c + COLS <= of.x.len()
            })
        });
        if whole && into.len() >= (count + 1) * width + COLS {
            let sources = std::array::from_fn(|r| match (runs.get(r), starts[r]) {
                (Some(run), Some(start)) => (of.x[start + place(run, 0) * conv.c..].as_ptr(), step),
                _ => (ZEROS.as_ptr(), 0),
            });
            // SAFETY: every run is inside the image for all `count` pixels, with 16 floats to read
            // from the last; `into` has a row to spare.
            unsafe { copy_whole(s, (runs, sources), count, width, into) };
            pixel += count;
            continue;
        }
        for p in 0..count {
            for (run, &start) in runs.iter().zip(&starts) {
                let j = ((j + p) * conv.stride[1]).wrapping_add_signed(run.tap[1]);
                let start = start.filter(|_| j < w);
                let from = start.and_then(|start| of.x.get(start + j * conv.c..));
                put_run(s, from, run.len, &mut into[p * width + run.lane..]);
            }
        }
        pixel += count;
    }
}

/// Copies `count` pixels' runs, 16 floats each, from where `sources` begin, each with its step.
///
/// # Safety
///
/// Sources must be readable for 16 floats at each of `count` steps, and `into` writable for
/// `count + 1` rows of `width` and 16 floats more.
#[inline(always)]
unsafe fn copy_whole<S: Lanes>(
    s: S,
    (runs, sources): (&[Run], [(*const f32, usize); COLS]),
    count: usize,
    width: usize,
    into: &mut [f32],
) {
    for p in 0..count {
        let row = into.as_mut_ptr().wrapping_add(p * width);
        for (run, &(source, step)) in runs.iter().zip(&sources) {
            for half in [0, LANES] {
                // SAFETY: the caller vouches for 16 floats at every step.
                let values = unsafe { s.load(source.wrapping_add(p * step + half)) };
                // SAFETY: the lane is inside the row, and 16 floats follow the rows.
                unsafe { s.store(row.wrapping_add(run.lane + half), values) };
            }
        }
    }
}

/// What a run in the padding reads.
static ZEROS: [f32; COLS] = [0.0; COLS];

/// Writes a run, or zeros, and up to 16 floats if there is room.
#[inline(always)]
fn put_run<S: Lanes>(s: S, from: Option<&[f32]>, len: usize, into: &mut [f32]) {
    let Some(from) = from else { return into[..len].fill(0.0) };
    if from.len() < COLS || into.len() < COLS {
        into[..len].copy_from_slice(&from[..len]);
        return;
    }
    for half in [0, LANES] {
        // SAFETY: `from` has 16 floats.
        let values = unsafe { s.load(from.as_ptr().wrapping_add(half)) };
        // SAFETY: so has `into`.
        unsafe { s.store(into.as_mut_ptr().wrapping_add(half), values) };
    }
}
