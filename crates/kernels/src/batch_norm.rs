//! Batch normalisation over rows of channels, with Caffe's formulas (Ioffe and Szegedy 2015).
//!
//! `y = (x − mean) / std`, then optionally Caffe's Scale layer (`gamma · y + beta`) and a ReLU in
//! the same pass. Statistics take one pass: sums of `x − s` and its square, with `s` the mean of a
//! few rows, so that a large mean costs no precision. Cost: forward reads `x` twice and writes `y`;
//! backward reads `x` and `dy` twice and writes `dx`. Nothing but `x` is kept between them.

mod backward;

pub use backward::{AffineGradients, backward, backward_sums};

use std::ops::Range;

use smallvec::SmallVec;

use crate::{
    column_sums::{self, round},
    cpu::{Cpu, TASK_FLOATS},
    relu::relu,
    view::Unary,
};

/// Lower bound of the values of a row in elementwise loops: the overhead of a row equals 40 values.
const WIDE: usize = 512;

/// Upper bound of the rows whose mean is subtracted before squares are summed.
const SHIFT_ROWS: usize = 16;

/// Mean and variance of each channel over all rows (dividing by their number).
///
/// * `x`: (rows, c)
/// * `mean`, `variance`: (c)
///
/// # Panics
///
/// If an operand does not fit, or there are no rows.
pub fn statistics(
    cpu: &Cpu,
    rows: usize,
    c: usize,
    x: &[f32],
    mean: &mut [f32],
    variance: &mut [f32],
) {
    assert!(rows > 0, "statistics of nothing");
    assert_eq!(x.len(), rows * c, "x is (rows, c)");
    assert_eq!([mean.len(), variance.len()], [c; 2], "one mean and variance per channel");
    let shift = &*rough_mean(rows, c, x);
    column_sums::fold_strips(
        cpu,
        rows,
        [c, 2],
        #[inline(always)]
        |rows, at, sums| {
            let (first, second) = sums.split_at_mut(at.len());
            let shift = &shift[at.clone()];
            for r in rows {
                let x = &x[r * c..][at.clone()];
                let sums = first.iter_mut().zip(&mut *second);
                for (((first, second), &x), &shift) in sums.zip(x).zip(shift) {
                    let d = x - shift;
                    *first += d;
                    *second += d * d;
                }
            }
        },
        |sums| {
            for channel in 0..c {
                let first = sums[channel] / rows as f64;
                let second = sums[c + channel] / rows as f64;
                mean[channel] = round(f64::from(shift[channel]) + first);
                variance[channel] = round((second - first * first).max(0.0));
            }
        },
    );
}

/// The mean of each channel over a few rows at equal distances. One row would not do: an image's
/// corner, where padding reaches in, may be many deviations from the mean, and the variance is then
/// a small difference of large numbers.
fn rough_mean(rows: usize, c: usize, x: &[f32]) -> SmallVec<[f32; 2048]> {
    let samples = rows.min(SHIFT_ROWS);
    let weight = 1.0 / samples as f32;
    let mut mean = SmallVec::from_elem(0.0, c);
    for sample in 0..samples {
        let row = (2 * sample + 1) * rows / (2 * samples);
        for (mean, x) in mean.iter_mut().zip(&x[row * c..][..c]) {
            *mean += weight * x;
        }
    }
    mean
}

/// `inv_std = 1 / sqrt(variance + eps)`.
pub fn inverse_std(eps: f32, variance: &[f32], inv_std: &mut [f32]) {
    for (inv_std, variance) in inv_std.iter_mut().zip(variance) {
        *inv_std = 1.0 / (variance + eps).sqrt();
    }
}

/// The constants that [`normalize`] applies; slices are (c).
#[derive(Debug, Clone, Copy)]
pub struct NormalizeTerms<'a> {
    /// Mean of each channel.
    pub mean: &'a [f32],
    /// From [`inverse_std`].
    pub inv_std: &'a [f32],
    /// `gamma` and `beta` of a Scale layer that follows.
    pub affine: Option<[&'a [f32]; 2]>,
    /// Slope of a ReLU that follows.
    pub relu: Option<f32>,
}

