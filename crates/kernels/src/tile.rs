//! The micro-kernel: a register tile of 6 rows by 16 (or 8, or 24) columns of a matrix product.
//! GEMM and convolution use it; depthwise convolution and small-batch GEMM have loops of their own.
//!
//! ```text
//!            b: len × 16, packed        per step: 2 loads of b, 6 broadcasts of a, 12 FMAs;
//!          ┌────────┬────────┐          12 accumulators + 2 of b + 1 of a: 15 of 16 registers
//!  a[0] ─▶ │ acc    │        │
//!   ..     │  6 × 2 vectors  │          each a[i] has its own pointer, so rows may lie anywhere:
//!  a[5] ─▶ │        │        │          pixels of one image, of two images, or zeros (padding)
//!          └────────┴────────┘
//! ```
//!
//! Two FMAs per cycle make 6 cycles per step. In that time L1 easily delivers 8 loads, including
//! the 64 bytes of the packed operand, so the tile slices at the FMA peak while the block of `b` is
//! in L1 and `a` in L2.
//!
//! An FMA has a latency of four cycles, so fewer than 8 accumulators cannot sustain two per cycle:
//! 8 columns alone (6 accumulators) cost as much as 11. Therefore 17 to 24 columns form one panel,
//! whose tile is computed as two tiles of 3 rows by 24 columns with 9 accumulators each, at full
//! speed.

mod epilogue;
mod panels;

pub(crate) use epilogue::{TileInit, TileOutput};
use epilogue::{init, write};
pub(crate) use panels::Panels;

use crate::simd::{LANES, SimdLanes};

/// Rows of a tile.
pub(crate) const ROWS: usize = 6;
/// Columns of a full tile, and of a packed panel.
pub(crate) const COLS: usize = 16;

/// Columns of the widest panel, computed in two halves of a tile's rows.
const WIDE: usize = 24;
/// Rows of half a tile.
const HALF: usize = ROWS / 2;

/// The accumulators of a tile: `V` vectors of columns for each of `R` rows.
pub(crate) type Acc<F, const R: usize, const V: usize> = [[F; V]; R];

/// Adds `a[i][r * step] * b[r][j]` over `r` in `0..len` to `acc[i][j]`.
///
/// * `b`: (len, 8 · V), packed
///
/// # Safety
///
/// `a[i] + r * step` must be readable for every row and `r < len`, and `b` for `len * 8 * V`
/// floats.
#[inline(always)]
pub(crate) unsafe fn accumulate_plain<S: SimdLanes, const R: usize, const V: usize>(
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
            // SAFETY: inside the `len * 8 * V` floats that the caller guarantees.
            *column = unsafe { s.load(b.wrapping_add((r * V + v) * LANES)) };
        }
        for (acc, a) in acc.iter_mut().zip(a) {
            // SAFETY: the caller guarantees every row and `r`.
            let row = unsafe { s.splat_at(a.wrapping_add(r * step)) };
            for (acc, column) in acc.iter_mut().zip(columns) {
                *acc = s.fma(row, column, *acc);
            }
        }
    }
    acc
}

