//! Gradient of batch normalisation, and of the Scale and ReLU that follow it, in two passes.
//!
//! With `n` the normalised values and `d = dy`, masked by the ReLU and times `gamma`:
//! `dx = (d − mean(d) − mean(d · n) · n) / std`. The first pass ([`backward_sums`]) makes the means
//! and the gradients of gamma and beta, the second ([`backward`]) makes `dx`. Both compute `n`, and the
//! sign that the ReLU saw, again from `x`: cheaper than reading them, and the same bits.

use crate::{
    batch_norm::Normalize,
    columns::{self, put, round},
    cpu::{CHUNK, Cpu},
    relu::masked,
    view::{Unary, Write},
};

/// Where the gradients of gamma and beta go, each (c); `None` when nobody wants one.
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
    with: &Normalize<'_>,
    (x, dy): (&[f32], &[f32]),
    means: &mut [f32],
    gradients: AffineGradients<'_>,
) {
    with.check(c, x.len());
    assert_eq!(
        [dy.len(), means.len()],
        [x.len(), 2 * c],
        "one gradient a value, two means a channel"
    );
    let rows = x.len() / c;
    assert!(rows > 0, "means of nothing");
    let kinds = if with.affine.is_some() { 4 } else { 2 };
    let add = |r: usize, sums: &mut [f32]| {
        let (x, dy) = (&x[r * c..][..c], &dy[r * c..][..c]);
        let (through, affine) = sums.split_at_mut(2 * c);
        match (with.affine, with.relu) {
            (None, None) => add_plain(with, x, dy, through),
            (None, Some(slope)) => {
                add_masked(with, x, dy, |n, dy| masked(n, slope, dy), through);
            }
            (Some(scale), None) => add_affine(with, scale, x, dy, |_, dy| dy, through, affine),
            (Some(scale), Some(slope)) => {
                let mask = |v, dy| masked(v, slope, dy);
                add_affine(with, scale, x, dy, mask, through, affine);
            }
        }
    };
    columns::fold(cpu, rows, [c, kinds], add, |sums| {
        for (mean, sum) in means.iter_mut().zip(sums) {
            *mean = round(sum / rows as f64);
        }
        // Sums of kinds 2 and 3 are those of gamma and beta.
        for (gradient, sums) in gradients.into_iter().zip(sums[2 * c..].chunks_exact(c)) {
            if let Some((write, values)) = gradient {
                values.iter_mut().zip(sums).for_each(|(value, &sum)| put(write, sum, value));
            }
        }
    });
}

/// Adds one row's `dy` and `dy · n`.
#[inline(always)]
fn add_plain(with: &Normalize<'_>, x: &[f32], dy: &[f32], through: &mut [f32]) {
    add_masked(with, x, dy, |_, dy| dy, through);
}

/// Adds one row's `d` and `d · n`, with `d = mask(n, dy)`.
#[inline(always)]
fn add_masked(
    with: &Normalize<'_>,
    x: &[f32],
    dy: &[f32],
    mask: impl Fn(f32, f32) -> f32,
    through: &mut [f32],
) {
    let (plain, weighted) = through.split_at_mut(x.len());
    let channels = with.mean.iter().zip(with.inv_std).zip(plain.iter_mut().zip(weighted));
    for ((&x, &dy), ((mean, inv_std), (plain, weighted))) in x.iter().zip(dy).zip(channels) {
        let n = (x - mean) * inv_std;
        let d = mask(n, dy);
        *plain += d;
        *weighted += d * n;
    }
}

