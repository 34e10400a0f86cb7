//! Batch normalisation over rows of channels, with Caffe's formulas (Ioffe and Szegedy 2015).
//!
//! `y = (x − mean) / std`, then optionally Caffe's Scale layer (`gamma · y + beta`) and a ReLU in the
//! same pass. Statistics take one pass: sums of `x − s` and its square, with `s` the first row, so
//! that a large mean costs no precision. Backward, with `y` the normalised values:
//! `dx = (dy − mean(dy) − mean(dy · y) · y) / std`, two passes.

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
    columns::fold(cpu, rows, 2 * c, add, |sums| {
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

/// `y = (x − mean) · inv_std`, then scale and ReLU if given; in place or apart.
///
/// * `values`: (rows, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn normalize(cpu: &Cpu, c: usize, with: &Normalize<'_>, values: Unary<'_>) {
    assert!(c > 0 && values.count().is_multiple_of(c), "values are (rows, c)");
    assert_eq!([with.mean.len(), with.inv_std.len()], [c; 2], "one mean and deviation a channel");
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
    if let Some([gamma, beta]) = with.affine {
        for ((y, gamma), beta) in y.iter_mut().zip(gamma).zip(beta) {
            *y = *y * gamma + beta;
        }
    }
    if let Some(slope) = with.relu {
        y.iter_mut().for_each(|y| *y = relu(*y, slope));
    }
}

/// Gradient through batch statistics, in place or apart.
///
/// * `y`: (rows, c), the normalised values (before any scale)
/// * `inv_std`: (c)
/// * `gradient`: `dy` to `dx`, (rows, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(cpu: &Cpu, c: usize, y: &[f32], inv_std: &[f32], gradient: Unary<'_>) {
    assert!(c > 0 && y.len().is_multiple_of(c), "y is (rows, c)");
    assert_eq!(gradient.count(), y.len(), "one gradient a value");
    assert_eq!(inv_std.len(), c, "one deviation a channel");
    let rows = y.len() / c;
    let add = |dy: &[f32], r: usize, sums: &mut [f32]| {
        let (plain, weighted) = sums.split_at_mut(c);
        let (y, dy) = (&y[r * c..][..c], &dy[r * c..][..c]);
        for (((plain, weighted), &y), &dy) in plain.iter_mut().zip(weighted).zip(y).zip(dy) {
            *plain += dy;
            *weighted += dy * y;
        }
    };
    let mut means = vec![0.0; 2 * c];
    let keep = |sums: &[f64]| {
        for (mean, sum) in means.iter_mut().zip(sums) {
            *mean = round(sum / rows as f64);
        }
    };
    let piece = CHUNK.div_ceil(c) * c;
    match gradient {
        Unary::InPlace(d) => {
            columns::fold(cpu, rows, 2 * c, |r, sums| add(d, r, sums), keep);
            cpu.run_chunks(d, piece, |index, d| {
                let y = &y[index * piece..][..d.len()];
                cpu.vectorize(|| {
                    for (d, y) in d.chunks_exact_mut(c).zip(y.chunks_exact(c)) {
                        backward_row(&means, inv_std, y, d);
                    }
                });
            });
        }
        Unary::Apart { x: dy, y: dx } => {
            columns::fold(cpu, rows, 2 * c, |r, sums| add(dy, r, sums), keep);
            cpu.run_chunks(dx, piece, |index, dx| {
                let (y, dy) = (&y[index * piece..][..dx.len()], &dy[index * piece..][..dx.len()]);
                cpu.vectorize(|| {
                    let rows = dx.chunks_exact_mut(c).zip(dy.chunks_exact(c));
                    for ((dx, dy), y) in rows.zip(y.chunks_exact(c)) {
                        dx.copy_from_slice(dy);
                        backward_row(&means, inv_std, y, dx);
                    }
                });
            });
        }
    }
}

/// `d = (d − mean(dy) − mean(dy · y) · y) · inv_std` for one row.
#[inline(always)]
fn backward_row(means: &[f32], inv_std: &[f32], y: &[f32], d: &mut [f32]) {
    let (plain, weighted) = means.split_at(inv_std.len());
    let channels = plain.iter().zip(weighted).zip(inv_std);
    for ((d, y), ((plain, weighted), inv_std)) in d.iter_mut().zip(y).zip(channels) {
        *d = (*d - plain - weighted * y) * inv_std;
    }
}

#[cfg(test)]
mod tests;
