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
    /// Columns that exist, at most those of the tile.
    pub(crate) cols: usize,
    /// Floats between neighbouring columns.
    pub(crate) step: usize,
}

impl Target<'_> {
    /// Rows `first..first + R`, and how many of them exist.
    #[inline(always)]
    fn rows<const R: usize>(&self, first: usize) -> ([*mut f32; R], usize) {
        (std::array::from_fn(|i| self.rows[first + i]), self.valid.saturating_sub(first).min(R))
    }

    /// Whether columns are whole vectors, one after another.
    #[inline(always)]
    fn is_whole(&self, lanes: usize) -> bool {
        self.cols == lanes && self.step == 1
    }

    /// How many columns vector `v` has.
    #[inline(always)]
    fn live(&self, v: usize) -> usize {
        self.cols.saturating_sub(v * LANES).min(LANES)
    }
}

/// The sums rows `first..first + R` of a tile begin with.
///
/// # Safety
///
/// `target` and `start` must be readable as their documentation says.
#[inline(always)]
pub(super) unsafe fn begin<S: Lanes, const R: usize, const V: usize>(
    s: S,
    start: Start,
    target: &Target<'_>,
    first: usize,
) -> Acc<S::F, R, V> {
    let mut acc = [[s.splat(0.0); V]; R];
    let (rows, valid) = target.rows::<R>(first);
    match start {
        Start::Zero => {}
        Start::Output if valid == R && target.is_whole(V * LANES) => {
            for (acc, row) in acc.iter_mut().zip(rows) {
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
            for (acc, row) in acc.iter_mut().zip(rows).take(valid) {
                for (v, vector) in acc.iter_mut().enumerate() {
                    // SAFETY: the row has these columns, one after another.
                    *vector = unsafe { s.load_first(row.wrapping_add(v * LANES), target.live(v)) };
                }
            }
        }
        Start::Output => {
            let mut edge = [[[0.0_f32; LANES]; V]; R];
            let into = edge.as_flattened_mut().as_flattened_mut();
            // Out of line: edges are few, and the tile's code must stay small.
            // SAFETY: the caller vouches for `target`.
            unsafe { read_edge(target, &rows[..valid], V * LANES, into) };
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

/// Reads what exists of some rows; `into` is (rows, width).
///
/// # Safety
///
/// As [`begin`].
unsafe fn read_edge(target: &Target<'_>, rows: &[*mut f32], width: usize, into: &mut [f32]) {
    for (row, into) in rows.iter().zip(into.chunks_exact_mut(width)) {
        for (j, value) in into.iter_mut().enumerate().take(target.cols) {
            // SAFETY: the row and its column `j` exist.
            *value = unsafe { *row.wrapping_add(j * target.step) };
        }
    }
}

/// Writes the sums of rows `first..first + R`; with `relu`, through it with that slope.
///
/// # Safety
///
/// `target` must be writable as its documentation says.
#[inline(always)]
pub(super) unsafe fn finish<S: Lanes, const R: usize, const V: usize>(
    s: S,
    mut acc: Acc<S::F, R, V>,
    relu: Option<f32>,
    target: &Target<'_>,
    first: usize,
) {
    let (rows, valid) = target.rows::<R>(first);
    if let Some(slope) = relu {
        for vector in acc.as_flattened_mut() {
            *vector = s.relu(*vector, slope);
        }
    }
    if valid == R && target.is_whole(V * LANES) {
        for (acc, row) in acc.iter().zip(rows) {
            for (v, &vector) in acc.iter().enumerate() {
                // SAFETY: the row has `8 · V` writable columns, one after another.
                unsafe { s.store(row.wrapping_add(v * LANES), vector) };
            }
        }
        return;
    }
    if target.step == 1 {
        for (acc, row) in acc.iter().zip(rows).take(valid) {
            for (v, &vector) in acc.iter().enumerate() {
                // SAFETY: the row has these columns, one after another.
                unsafe { s.store_first(row.wrapping_add(v * LANES), vector, target.live(v)) };
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
    // SAFETY: the caller vouches for `target`.
    unsafe {
        write_edge(edge.as_flattened().as_flattened(), V * LANES, target, &rows[..valid]);
    };
}

/// Writes what exists of some rows; `from` is (rows, width).
///
/// # Safety
///
/// As [`finish`].
unsafe fn write_edge(from: &[f32], width: usize, target: &Target<'_>, rows: &[*mut f32]) {
    for (row, from) in rows.iter().zip(from.chunks_exact(width)) {
        for (j, &value) in from.iter().enumerate().take(target.cols) {
            // SAFETY: the row and its column `j` exist.
            unsafe { *row.wrapping_add(j * target.step) = value };
        }
    }
}