impl NormalizeTerms<'_> {
    fn check(&self, c: usize, values: usize) {
        assert!(c > 0 && values.is_multiple_of(c), "values are (rows, c)");
        let one_each = |of: &[f32]| assert_eq!(of.len(), c, "one constant per channel");
        [self.mean, self.inv_std]
            .into_iter()
            .chain(self.affine.into_iter().flatten())
            .for_each(one_each);
    }

    /// Calls `body` with rows of at least [`WIDE`] values: several short rows are processed as one,
    /// with the constants repeated.
    ///
    /// * `more`: further constants, (c) each
    fn widened<const N: usize>(
        &self,
        cpu: &Cpu,
        c: usize,
        more: [&[f32]; N],
        body: impl FnOnce(usize, &NormalizeTerms<'_>, [&[f32]; N]),
    ) {
        if c >= WIDE {
            return body(c, self, more);
        }
        let wide = WIDE.div_ceil(c) * c;
        // One cache line between them: else the constants of a channel would map to the same cache
        // set of L1.
        let stride = wide + 16;
        cpu.with_shared((4 + N) * stride, |scratch| {
            let mut free = scratch.chunks_exact_mut(stride);
            let mut repeated = |constants: &[f32]| -> &[f32] {
                let to = &mut free.next().expect("scratch for all constants")[..wide];
                to.chunks_exact_mut(c).for_each(|to| to.copy_from_slice(constants));
                to
            };
            let with = NormalizeTerms {
                mean: repeated(self.mean),
                inv_std: repeated(self.inv_std),
                affine: self.affine.map(|affine| affine.map(&mut repeated)),
                relu: self.relu,
            };
            body(wide, &with, more.map(repeated));
        });
    }

    /// The constants of channels `at`.
    #[inline(always)]
    fn channels(&self, at: Range<usize>) -> NormalizeTerms<'_> {
        NormalizeTerms {
            mean: &self.mean[at.clone()],
            inv_std: &self.inv_std[at.clone()],
            affine: self.affine.map(|affine| affine.map(|constants| &constants[at.clone()])),
            relu: self.relu,
        }
    }

    /// Slope of the ReLU; 1 without one, which changes no bit.
    #[inline(always)]
    fn slope(&self) -> f32 {
        self.relu.unwrap_or(1.0)
    }
}

/// `y = (x − mean) · inv_std`, then scale and ReLU if given; in place or out of place.
///
/// * `values`: (rows, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn normalize(cpu: &Cpu, c: usize, with: &NormalizeTerms<'_>, values: Unary<'_>) {
    with.check(c, values.count());
    with.widened(cpu, c, [], |c, with, []| {
        let block = TASK_FLOATS.div_ceil(c) * c;
        match values {
            Unary::InPlace(y) => cpu.run_blocks(y, block, |_, y| {
                vectorize!(cpu, {
                    for y in y.chunks_mut(c) {
                        row_in_place(with, y);
                    }
                });
            }),
            Unary::OutOfPlace { x, y } => cpu.run_blocks(y, block, |index, y| {
                let x = &x[index * block..][..y.len()];
                vectorize!(cpu, {
                    for (x, y) in x.chunks(c).zip(y.chunks_mut(c)) {
                        row(with, x, y);
                    }
                });
            }),
        }
    });
}

/// One row, out of place.
#[inline(always)]
fn row(with: &NormalizeTerms<'_>, x: &[f32], y: &mut [f32]) {
    let (slope, values) = (with.slope(), y.iter_mut().zip(x).zip(with.mean).zip(with.inv_std));
    match with.affine {
        None => {
            for (((y, &x), mean), inv_std) in values {
                *y = relu((x - mean) * inv_std, slope);
            }
        }
        Some([gamma, beta]) => {
            for (((((y, &x), mean), inv_std), gamma), beta) in values.zip(gamma).zip(beta) {
                *y = relu((x - mean) * inv_std * gamma + beta, slope);
            }
        }
    }
}

/// One row, in place.
#[inline(always)]
fn row_in_place(with: &NormalizeTerms<'_>, y: &mut [f32]) {
    let (slope, values) = (with.slope(), y.iter_mut().zip(with.mean).zip(with.inv_std));
    match with.affine {
        None => {
            for ((y, mean), inv_std) in values {
                *y = relu((*y - mean) * inv_std, slope);
            }
        }
        Some([gamma, beta]) => {
            for ((((y, mean), inv_std), gamma), beta) in values.zip(gamma).zip(beta) {
                *y = relu((*y - mean) * inv_std * gamma + beta, slope);
            }
        }
    }
}

#[cfg(test)]
mod tests;