/// As [`add_masked`] for `d = mask(n · gamma + beta, dy) · gamma`, and the terms of the gradients of
/// gamma and beta.
#[inline(always)]
fn add_affine(
    with: &Normalize<'_>,
    [gamma, beta]: [&[f32]; 2],
    x: &[f32],
    dy: &[f32],
    mask: impl Fn(f32, f32) -> f32,
    through: &mut [f32],
    affine: &mut [f32],
) {
    let (plain, weighted) = through.split_at_mut(x.len());
    let (dgamma, dbeta) = affine.split_at_mut(x.len());
    let constants = with.mean.iter().zip(with.inv_std).zip(gamma.iter().zip(beta));
    let sums = plain.iter_mut().zip(weighted).zip(dgamma.iter_mut().zip(dbeta));
    for (((&x, &dy), ((mean, inv_std), (gamma, beta))), ((plain, weighted), (dgamma, dbeta))) in
        x.iter().zip(dy).zip(constants).zip(sums)
    {
        let n = (x - mean) * inv_std;
        let dy = mask(n * gamma + beta, dy);
        let d = dy * gamma;
        *plain += d;
        *weighted += d * n;
        *dgamma += n * dy;
        *dbeta += dy;
    }
}

/// `dx = (d − mean(d) − mean(d · n) · n) / std`, in place or apart.
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
    with: &Normalize<'_>,
    means: &[f32],
    x: &[f32],
    gradient: Unary<'_>,
) {
    with.check(c, x.len());
    assert_eq!(gradient.count(), x.len(), "one gradient a value");
    assert_eq!(means.len(), 2 * c, "two means a channel");
    let piece = CHUNK.div_ceil(c) * c;
    let rows = |index: usize, dy: Option<&[f32]>, d: &mut [f32]| {
        let at = index * piece;
        cpu.vectorize(|| {
            for (r, d) in d.chunks_exact_mut(c).enumerate() {
                if let Some(dy) = dy {
                    d.copy_from_slice(&dy[at + r * c..][..c]);
                }
                row(with, means, &x[at + r * c..][..c], d);
            }
        });
    };
    match gradient {
        Unary::InPlace(d) => cpu.run_chunks(d, piece, |index, d| rows(index, None, d)),
        Unary::Apart { x: dy, y: dx } => {
            cpu.run_chunks(dx, piece, |index, d| rows(index, Some(dy), d));
        }
    }
}

/// One row, from `dy` to `dx`.
#[inline(always)]
fn row(with: &Normalize<'_>, means: &[f32], x: &[f32], d: &mut [f32]) {
    match (with.affine, with.relu) {
        (None, None) => finish(with, means, x, d, |_, dy| dy),
        (None, Some(slope)) => finish(with, means, x, d, |n, dy| masked(n, slope, dy)),
        (Some(scale), None) => finish_affine(with, scale, means, x, d, |_, dy| dy),
        (Some(scale), Some(slope)) => {
            finish_affine(with, scale, means, x, d, |v, dy| masked(v, slope, dy));
        }
    }
}

#[inline(always)]
fn finish(
    with: &Normalize<'_>,
    means: &[f32],
    x: &[f32],
    d: &mut [f32],
    mask: impl Fn(f32, f32) -> f32,
) {
    let (plain, weighted) = means.split_at(x.len());
    let channels = with.mean.iter().zip(with.inv_std).zip(plain.iter().zip(weighted));
    for ((d, x), ((mean, inv_std), (plain, weighted))) in d.iter_mut().zip(x).zip(channels) {
        let n = (x - mean) * inv_std;
        *d = (mask(n, *d) - plain - weighted * n) * inv_std;
    }
}

#[inline(always)]
fn finish_affine(
    with: &Normalize<'_>,
    [gamma, beta]: [&[f32]; 2],
    means: &[f32],
    x: &[f32],
    d: &mut [f32],
    mask: impl Fn(f32, f32) -> f32,
) {
    let (plain, weighted) = means.split_at(x.len());
    let constants = with.mean.iter().zip(with.inv_std).zip(gamma.iter().zip(beta));
    for (((d, x), ((mean, inv_std), (gamma, beta))), (plain, weighted)) in
        d.iter_mut().zip(x).zip(constants).zip(plain.iter().zip(weighted))
    {
        let n = (x - mean) * inv_std;
        let through = mask(n * gamma + beta, *d) * gamma;
        *d = (through - plain - weighted * n) * inv_std;
    }
}
