//! Gradient of batch normalisation, and of the Scale and ReLU that follow it, in two passes.
//!
//! With `n` the normalised values and `d = dy`, masked by the ReLU and times `gamma`:
//! `dx = (d − mean(d) − mean(d · n) · n) / std`. The first pass ([`backward_sums`]) computes the
//! means and the gradients of gamma and beta, the second ([`backward`]) `dx`. Both recompute `n`,
//! and the sign of the ReLU's input, from `x`: cheaper than reading them, and the same bits.

use crate::{
    batch_norm::NormalizeTerms,
    column_sums::{self, put, round},
    cpu::{Cpu, TASK_FLOATS},
    relu::masked,
    view::{Unary, Write},
};

/// Destinations of the gradients of gamma and beta, each (c); `None` if one is not needed.
pub type AffineGradients<'a> = [Option<(Write, &'a mut [f32])>; 2];

/// `mean(d)` and `mean(d · n)` of each channel, and the gradients of gamma and beta.
///
/// * `x`, `dy`: (rows, c)
/// * `means`: (2, c)
///
/// # Panics
///
/// If an operand does not fit, or there are no rows.
pub fn backward_sums(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    (x, dy): (&[f32], &[f32]),
    means: &mut [f32],
    gradients: AffineGradients<'_>,
) {
    with.check(c, x.len());
    assert_eq!(
        [dy.len(), means.len()],
        [x.len(), 2 * c],
        "one gradient per value, two means per channel"
    );
    let rows = x.len() / c;
    assert!(rows > 0, "means of nothing");
    let take = |sums: &[f64]| {
        for (mean, sum) in means.iter_mut().zip(sums) {
            *mean = round(sum / rows as f64);
        }
        // Sums of kinds 2 and 3 are those of gamma and beta.
        for (gradient, sums) in gradients.into_iter().zip(sums[2 * c..].chunks_exact(c)) {
            if let Some((write, values)) = gradient {
                values.iter_mut().zip(sums).for_each(|(value, &sum)| put(write, sum, value));
            }
        }
    };
    match with.affine {
        None => column_sums::fold_strips(
            cpu,
            rows,
            [c, 2],
            #[inline(always)]
            |rows, at, sums| {
                let (plain, weighted) = sums.split_at_mut(at.len());
                let with = with.channels(at.clone());
                for r in rows {
                    let values = [&x[r * c..][at.clone()], &dy[r * c..][at.clone()]];
                    add(&with, values, plain, weighted);
                }
            },
            take,
        ),
        Some(affine) => column_sums::fold_strips(
            cpu,
            rows,
            [c, 4],
            #[inline(always)]
            |rows, at, sums| {
                let with = with.channels(at.clone());
                let affine = [&affine[0][at.clone()], &affine[1][at.clone()]];
                let (through, gradients) = sums.split_at_mut(2 * at.len());
                let (plain, weighted) = through.split_at_mut(at.len());
                let (dgamma, dbeta) = gradients.split_at_mut(at.len());
                for r in rows {
                    let values = [&x[r * c..][at.clone()], &dy[r * c..][at.clone()]];
                    add_affine(&with, affine, values, plain, weighted, dgamma, dbeta);
                }
            },
            take,
        ),
    }
}

/// Adds one row's `d` and `d · n`.
#[inline(always)]
fn add(with: &NormalizeTerms<'_>, [x, dy]: [&[f32]; 2], plain: &mut [f32], weighted: &mut [f32]) {
    let slope = with.slope();
    let channels = with.mean.iter().zip(with.inv_std).zip(plain.iter_mut().zip(weighted));
    for ((&x, &dy), ((mean, inv_std), (plain, weighted))) in x.iter().zip(dy).zip(channels) {
        let n = (x - mean) * inv_std;
        let d = masked(n, slope, dy);
        *plain += d;
        *weighted += d * n;
    }
}

