//! Matrix products and sums over rows.

use crate::view::MatrixView;

/// `A·B`: (m, n) from (m, k) and (k, n).
#[must_use]
pub fn gemm(m: usize, n: usize, k: usize, a: MatrixView<'_>, b: MatrixView<'_>) -> Vec<f64> {
    let at = |mat: MatrixView<'_>, i: usize, j: usize| {
        f64::from(mat.data[i * mat.row_stride + j * mat.col_stride])
    };
    let cell = |i: usize, j: usize| (0..k).map(|r| at(a, i, r) * at(b, r, j)).sum();
    (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| cell(i, j)).collect()
}

/// Sums of the columns of (rows, cols).
#[must_use]
pub fn column_sums(cols: usize, x: &[f64]) -> Vec<f64> {
    (0..cols).map(|j| x.chunks_exact(cols).map(|row| row[j]).sum()).collect()
}

/// (rows, cols) to (cols, rows).
#[must_use]
pub fn transpose(rows: usize, cols: usize, x: &[f32]) -> Vec<f32> {
    (0..rows * cols).map(|i| x[i % rows * cols + i / rows]).collect()
}
