//! Prologue and epilogue of a tile: the initial values of its accumulators, and where they are
//! stored.
//!
//! Whole vectors in the interior, partial vectors at edges, single values where columns are not
//! contiguous. Bias and ReLU are applied here, so they cost no pass over memory.

use crate::{
    simd::{LANES, SimdLanes},
    tile::{Acc, ROWS},
};

/// The initial values of a tile's accumulators.
#[derive(Clone, Copy)]
pub(crate) enum TileInit {
    /// 0 everywhere.
    Zero,
    /// One value per column, the same in each row: a bias. Readable for the tile's columns.
    Columns(*const f32),
    /// The values that the output holds.
    Output,
}

/// Where a tile is stored: row `i`, column `j` at `rows[i] + j * step`.
pub(crate) struct TileOutput<'a> {
    /// The first `valid` rows are writable for `cols` columns; the others are not accessed.
    pub(crate) rows: &'a [*mut f32; ROWS],
    /// Rows that exist.
    pub(crate) valid: usize,
    /// Columns that exist, at most those of the tile.
    pub(crate) cols: usize,
    /// Floats between neighbouring columns.
    pub(crate) step: usize,
}

impl TileOutput<'_> {
    /// Rows `first..first + R`, and how many of them exist.
    #[inline(always)]
    fn rows<const R: usize>(&self, first: usize) -> ([*mut f32; R], usize) {
        (std::array::from_fn(|i| self.rows[first + i]), self.valid.saturating_sub(first).min(R))
    }

    /// Whether the tile is `lanes` contiguous columns wide.
    #[inline(always)]
    fn is_whole(&self, lanes: usize) -> bool {
        self.cols == lanes && self.step == 1
    }

    /// Number of columns in vector `v`.
    #[inline(always)]
    fn lanes_of(&self, v: usize) -> usize {
        self.cols.saturating_sub(v * LANES).min(LANES)
    }
}

/// The initial accumulators of rows `first..first + R`.
///
/// # Safety
///
/// `output` and `start` must be readable as their documentation says.
#[inline(always)]
pub(super) unsafe fn init<S: SimdLanes, const R: usize, const V: usize>(
    s: S,
    start: TileInit,
    output: &TileOutput<'_>,
    first: usize,
) -> Acc<S::F, R, V> {
    let mut acc = [[s.splat(0.0); V]; R];
    let (rows, valid) = output.rows::<R>(first);
    match start {
        TileInit::Zero => {}
        TileInit::Output if valid == R && output.is_whole(V * LANES) => {
            for (acc, row) in acc.iter_mut().zip(rows) {
                for (v, vector) in acc.iter_mut().enumerate() {
                    // SAFETY: the row has `8 · V` contiguous readable columns.
                    *vector = unsafe { s.load(row.wrapping_add(v * LANES)) };
                }
            }
        }
        TileInit::Columns(columns) => {
            for v in 0..V {
                let from = columns.wrapping_add(v * LANES);
                // SAFETY: these columns exist.
                let column = unsafe { s.load_first(from, output.lanes_of(v)) };
                acc.iter_mut().for_each(|acc| acc[v] = column);
            }
        }
        TileInit::Output if output.step == 1 => {
            for (acc, row) in acc.iter_mut().zip(rows).take(valid) {
                for (v, vector) in acc.iter_mut().enumerate() {
                    let from = row.wrapping_add(v * LANES);
                    // SAFETY: the row has these columns, contiguously.
                    *vector = unsafe { s.load_first(from, output.lanes_of(v)) };
                }
            }
        }
        TileInit::Output => {
            let mut edge = [[[0.0_f32; LANES]; V]; R];
            let into = edge.as_flattened_mut().as_flattened_mut();
            // Out of line: edges are rare, and the code of the tile must stay small.
            // SAFETY: the caller guarantees `output`.
            unsafe { read_edge(output, &rows[..valid], V * LANES, into) };
            for (acc, edge) in acc.iter_mut().zip(&edge) {
                for (vector, edge) in acc.iter_mut().zip(edge) {
                    // SAFETY: `edge` is eight floats.
                    *vector = unsafe { s.load(edge.as_ptr()) };
                }
            }
        }
    }
    acc
}

/// Reads the columns that exist of some rows; `into` is (rows, width).
///
/// # Safety
///
/// As [`init`].
unsafe fn read_edge(output: &TileOutput<'_>, rows: &[*mut f32], width: usize, into: &mut [f32]) {
    for (row, into) in rows.iter().zip(into.chunks_exact_mut(width)) {
        for (j, value) in into.iter_mut().enumerate().take(output.cols) {
            // SAFETY: the row and its column `j` exist.
            *value = unsafe { *row.wrapping_add(j * output.step) };
        }
    }
}

/// Stores the accumulators of rows `first..first + R`, after a ReLU with slope `relu` if there is
/// one.
///
/// # Safety
///
/// `output` must be writable as its documentation says.
#[inline(always)]
pub(super) unsafe fn write<S: SimdLanes, const R: usize, const V: usize>(
    s: S,
    mut acc: Acc<S::F, R, V>,
    relu: Option<f32>,
    output: &TileOutput<'_>,
    first: usize,
) {
    let (rows, valid) = output.rows::<R>(first);
    if let Some(slope) = relu {
        for vector in acc.as_flattened_mut() {
            *vector = s.relu(*vector, slope);
        }
    }
    if valid == R && output.is_whole(V * LANES) {
        for (acc, row) in acc.iter().zip(rows) {
            for (v, &vector) in acc.iter().enumerate() {
                // SAFETY: the row has `8 · V` contiguous writable columns.
                unsafe { s.store(row.wrapping_add(v * LANES), vector) };
            }
        }
        return;
    }
    if output.step == 1 {
        for (acc, row) in acc.iter().zip(rows).take(valid) {
            for (v, &vector) in acc.iter().enumerate() {
                // SAFETY: the row has these columns, contiguously.
                unsafe { s.store_first(row.wrapping_add(v * LANES), vector, output.lanes_of(v)) };
            }
        }
        return;
    }
    let mut edge = [[[0.0_f32; LANES]; V]; R];
    for (acc, edge) in acc.iter().zip(&mut edge) {
        for (&vector, edge) in acc.iter().zip(edge) {
            // SAFETY: `edge` is eight floats.
            unsafe { s.store(edge.as_mut_ptr(), vector) };
        }
    }
    // SAFETY: the caller guarantees `output`.
    unsafe {
        write_edge(edge.as_flattened().as_flattened(), V * LANES, output, &rows[..valid]);
    };
}

/// Writes the columns that exist of some rows; `from` is (rows, width).
///
/// # Safety
///
/// As [`write`].
unsafe fn write_edge(from: &[f32], width: usize, output: &TileOutput<'_>, rows: &[*mut f32]) {
    for (row, from) in rows.iter().zip(from.chunks_exact(width)) {
        for (j, &value) in from.iter().enumerate().take(output.cols) {
            // SAFETY: the row and its column `j` exist.
            unsafe { *row.wrapping_add(j * output.step) = value };
        }
    }
}
