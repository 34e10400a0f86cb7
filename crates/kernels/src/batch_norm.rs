//! Batch normalisation over rows of channels, with Caffe's formulas (Ioffe and Szegedy 2015).
//!
//! `y = (x − mean) / std`, then optionally Caffe's Scale layer (`gamma · y + beta`) and a ReLU in the
//! same pass. Statistics take one pass: sums of `x − s` and its square, with `s` the first row, so
//! that a large mean costs no precision. Cost: forward reads `x` twice and writes `y`; backward reads
//! `x` and `dy` twice and writes `dx`. Nothing but `x` is kept between them.

mod backward;

pub use backward::{AffineGradients, backward, backward_sums};

use crate::{
    columns::{self, round},
    cpu::{CHUNK, Cpu},
    relu::relu,
    view::Unary,
};

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
    assert_eq!([mean.len(), variance.len()], [c; 2], "one mean and variance a channel");
    let shift = &x[..c];
    let add = |r: usize, sums: &mut [f32]| {
        let (first, second) = sums.split_at_mut(c);
        let x = &x[r * c..][..c];
        for (((first, second), &x), &shift) in first.iter_mut().zip(second).zip(x).zip(shift) {
            let d = x - shift;
            *first += d;
            *second += d * d;
        }
    };
    columns::fold(cpu, rows, [c, 2], add, |sums| {
        for channel in 0..c {
            let first = sums[channel] / rows as f64;
            let second = sums[c + channel] / rows as f64;
            mean[channel] = round(f64::from(shift[channel]) + first);
            variance[channel] = round((second - first * first).max(0.0));
        }
    });
}

/// `inv_std = 1 / sqrt(variance + eps)`.
pub fn inverse_std(eps: f32, variance: &[f32], inv_std: &mut [f32]) {
    for (inv_std, variance) in inv_std.iter_mut().zip(variance) {
        *inv_std = 1.0 / (variance + eps).sqrt();
    }
}

/// What [`normalize`] applies; slices are (c).
#[derive(Debug, Clone, Copy)]
pub struct Normalize<'a> {
    /// Mean of each channel.
    pub mean: &'a [f32],
    /// From [`inverse_std`].
    pub inv_std: &'a [f32],
    /// `gamma` and `beta` of a Scale layer that follows.
    pub affine: Option<[&'a [f32]; 2]>,
    /// Slope of a ReLU that follows.
    pub relu: Option<f32>,
}

impl Normalize<'_> {
    fn check(&self, c: usize, values: usize) {
        assert!(c > 0 && values.is_multiple_of(c), "values are (rows, c)");
        let one_each = |of: &[f32]| assert_eq!(of.len(), c, "one constant a channel");
        [self.mean, self.inv_std]
            .into_iter()
            .chain(self.affine.into_iter().flatten())
            .for_each(one_each);
    }
}

/// `y = (x − mean) · inv_std`, then scale and ReLU if given; in place or apart.
///
/// * `values`: (rows, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn normalize(cpu: &Cpu, c: usize, with: &Normalize<'_>, values: Unary<'_>) {
    with.check(c, values.count());
    let piece = CHUNK.div_ceil(c) * c;
    match values {
        Unary::InPlace(y) => cpu.run_chunks(y, piece, |_, y| {
            cpu.vectorize(|| {
                for y in y.chunks_exact_mut(c) {
                    for ((y, mean), inv_std) in y.iter_mut().zip(with.mean).zip(with.inv_std) {
                        *y = (*y - mean) * inv_std;
                    }
                    finish_row(with, y);
                }
            });
        }),
        Unary::Apart { x, y } => cpu.run_chunks(y, piece, |index, y| {
            let x = &x[index * piece..][..y.len()];
            cpu.vectorize(|| {
                for (x, y) in x.chunks_exact(c).zip(y.chunks_exact_mut(c)) {
                    let channels = with.mean.iter().zip(with.inv_std);
                    for ((y, x), (mean, inv_std)) in y.iter_mut().zip(x).zip(channels) {
                        *y = (x - mean) * inv_std;
                    }
                    finish_row(with, y);
                }
            });
        }),
    }
}

/// Scale and ReLU of one normalised row, still in L1.
#[inline(always)]
fn finish_row(with: &Normalize<'_>, y: &mut [f32]) {
    match (with.affine, with.relu) {
        (None, None) => {}
        (None, Some(slope)) => y.iter_mut().for_each(|y| *y = relu(*y, slope)),
        (Some([gamma, beta]), None) => {
            for ((y, gamma), beta) in y.iter_mut().zip(gamma).zip(beta) {
                *y = *y * gamma + beta;
            }
        }
        (Some([gamma, beta]), Some(slope)) => {
            for ((y, gamma), beta) in y.iter_mut().zip(gamma).zip(beta) {
                *y = relu(*y * gamma + beta, slope);
            }
        }
    }
}

#[cfg(test)]
mod tests;
