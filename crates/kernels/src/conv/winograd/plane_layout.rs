//! Memory layout of N² matrices.
//!
//! A transform accesses the same element of all N² matrices together. If they began a power of two
//! apart, these elements would map to the same cache sets, so rows and matrices are an odd number
//! of cache lines long.

/// Matrices of equal size.
#[derive(Clone, Copy)]
pub(super) struct PlaneLayout {
    /// Floats from a row to the next.
    pub(super) row: usize,
    /// Floats from a matrix to the next.
    pub(super) plane: usize,
}

impl PlaneLayout {
    /// Matrices of `rows` rows of up to `cols` values.
    pub(super) fn new(rows: usize, cols: usize) -> Self {
        let row = odd_lines(cols);
        Self { row, plane: odd_lines(rows * row) }
    }

    /// As [`new`](Self::new), with rows that follow each other without gaps.
    pub(super) fn dense(rows: usize, cols: usize) -> Self {
        Self { row: cols, plane: odd_lines(rows * cols) }
    }
}

/// The smallest odd number of cache lines that holds this many floats, in floats.
fn odd_lines(floats: usize) -> usize {
    let lines = floats.div_ceil(16);
    (lines | 1) * 16
}