/// The width of a tile in vectors, as a type that selects the fastest loop for it.
pub(crate) trait TileWidth<S: SimdLanes, const V: usize> {
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

/// 16 columns: a full tile.
pub(crate) struct TwoVectors;
/// 8 columns: a tile at the right edge.
pub(crate) struct OneVector;

impl<S: SimdLanes> TileWidth<S, 2> for TwoVectors {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, ROWS, 2>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, ROWS, 2> {
        // SAFETY: the caller upholds the contract.
        unsafe { s.rows_times_panel(acc, a, step, b, len) }
    }
}

impl<S: SimdLanes> TileWidth<S, 1> for OneVector {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, ROWS, 1>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, ROWS, 1> {
        // SAFETY: the caller upholds the contract.
        unsafe { accumulate_plain(s, acc, a, step, b, len) }
    }
}

/// A contiguous slice of the reduction (K) dimension.
#[derive(Clone, Copy)]
pub(crate) struct KSlice {
    /// Where the slice begins in each of the six rows of A.
    pub(crate) rows: [*const f32; ROWS],
    /// The row of the panel of B that belongs to its first step.
    pub(crate) panel_row: usize,
    /// Number of steps: values of each row of A, rows of the panel.
    pub(crate) len: usize,
}

/// One tile of a product whose reduction consists of several slices: initialise, accumulate, write.
///
/// * `step`: floats between neighbouring values of a row
/// * `b`: 8 · V columns, packed, with the rows that each slice needs
///
/// # Safety
///
/// As [`init`], [`accumulate_plain`] for every slice, and [`write`].
#[inline(always)]
unsafe fn sum_slices<S: SimdLanes, W: TileWidth<S, V>, const V: usize>(
    s: S,
    slices: impl Iterator<Item = KSlice>,
    step: usize,
    b: *const f32,
    (start, relu): (TileInit, Option<f32>),
    target: &TileOutput<'_>,
) {
    // SAFETY: the caller upholds the contract.
    let mut acc = unsafe { init::<S, ROWS, V>(s, start, target, 0) };
    for slice in slices {
        let b = b.wrapping_add(slice.panel_row * V * LANES);
        // SAFETY: the caller upholds the contract.
        acc = unsafe { W::accumulate(s, acc, &slice.rows, step, b, slice.len) };
    }
    // SAFETY: the caller upholds the contract.
    unsafe { write::<S, ROWS, V>(s, acc, relu, target, 0) };
}

/// [`sum_slices`] for 24 columns: three rows, then the other three.
///
/// # Safety
///
/// As [`sum_slices`].
#[inline(always)]
unsafe fn sum_wide<S: SimdLanes>(
    s: S,
    slices: impl Iterator<Item = KSlice> + Clone,
    step: usize,
    b: *const f32,
    (start, relu): (TileInit, Option<f32>),
    target: &TileOutput<'_>,
) {
    for first in (0..target.valid).step_by(HALF) {
        // SAFETY: the caller upholds the contract.
        let mut acc = unsafe { init::<S, HALF, 3>(s, start, target, first) };
        for slice in slices.clone() {
            let b = b.wrapping_add(slice.panel_row * WIDE);
            let rows = std::array::from_fn(|i| slice.rows[first + i]);
            // SAFETY: the caller upholds the contract.
            acc = unsafe { accumulate_plain(s, acc, &rows, step, b, slice.len) };
        }
        // SAFETY: the caller upholds the contract.
        unsafe { write::<S, HALF, 3>(s, acc, relu, target, first) };
    }
}

/// [`sum_slices`] for a panel of `width` columns, 8, 16 or 24.
///
/// # Safety
///
/// As [`sum_slices`].
#[inline(always)]
pub(crate) unsafe fn sum_panel<S: SimdLanes>(
    s: S,
    width: usize,
    slices: &[KSlice],
    step: usize,
    b: *const f32,
    start_and_relu: (TileInit, Option<f32>),
    target: &TileOutput<'_>,
) {
    // SAFETY: the caller upholds the contract.
    unsafe { sum_tile(s, width, slices.iter().copied(), step, b, start_and_relu, target) };
}

/// As [`sum_panel`], for slices that an iterator computes on the fly.
///
/// # Safety
///
/// As [`sum_slices`].
#[inline(always)]
pub(crate) unsafe fn sum_tile<S: SimdLanes>(
    s: S,
    width: usize,
    slices: impl Iterator<Item = KSlice> + Clone,
    step: usize,
    b: *const f32,
    start_and_relu: (TileInit, Option<f32>),
    target: &TileOutput<'_>,
) {
    if width == COLS {
        // SAFETY: the caller upholds the contract.
        unsafe { sum_slices::<S, TwoVectors, 2>(s, slices, step, b, start_and_relu, target) };
    } else if width == WIDE {
        // SAFETY: the caller upholds the contract.
        unsafe { sum_wide(s, slices, step, b, start_and_relu, target) };
    } else {
        // SAFETY: the caller upholds the contract.
        unsafe { sum_slices::<S, OneVector, 1>(s, slices, step, b, start_and_relu, target) };
    }
}
