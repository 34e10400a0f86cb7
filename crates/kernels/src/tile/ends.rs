//! What a tile's sums start from and where they go: whole vectors, the first lanes
//! of some at edges, or single values where columns lie apart.

use crate::{
    simd::{LANES, Lanes},
    tile::{Acc, ROWS},
};

/// What a tile's sums start from.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// Zero.
    Zero,
    /// One value a column, the same in each row: a bias. Readable for the tile's columns.
    Columns(*const f32),
    /// What the output holds.
    Output,
}

/// Where a tile's sums go: row `i`, column `j` to `rows[i] + j * step`.
pub(crate) struct Target<'a> {
    /// The first `valid` rows are writable for `cols` columns; the others are not touched.
    pub(crate) rows: &'a [*mut f32; ROWS],
    /// Rows that exist.
    pub(crate) valid: usize,
    /// Columns that exist, at most `8 · V`.
    pub(crate) cols: usize,
    /// Floats between neighbouring columns.
    pub(crate) step: usize,
}

impl Target<'_> {
    /// Whether every row is there and takes whole vectors.
    #[inline(always)]
    fn is_whole(&self, lanes: usize) -> bool {
        self.valid == ROWS && self.cols == lanes && self.step == 1
    }

    /// How many columns vector `v` has.
    #[inline(always)]
    fn live(&self, v: usize) -> usize {
        self.cols.saturating_sub(v * LANES).min(LANES)
    }
}

/// The sums a tile begins with.
///
/// # Safety
///
/// `target` and `start` must be readable as their documentation says.
#[inline(always)]
pub(super) unsafe fn begin<S: Lanes, const V: usize>(
    s: S,
    start: Start,
    target: &Target<'_>,
) -> Acc<S::F, V> {
    let mut acc = [[s.splat(0.0); V]; ROWS];
    match start {
        Start::Zero => {}
        Start::Output if target.is_whole(V * LANES) => {
            for (acc, row) in acc.iter_mut().zip(target.rows) {
                for (v, vector) in acc.iter_mut().enumerate() {
                    // SAFETY: the row has `8 · V` readable columns, one after another.
                    *vector = unsafe { s.load(row.wrapping_add(v * LANES)) };
                }
            }
        }
        Start::Columns(columns) => {
            for v in 0..V {
                let from = columns.wrapping_add(v * LANES);
                // SAFETY: these columns exist.
                let column = unsafe { s.load_first(from, target.live(v)) };
                acc.iter_mut().for_each(|acc| acc[v] = column);
            }
        }
        Start::Output if target.step == 1 => {
            for (acc, row) in acc.iter_mut().zip(target.rows).take(target.valid) {
                for (v, vector) in acc.iter_mut().enumerate() {
                    // SAFETY: the row has these columns, one after another.
                    *vector = unsafe { s.load_first(row.wrapping_add(v * LANES), target.live(v)) };
                }
            }
        }
        Start::Output => {
            let mut edge = [[[0.0_f32; LANES]; V]; ROWS];
            // Out of line: edges are few, and the tile's code must stay small.
            // SAFETY: the caller vouches for `target`.
            unsafe { read_edge(target, edge.as_flattened_mut().as_flattened_mut()) };
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

/// Reads what exists of a tile; `into` is (6, 8 · V).
///
/// # Safety
///
/// As [`begin`].
unsafe fn read_edge(target: &Target<'_>, into: &mut [f32]) {
    let width = into.len() / ROWS;
    for (i, into) in into.chunks_exact_mut(width).enumerate().take(target.valid) {
        for (j, value) in into.iter_mut().enumerate().take(target.cols) {
            // SAFETY: row `i` and column `j` exist.
            *value = unsafe { *target.rows[i].wrapping_add(j * target.step) };
        }
    }
}

/// Writes the sums; with `relu`, through it with that slope.
///
/// # Safety
///
/// `target` must be writable as its documentation says.
#[inline(always)]
pub(super) unsafe fn finish<S: Lanes, const V: usize>(
    s: S,
    mut acc: Acc<S::F, V>,
    relu: Option<f32>,
    target: &Target<'_>,
) {
    if let Some(slope) = relu {
        for vector in acc.as_flattened_mut() {
            *vector = s.relu(*vector, slope);
        }
    }
    if target.is_whole(V * LANES) {
        for (acc, row) in acc.iter().zip(target.rows) {
            for (v, &vector) in acc.iter().enumerate() {
                // SAFETY: the row has `8 · V` writable columns, one after another.
                unsafe { s.store(row.wrapping_add(v * LANES), vector) };
            }
        }
        return;
    }
    if target.step == 1 {
        for (acc, row) in acc.iter().zip(target.rows).take(target.valid) {
            for (v, &vector) in acc.iter().enumerate() {
                // SAFETY: the row has these columns, one after another.
                unsafe { s.store_first(row.wrapping_add(v * LANES), vector, target.live(v)) };
            }
        }
        return;
    }
    let mut edge = [[[0.0_f32; LANES]; V]; ROWS];
    for (acc, edge) in acc.iter().zip(&mut edge) {
        for (&vector, edge) in acc.iter().zip(edge) {
            // SAFETY: `edge` is eight floats.
            unsafe { s.store(edge.as_mut_ptr(), vector) };
        }
    }
    // SAFETY: the caller vouches for `target`.
    unsafe { write_edge(edge.as_flattened().as_flattened(), target) };
}

/// Writes what exists of a tile; `from` is (6, 8 · V).
///
/// # Safety
///
/// As [`finish`].
unsafe fn write_edge(from: &[f32], target: &Target<'_>) {
    let width = from.len() / ROWS;
    for (i, from) in from.chunks_exact(width).enumerate().take(target.valid) {
        for (j, &value) in from.iter().enumerate().take(target.cols) {
            // SAFETY: row `i` and column `j` exist.
            unsafe { *target.rows[i].wrapping_add(j * target.step) = value };
        }
    }
}
