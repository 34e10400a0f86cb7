//! The register tile: 6 rows by 16 (or 8) columns of a matrix product, the heart of every kernel
//! that multiplies.
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

/// A tile's sums: `V` vectors of columns for each row.
pub(crate) type Acc<F, const V: usize> = [[F; V]; ROWS];

/// Adds `a[i][r * step] * b[r][j]` over `r` in `0..len` to `acc[i][j]`.
///
/// * `b`: (len, 8 · V), packed
///
/// # Safety
///
/// `a[i] + r * step` must be readable for every row and `r < len`, and `b` for `len * 8 * V` floats.
#[inline(always)]
pub(crate) unsafe fn accumulate_plain<S: Lanes, const V: usize>(
    s: S,
    mut acc: Acc<S::F, V>,
    a: &[*const f32; ROWS],
    step: usize,
    b: *const f32,
    len: usize,
) -> Acc<S::F, V> {
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
        acc: Acc<S::F, V>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, V>;
}

/// A full tile.
pub(crate) struct Two;
/// A tile at the right edge.
pub(crate) struct One;

impl<S: Lanes> Width<S, 2> for Two {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, 2>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, 2> {
        if step == 1 {
            // SAFETY: passed on to the caller.
            unsafe { s.rows_times_panel(acc, a, b, len) }
        } else {
            // SAFETY: passed on to the caller.
            unsafe { accumulate_plain(s, acc, a, step, b, len) }
        }
    }
}

impl<S: Lanes> Width<S, 1> for One {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, 1>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, 1> {
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
pub(crate) unsafe fn sum_runs<S: Lanes, W: Width<S, V>, const V: usize>(
    s: S,
    runs: &[Run],
    step: usize,
    b: *const f32,
    (start, relu): (Start, Option<f32>),
    target: &Target<'_>,
) {
    // SAFETY: passed on to the caller.
    let mut acc = unsafe { begin::<S, V>(s, start, target) };
    for run in runs {
        let b = b.wrapping_add(run.at * V * LANES);
        // SAFETY: passed on to the caller.
        acc = unsafe { W::accumulate(s, acc, &run.rows, step, b, run.len) };
    }
    // SAFETY: passed on to the caller.
    unsafe { finish::<S, V>(s, acc, relu, target) };
}

/// [`sum_runs`] for a panel of `width` columns, 8 or 16.
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
    if width == COLS {
        // SAFETY: passed on to the caller.
        unsafe { sum_runs::<S, Two, 2>(s, runs, step, b, ends, target) };
    } else {
        // SAFETY: passed on to the caller.
        unsafe { sum_runs::<S, One, 1>(s, runs, step, b, ends, target) };
    }
}
