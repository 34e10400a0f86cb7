//! The loops that both methods share: over windows in forward, over input pixels in backward.
//!
//! They are inlined into each method's kernel. Callers pass closures marked `#[inline(always)]`, or
//! these would be compiled without the SIMD level's instructions.

use std::ops::Range;

use crate::{
    cpu::Cpu,
    elementwise::ReluMask,
    pooling::{PoolingShape, strips::PixelMask},
};

/// Floats that a task writes, about.
const TASK: usize = 1 << 12;

/// Rows of `row` floats that a task takes.
pub(super) fn rows_per_task(row: usize) -> usize {
    (TASK / row).max(1)
}

/// One window of the output.
pub(super) struct PoolingWindow {
    /// Its rows and columns inside the image.
    pub(super) rows: Range<usize>,
    pub(super) cols: Range<usize>,
    /// Its row and column in the output.
    pub(super) output: [usize; 2],
}

/// Calls `visit(image, window)` for the windows of `count` rows of outputs from `first` on, in
/// memory order; rows are counted over all images. `image` is what `view` returns for the pixels of
/// the image.
#[inline(always)]
pub(super) fn each_window<I: Copy>(
    shape: &PoolingShape,
    (first, count): (usize, usize),
    view: impl Fn(Range<usize>) -> I,
    mut visit: impl FnMut(I, PoolingWindow),
) {
    let ([oh, ow], pixels) = (shape.out(), shape.h * shape.w);
    for r in first..first + count {
        let (n, oi) = (r / oh, r % oh);
        let (image, rows) = (view(n * pixels..(n + 1) * pixels), shape.window(0, oi));
        for oj in 0..ow {
            let (rows, cols) = (rows.clone(), shape.window(1, oj));
            visit(image, PoolingWindow { rows, cols, output: [oi, oj] });
        }
    }
}

/// One pixel of the input, and the windows that contain it.
pub(super) struct PooledPixel {
    /// Rows and columns of the windows in the output.
    pub(super) rows: Range<usize>,
    pub(super) cols: Range<usize>,
    /// Its index in its image.
    pub(super) pixel: usize,
    /// Its index in the task.
    pub(super) index: usize,
}

/// Calls `visit(image, pixel, gradients)` for each pixel of `dx`, which are rows of inputs from
/// `first` on. `image` is what `view` returns for the outputs of the image.
///
/// `c` is `shape.c`, as a local variable of the caller: the compiler then sees that views, strips
/// and gradients have the same number of channels, and removes the checks of every access.
#[inline(always)]
pub(super) fn each_pixel<I: Copy>(
    (shape, c): (&PoolingShape, usize),
    first: usize,
    dx: &mut [f32],
    view: impl Fn(Range<usize>) -> I,
    mut visit: impl FnMut(I, PooledPixel, &mut [f32]),
) {
    let ([oh, ow], w) = (shape.out(), shape.w);
    for (r, dx) in dx.chunks_exact_mut(w * c).enumerate() {
        let (n, i) = ((first + r) / shape.h, (first + r) % shape.h);
        let (image, rows) = (view(n * oh * ow..(n + 1) * oh * ow), shape.windows_over(0, i));
        for (j, (dx, cols)) in dx.chunks_exact_mut(c).zip(shape.windows_along(1)).enumerate() {
            let (rows, pixel, index) = (rows.clone(), i * w + j, r * w + j);
            visit(image, PooledPixel { rows, cols, pixel, index }, dx);
        }
    }
}

/// Divides backward into tasks: calls `task(first row, mask, rows of dx)`.
pub(super) fn backward_tasks(
    cpu: &Cpu,
    shape: &PoolingShape,
    relu: Option<ReluMask<'_>>,
    dx: &mut [f32],
    task: impl Fn(usize, PixelMask<'_>, &mut [f32]) + Sync,
) {
    assert!(relu.is_none_or(|relu| relu.y.len() == dx.len()), "the ReLU's output of {shape:?}");
    if dx.is_empty() {
        return;
    }
    let row = shape.w * shape.c;
    let rows = rows_per_task(row);
    cpu.run_blocks(dx, rows * row, |index, dx| {
        let mask = PixelMask::new(relu, shape.c, index * rows * shape.w, dx.len());
        task(index * rows, mask, dx);
    });
}