/// As [`add`], and the terms of the gradients of gamma and beta. The sums are separate parameters:
/// only then does the compiler know that they do not overlap, and vectorises the loop.
#[inline(always)]
fn add_affine(
    with: &NormalizeTerms<'_>,
    [gamma, beta]: [&[f32]; 2],
    [x, dy]: [&[f32]; 2],
    plain: &mut [f32],
    weighted: &mut [f32],
    dgamma: &mut [f32],
    dbeta: &mut [f32],
) {
    let (slope, c) = (with.slope(), x.len());
    let [mean, inv_std, gamma, beta, dy] =
        [with.mean, with.inv_std, gamma, beta, dy].map(|v| &v[..c]);
    let (plain, weighted) = (&mut plain[..c], &mut weighted[..c]);
    let (dgamma, dbeta) = (&mut dgamma[..c], &mut dbeta[..c]);
    for i in 0..c {
        let n = (x[i] - mean[i]) * inv_std[i];
        let dy = masked(n * gamma[i] + beta[i], slope, dy[i]);
        let d = dy * gamma[i];
        plain[i] += d;
        weighted[i] += d * n;
        dgamma[i] += n * dy;
        dbeta[i] += dy;
    }
}

/// `dx = (d − mean(d) − mean(d · n) · n) / std`, in place or out of place.
///
/// * `means`: (2, c), from [`backward_sums`]
/// * `x`: (rows, c)
/// * `gradient`: `dy` to `dx`, (rows, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    means: &[f32],
    x: &[f32],
    gradient: Unary<'_>,
) {
    with.check(c, x.len());
    assert_eq!(gradient.count(), x.len(), "one gradient per value");
    assert_eq!(means.len(), 2 * c, "two means per channel");
    let (dy, dx) = match gradient {
        Unary::InPlace(d) => (None, d),
        Unary::OutOfPlace { x: dy, y: dx } => (Some(dy), dx),
    };
    let (plain, weighted) = means.split_at(c);
    with.widened(cpu, c, [plain, weighted], |c, with, means| {
        let block = TASK_FLOATS.div_ceil(c) * c;
        cpu.run_blocks(dx, block, |index, dx| {
            vectorize!(cpu, {
                for (r, dx) in dx.chunks_mut(c).enumerate() {
                    let (at, len) = (index * block + r * c, dx.len());
                    let (x, dy) = (&x[at..][..len], dy.map(|dy| &dy[at..][..len]));
                    match with.affine {
                        None => row(with, means, x, dy, dx),
                        Some(affine) => row_affine(with, affine, means, x, dy, dx),
                    }
                }
            });
        });
    });
}

/// One row; if `dy` is `None`, `dx` holds it.
#[inline(always)]
fn row(
    with: &NormalizeTerms<'_>,
    [plain, weighted]: [&[f32]; 2],
    x: &[f32],
    dy: Option<&[f32]>,
    dx: &mut [f32],
) {
    let (slope, c) = (with.slope(), x.len());
    let [mean, inv_std, plain, weighted] =
        [with.mean, with.inv_std, plain, weighted].map(|v| &v[..c]);
    let dx = &mut dx[..c];
    if let Some(dy) = dy {
        let dy = &dy[..c];
        for i in 0..c {
            let n = (x[i] - mean[i]) * inv_std[i];
            dx[i] = (masked(n, slope, dy[i]) - plain[i] - weighted[i] * n) * inv_std[i];
        }
    } else {
        for i in 0..c {
            let n = (x[i] - mean[i]) * inv_std[i];
            dx[i] = (masked(n, slope, dx[i]) - plain[i] - weighted[i] * n) * inv_std[i];
        }
    }
}

/// As [`row`], through a Scale layer.
#[inline(always)]
fn row_affine(
    with: &NormalizeTerms<'_>,
    [gamma, beta]: [&[f32]; 2],
    [plain, weighted]: [&[f32]; 2],
    x: &[f32],
    dy: Option<&[f32]>,
    dx: &mut [f32],
) {
    let (slope, c) = (with.slope(), x.len());
    let [mean, inv_std, gamma, beta, plain, weighted] =
        [with.mean, with.inv_std, gamma, beta, plain, weighted].map(|v| &v[..c]);
    let dx = &mut dx[..c];
    if let Some(dy) = dy {
        let dy = &dy[..c];
        for i in 0..c {
            let n = (x[i] - mean[i]) * inv_std[i];
            let d = masked(n * gamma[i] + beta[i], slope, dy[i]) * gamma[i];
            dx[i] = (d - plain[i] - weighted[i] * n) * inv_std[i];
        }
    } else {
        for i in 0..c {
            let n = (x[i] - mean[i]) * inv_std[i];
            let d = masked(n * gamma[i] + beta[i], slope, dx[i]) * gamma[i];
            dx[i] = (d - plain[i] - weighted[i] * n) * inv_std[i];
        }
    }
}
