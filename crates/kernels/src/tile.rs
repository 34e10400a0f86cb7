//! The register tile: 6 rows by 16 (or 8, or 24) columns of a matrix product, the heart of every
//! kernel that multiplies.
//!
//! ```text
//!            b: len × 16, packed        per step: 2 loads of b, 6 broadcasts of a, 12 FMAs;
//!          ┌────────┬────────┐          12 accumulators + 2 of b + 1 of a fill the 16 registers
//!  a[0] ─▶ │ acc    │        │
//!   ..     │  6 × 2 vectors  │          a[i] is a pointer of its own, so rows may lie anywhere:
//!  a[5] ─▶ │        │        │          pixels of an image, of two images, or zeros (padding)
//!          └────────┴────────┘
//! ```
//!
//! Two FMAs a cycle make 6 cycles a step, in which 8 loads and the packed operand's 64 bytes come
//! easily from L1; so the tile runs at the FMA peak when `b`'s block stays in L1 and `a` in L2.
//!
//! An FMA takes four cycles, so fewer than 8 accumulators cannot keep two a cycle busy: 8 columns alone
//! (6 accumulators) cost as much as 11. So 17 to 24 columns are one panel, whose tile is done as two of 3
//! rows by 24 columns with 9 accumulators each, at full speed.

mod ends;
mod panels;

pub(crate) use ends::{Start, Target};
use ends::{begin, finish};
pub(crate) use panels::Panels;

use crate::simd::{LANES, Lanes};

/// Rows of a tile.
pub(crate) const ROWS: usize = 6;
/// Columns of a full tile, and of a packed panel.
pub(crate) const COLS: usize = 16;

/// Columns of the widest panel, done by halves of a tile's rows.
const WIDE: usize = 24;
/// Rows of half a tile.
const HALF: usize = ROWS / 2;

/// A tile's sums: `V` vectors of columns for each of `R` rows.
pub(crate) type Acc<F, const R: usize, const V: usize> = [[F; V]; R];

/// Adds `a[i][r * step] * b[r][j]` over `r` in `0..len` to `acc[i][j]`.
///
/// * `b`: (len, 8 · V), packed
///
/// # Safety
///
/// `a[i] + r * step` must be readable for every row and `r < len`, and `b` for `len * 8 * V` floats.
#[inline(always)]
pub(crate) unsafe fn accumulate_plain<S: Lanes, const R: usize, const V: usize>(
    s: S,
    mut acc: Acc<S::F, R, V>,
    a: &[*const f32; R],
    step: usize,
    b: *const f32,
    len: usize,
) -> Acc<S::F, R, V> {
    let a = *a;
    for r in 0..len {
        let mut columns = [s.splat(0.0); V];
        for (v, column) in columns.iter_mut().enumerate() {
            // SAFETY: inside the `len * 8 * V` floats the caller vouches for.
            *column = unsafe { s.load(b.wrapping_add((r * V + v) * LANES)) };
        }
        for (acc, a) in acc.iter_mut().zip(a) {
            // SAFETY: the caller vouches for every row and `r`.
            let row = unsafe { s.splat_at(a.wrapping_add(r * step)) };
            for (acc, column) in acc.iter_mut().zip(columns) {
                *acc = s.fma(row, column, *acc);
            }
        }
    }
    acc
}

/// How many vectors wide a tile is: the type-level `V` of a tile, with the fastest loop for it.
pub(crate) trait Width<S: Lanes, const V: usize> {
    /// As [`accumulate_plain`].
    ///
    /// # Safety
    ///
    /// As [`accumulate_plain`].
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, ROWS, V>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, ROWS, V>;
}

/// A full tile.
pub(crate) struct Two;
/// A tile at the right edge.
pub(crate) struct One;

impl<S: Lanes> Width<S, 2> for Two {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, ROWS, 2>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, ROWS, 2> {
        // SAFETY: passed on to the caller.
        unsafe { s.rows_times_panel(acc, a, step, b, len) }
    }
}

