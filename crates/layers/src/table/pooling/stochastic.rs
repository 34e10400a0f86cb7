//! STOCHASTIC pooling (Zeiler and Fergus 2013) of channels-last images, without padding.
//!
//! In training an output is one value of its window, drawn with probability proportional to the
//! value; in testing it is the expectation, `Σ x² / Σ x`. Caffe implements it on GPUs only, with
//! another random generator; here numbers are drawn in the order of Caffe's outputs. Rarely used,
//! so these are plain loops.

use std::ops::Range;

use base::random::Mt19937;
use kernels::pooling::PoolingShape;

/// Draws a value for each output, and records its pixel.
pub(super) fn draw(
    pool: &PoolingShape,
    rng: &mut Mt19937,
    x: &[f32],
    y: &mut [f32],
    mask: &mut [u32],
) {
    each_window(pool, |window| {
        let sum: f32 = window.indices().map(|at| x[at]).sum();
        let threshold = rng.uniform(0.0, 1.0) * sum;
        let mut below = 0.0;
        let mut drawn = None;
        for at in window.indices() {
            below += x[at];
            drawn = Some(at);
            if below >= threshold {
                break;
            }
        }
        y[window.output] = drawn.map_or(0.0, |at| x[at]);
        let pixel = drawn.map(|at| (at - window.image) / pool.c);
        mask[window.output] = pixel.and_then(|p| u32::try_from(p).ok()).unwrap_or(u32::MAX);
    });
}

/// The expectation of each output; 0 where the sum is not positive.
pub(super) fn expect(pool: &PoolingShape, x: &[f32], y: &mut [f32]) {
    each_window(pool, |window| {
        let (sum, squares) = sums(&window, x);
        y[window.output] = if sum > 0.0 { squares / sum } else { 0.0 };
    });
}

/// Gradient of [`expect`]: `dx = dy * (2 x - y) / Σ x`.
pub(super) fn expect_backward(pool: &PoolingShape, x: &[f32], dy: &[f32], dx: &mut [f32]) {
    dx.fill(0.0);
    each_window(pool, |window| {
        let (sum, squares) = sums(&window, x);
        if sum > 0.0 {
            for at in window.indices() {
                dx[at] += dy[window.output] * (2.0 * x[at] - squares / sum) / sum;
            }
        }
    });
}

fn sums(window: &SampledWindow, x: &[f32]) -> (f32, f32) {
    let values = || window.indices().map(|at| x[at]);
    (values().sum(), values().map(|x| x * x).sum())
}

/// One output and its inputs.
struct SampledWindow {
    /// Index of the output.
    output: usize,
    /// Index of the image's first value.
    image: usize,
    rows: Range<usize>,
    cols: Range<usize>,
    channel: usize,
    /// Width and channels of the image.
    strides: [usize; 2],
}

impl SampledWindow {
    /// Indices of the inputs, row by row.
    fn indices(&self) -> impl Iterator<Item = usize> {
        let [width, channels] = self.strides;
        self.rows.clone().flat_map(move |i| {
            self.cols.clone().map(move |j| self.image + (i * width + j) * channels + self.channel)
        })
    }
}

/// Calls `visit` for each output in Caffe's order: image, channel, row, column.
fn each_window(pool: &PoolingShape, mut visit: impl FnMut(SampledWindow)) {
    let [out_h, out_w] = pool.out();
    let along = |index: usize, axis: usize, size: usize| {
        let start = index * pool.stride[axis];
        start.min(size)..(start + pool.kernel[axis]).min(size)
    };
    for image in 0..pool.n {
        for channel in 0..pool.c {
            for out in 0..out_h * out_w {
                visit(SampledWindow {
                    output: (image * out_h * out_w + out) * pool.c + channel,
                    image: image * pool.h * pool.w * pool.c,
                    rows: along(out / out_w, 0, pool.h),
                    cols: along(out % out_w, 1, pool.w),
                    channel,
                    strides: [pool.w, pool.c],
                });
            }
        }
    }
}
