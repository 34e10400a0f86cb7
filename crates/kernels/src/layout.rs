//! Conversion between row-major (n, c, h, w) and channels-last (n, h, w, c) images.
//!
//! Each image is a matrix transpose, in square blocks so that both sides are accessed by whole
//! cache lines.

use crate::cpu::{Cpu, DisjointMut};

/// Side of a square.
const SQUARE: usize = 16;

/// Row-major to channels-last.
///
/// * `x`: (n, c, pixels)
/// * `y`: (n, pixels, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn to_channels_last(cpu: &Cpu, n: usize, c: usize, pixels: usize, x: &[f32], y: &mut [f32]) {
    transpose(cpu, n, [c, pixels], x, y);
}

/// Channels-last to row-major.
///
/// * `x`: (n, pixels, c)
/// * `y`: (n, c, pixels)
///
/// # Panics
///
/// If an operand does not fit.
pub fn to_row_major(cpu: &Cpu, n: usize, c: usize, pixels: usize, x: &[f32], y: &mut [f32]) {
    transpose(cpu, n, [pixels, c], x, y);
}

/// (n, rows, cols) to (n, cols, rows).
fn transpose(cpu: &Cpu, n: usize, [rows, cols]: [usize; 2], x: &[f32], y: &mut [f32]) {
    assert_eq!([x.len(), y.len()], [n * rows * cols; 2], "({n}, {rows}, {cols}) values");
    if y.is_empty() {
        return;
    }
    // A task computes at least `SQUARE` rows of the result, about 16 Ki values.
    let lines = (crate::cpu::TASK_FLOATS / rows).max(1).next_multiple_of(SQUARE);
    let per_image = cols.div_ceil(lines);
    let rows_of_y = DisjointMut::new(y, 1);
    cpu.run(n * per_image, |task| {
        let (image, first) = (task / per_image, task % per_image * lines);
        let lines = lines.min(cols - first);
        let x = &x[image * rows * cols..][..rows * cols];
        // SAFETY: tasks write different rows of the result.
        let y = unsafe { rows_of_y.range((image * cols + first) * rows, lines * rows) };
        match rows {
            3 => vectorize!(cpu, interleave::<3>(cols, first, x, y)),
            _ => vectorize!(cpu, transpose_rows(rows, cols, first, x, y)),
        }
    });
}

/// As [`transpose_rows`] for the few channels of photographs, where square blocks would be mostly
/// empty.
#[inline(always)]
fn interleave<const C: usize>(cols: usize, first: usize, x: &[f32], y: &mut [f32]) {
    let (pixels, _) = y.as_chunks_mut::<C>();
    let planes: [&[f32]; C] =
        std::array::from_fn(|channel| &x[channel * cols + first..][..pixels.len()]);
    for (i, pixel) in pixels.iter_mut().enumerate() {
        for channel in 0..C {
            pixel[channel] = planes[channel][i];
        }
    }
}

/// Columns `first..` of `x` as rows of `y`.
#[inline(always)]
fn transpose_rows(rows: usize, cols: usize, first: usize, x: &[f32], y: &mut [f32]) {
    for (square, y) in y.chunks_mut(SQUARE * rows).enumerate() {
        let lines = y.len() / rows;
        let first = first + square * SQUARE;
        for row in (0..rows).step_by(SQUARE) {
            let height = SQUARE.min(rows - row);
            for j in 0..lines {
                let y = &mut y[j * rows + row..][..height];
                let x = &x[row * cols + first + j..];
                for (i, y) in y.iter_mut().enumerate() {
                    *y = x[i * cols];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