impl<S: Lanes> Width<S, 1> for One {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, ROWS, 1>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, ROWS, 1> {
        // SAFETY: passed on to the caller.
        unsafe { accumulate_plain(s, acc, a, step, b, len) }
    }
}

/// One run of a reduction.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// Where the six rows begin.
    pub(crate) rows: [*const f32; ROWS],
    /// Which row of the panel goes with their first values.
    pub(crate) at: usize,
    /// Steps: values of each row, rows of the panel.
    pub(crate) len: usize,
}

/// One tile of a product whose reduction runs over several runs: begin, add, write.
///
/// * `step`: floats between neighbouring values of a row
///
/// * `b`: 8 · V columns, packed, with the rows that each run needs
///
/// # Safety
///
/// As [`begin`], [`accumulate_plain`] for every run, and [`finish`].
#[inline(always)]
unsafe fn sum_runs<S: Lanes, W: Width<S, V>, const V: usize>(
    s: S,
    runs: impl Iterator<Item = Run>,
    step: usize,
    b: *const f32,
    (start, relu): (Start, Option<f32>),
    target: &Target<'_>,
) {
    // SAFETY: passed on to the caller.
    let mut acc = unsafe { begin::<S, ROWS, V>(s, start, target, 0) };
    for run in runs {
        let b = b.wrapping_add(run.at * V * LANES);
        // SAFETY: passed on to the caller.
        acc = unsafe { W::accumulate(s, acc, &run.rows, step, b, run.len) };
    }
    // SAFETY: passed on to the caller.
    unsafe { finish::<S, ROWS, V>(s, acc, relu, target, 0) };
}

/// [`sum_runs`] for 24 columns: three rows, then the other three.
///
/// # Safety
///
/// As [`sum_runs`].
#[inline(always)]
unsafe fn sum_wide<S: Lanes>(
    s: S,
    runs: impl Iterator<Item = Run> + Clone,
    step: usize,
    b: *const f32,
    (start, relu): (Start, Option<f32>),
    target: &Target<'_>,
) {
    for first in (0..target.valid).step_by(HALF) {
        // SAFETY: passed on to the caller.
        let mut acc = unsafe { begin::<S, HALF, 3>(s, start, target, first) };
        for run in runs.clone() {
            let b = b.wrapping_add(run.at * WIDE);
            let rows = std::array::from_fn(|i| run.rows[first + i]);
            // SAFETY: passed on to the caller.
            acc = unsafe { accumulate_plain(s, acc, &rows, step, b, run.len) };
        }
        // SAFETY: passed on to the caller.
        unsafe { finish::<S, HALF, 3>(s, acc, relu, target, first) };
    }
}

/// [`sum_runs`] for a panel of `width` columns, 8, 16 or 24.
///
/// # Safety
///
/// As [`sum_runs`].
#[inline(always)]
pub(crate) unsafe fn sum_panel<S: Lanes>(
    s: S,
    width: usize,
    runs: &[Run],
    step: usize,
    b: *const f32,
    ends: (Start, Option<f32>),
    target: &Target<'_>,
) {
    // SAFETY: passed on to the caller.
    unsafe { sum_each(s, width, runs.iter().copied(), step, b, ends, target) };
}

/// [`sum_panel`] for runs that are found on the way.
///
/// # Safety
///
/// As [`sum_runs`].
#[inline(always)]
pub(crate) unsafe fn sum_each<S: Lanes>(
    s: S,
    width: usize,
    runs: impl Iterator<Item = Run> + Clone,
    step: usize,
    b: *const f32,
    ends: (Start, Option<f32>),
    target: &Target<'_>,
) {
    if width == COLS {
        // SAFETY: passed on to the caller.
        unsafe { sum_runs::<S, Two, 2>(s, runs, step, b, ends, target) };
    } else if width == WIDE {
        // SAFETY: passed on to the caller.
        unsafe { sum_wide(s, runs, step, b, ends, target) };
    } else {
        // SAFETY: passed on to the caller.
        unsafe { sum_runs::<S, One, 1>(s, runs, step, b, ends, target) };
    }
}
