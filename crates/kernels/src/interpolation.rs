//! Bilinear interpolation of channels-last images to another size, corners on corners.
//!
//! Output `i` of an axis looks at input `i · (size - 1) / (out - 1)`, between two neighbours. Input
//! may be cropped first: pixels outside the crop are not read, and their gradient is zero.
//!
//! Vectors run along channels. Backward gathers: each row of the input adds the gradients of the
//! output rows that read it, in their order, so that rows can be computed by different threads.

use std::ops::Range;

use crate::cpu::Cpu;

/// Two neighbouring inputs and the weight of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct AxisTap {
    low: usize,
    high: usize,
    weight: f32,
}

/// Where the outputs of one axis look. Computed where it is needed: a table of a large image would
/// cost memory, and a position costs less than its channels do.
#[derive(Debug, Clone, PartialEq)]
struct AxisTaps {
    /// Size of the input, the cropped pixels included.
    size: usize,
    crop: Range<usize>,
    out: usize,
    /// Inputs per output.
    scale: f32,
}

impl AxisTaps {
    fn new(size: usize, crop: &Range<usize>, out: usize) -> Self {
        assert!(crop.start < crop.end && crop.end <= size && out > 0, "{crop:?} of {size}");
        let scale = if out > 1 { (crop.len() - 1) as f32 / (out - 1) as f32 } else { 0.0 };
        Self { size, crop: crop.clone(), out, scale }
    }

    /// Where output `at` looks.
    #[inline(always)]
    fn tap(&self, at: usize) -> AxisTap {
        let (place, last) = (self.scale * at as f32, self.crop.len() - 1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clipped")]
        let low = (place as usize).min(last);
        let [low, high] = [low, last.min(low + 1)];
        let weight = place - low as f32;
        AxisTap { low: self.crop.start + low, high: self.crop.start + high, weight }
    }

    /// The outputs that look at input `at`: taps ascend.
    fn reading(&self, at: usize) -> Range<usize> {
        let first = self.first(|tap| tap.high >= at);
        first..self.first(|tap| tap.low > at).max(first)
    }

    /// The first output whose tap passes, by bisection.
    fn first(&self, passes: impl Fn(AxisTap) -> bool) -> usize {
        let (mut low, mut high) = (0, self.out);
        while low < high {
            let middle = usize::midpoint(low, high);
            if passes(self.tap(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

/// An interpolation of `n` images of `c` channels.
#[derive(Debug, Clone, PartialEq)]
pub struct Interpolation {
    n: usize,
    c: usize,
    rows: AxisTaps,
    cols: AxisTaps,
}

impl Interpolation {
    /// From the `crop` (rows, columns) of images of size `from` (height, width) to size `to`.
    ///
    /// # Panics
    ///
    /// If the crop is empty or not inside the image, or `to` has a side of 0.
    #[must_use]
    pub fn new(
        (n, c): (usize, usize),
        from: [usize; 2],
        crop: &[Range<usize>; 2],
        to: [usize; 2],
    ) -> Self {
        let [rows, cols] = [0, 1].map(|axis| AxisTaps::new(from[axis], &crop[axis], to[axis]));
        Self { n, c, rows, cols }
    }

    /// Output height and width.
    #[must_use]
    pub fn out(&self) -> [usize; 2] {
        [self.rows.out, self.cols.out]
    }

    fn check(&self, x: usize, y: usize) {
        let ([oh, ow], images) = (self.out(), self.n * self.c);
        assert_eq!(x, images * self.rows.size * self.cols.size, "x of {self:?}");
        assert_eq!(y, images * oh * ow, "y of {self:?}");
    }
}

/// Interpolates.
///
/// * `x`: (n, height, width, c)
/// * `y`: (n, out height, out width, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(cpu: &Cpu, shape: &Interpolation, x: &[f32], y: &mut [f32]) {
    shape.check(x.len(), y.len());
    if y.is_empty() {
        return;
    }
    let ([oh, ow], c) = (shape.out(), shape.c);
    let row_len = shape.cols.size * c;
    cpu.run_blocks(y, ow * c, |row, y| {
        let image = &x[row / oh * shape.rows.size * row_len..][..shape.rows.size * row_len];
        let tap = shape.rows.tap(row % oh);
        let [above, below] = [tap.low, tap.high].map(|at| &image[at * row_len..][..row_len]);
        vectorize!(cpu, mix_rows(&shape.cols, [above, below], tap.weight, y));
    });
}

/// One row of outputs from two rows of inputs.
#[inline(always)]
fn mix_rows(taps: &AxisTaps, [above, below]: [&[f32]; 2], down: f32, y: &mut [f32]) {
    let c = y.len() / taps.out;
    for (at, y) in y.chunks_exact_mut(c).enumerate() {
        let tap = taps.tap(at);
        let (left, right) = (tap.low * c, tap.high * c);
        let [a, b] = [left, right].map(|at| &above[at..][..c]);
        let [d, e] = [left, right].map(|at| &below[at..][..c]);
        let (stay, across) = (1.0 - tap.weight, tap.weight);
        for i in 0..c {
            y[i] =
                (1.0 - down) * (stay * a[i] + across * b[i]) + down * (stay * d[i] + across * e[i]);
        }
    }
}

/// Gradient.
///
/// * `dy`: (n, out height, out width, c)
/// * `dx`: (n, height, width, c), overwritten
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(cpu: &Cpu, shape: &Interpolation, dy: &[f32], dx: &mut [f32]) {
    shape.check(dx.len(), dy.len());
    if dx.is_empty() {
        return;
    }
    let ([oh, ow], c, h) = (shape.out(), shape.c, shape.rows.size);
    cpu.run_blocks(dx, shape.cols.size * c, |row, dx| {
        let (image, at) = (row / h, row % h);
        dx.fill(0.0);
        for i in shape.rows.reading(at) {
            let tap = shape.rows.tap(i);
            // At the border both neighbours are this row.
            let upper = if tap.low == at { 1.0 - tap.weight } else { 0.0 };
            let lower = if tap.high == at { tap.weight } else { 0.0 };
            let dy = &dy[(image * oh + i) * ow * c..][..ow * c];
            vectorize!(cpu, spread_row(&shape.cols, upper + lower, dy, dx));
        }
    });
}

/// Adds `weight` times one row of output gradients to a row of input gradients.
#[inline(always)]
fn spread_row(taps: &AxisTaps, weight: f32, dy: &[f32], dx: &mut [f32]) {
    let c = dy.len() / taps.out;
    for (at, dy) in dy.chunks_exact(c).enumerate() {
        let tap = taps.tap(at);
        for (at, share) in [(tap.low, 1.0 - tap.weight), (tap.high, tap.weight)] {
            let weight = weight * share;
            for (dx, dy) in dx[at * c..][..c].iter_mut().zip(dy) {
                *dx += weight * dy;
            }
        }
    }
}

#[cfg(test)]
mod tests;
