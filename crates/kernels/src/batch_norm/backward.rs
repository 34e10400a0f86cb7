//! Gradient of batch normalisation, and of the Scale and ReLU that follow it, in two passes.
//!
//! With `n` the normalised values and `d = dy`, masked by the ReLU and times `gamma`:
//! `dx = (d − mean(d) − mean(d · n) · n) / std`. The first pass ([`backward_sums`]) computes the
//! means and the gradients of gamma and beta, the second ([`backward`]) `dx`. Both recompute `n`,
//! and the sign of the ReLU's input, from `x`: cheaper than reading them, and the same bits.

use crate::{
    batch_norm::{InnerRounding, NormalizeTerms, with_rounders},
    column_sums::{self, put, round},
    cpu::{Cpu, DisjointMut, TASK_FLOATS},
    half::{
        Bf16Codec, F16Codec, HalfCodec, HalfFormat, HalfValues, NoRounding, Rounder, RowReader,
        UnaryValues, Values,
    },
    relu::masked_before_rounding,
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
pub fn backward_sums<'a>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    (x, dy): (impl Into<Values<'a>>, impl Into<Values<'a>>),
    means: &mut [f32],
    gradients: AffineGradients<'_>,
) {
    let (x, dy) = (x.into(), dy.into());
    with.check(c, x.count());
    assert_eq!(
        [dy.count(), means.len()],
        [x.count(), 2 * c],
        "one gradient per value, two means per channel"
    );
    let rows = x.count() / c;
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
    let shape = [rows, c];
    match (x, dy) {
        (Values::F32(x), Values::F32(dy)) => with_rounders!(with.rounding, |normal, scaled| {
            sums_of(cpu, shape, with, (normal, scaled, scaled), (x, dy), take);
        }),
        (Values::Half(HalfFormat::Bf16, x), Values::Half(HalfFormat::Bf16, dy)) => {
            sums_of_half(cpu, shape, with, [x, dy].map(|v| HalfValues(Bf16Codec, v)), take);
        }
        (Values::Half(HalfFormat::F16, x), Values::Half(HalfFormat::F16, dy)) => {
            sums_of_half(cpu, shape, with, [x, dy].map(|v| HalfValues(F16Codec, v)), take);
        }
        _ => panic!("x and dy have one format"),
    }
}

fn sums_of_half<C: HalfCodec>(
    cpu: &Cpu,
    shape: [usize; 2],
    with: &NormalizeTerms<'_>,
    [x, dy]: [HalfValues<'_, C>; 2],
    take: impl FnOnce(&[f64]),
) {
    let codec = x.0;
    match with.masks_exactly() {
        true => sums_of(cpu, shape, with, (codec, codec, NoRounding), (x, dy), take),
        false => sums_of(cpu, shape, with, (codec, codec, codec), (x, dy), take),
    }
}

fn sums_of<N: Rounder, S: Rounder, R: Rounder>(
    cpu: &Cpu,
    [rows, c]: [usize; 2],
    with: &NormalizeTerms<'_>,
    borders: (N, S, R),
    (x, dy): (impl RowReader, impl RowReader),
    take: impl FnOnce(&[f64]),
) {
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
                    let first = r * c + at.start;
                    let values = (x.row(first, at.len()), dy.row(first, at.len()));
                    add(&with, borders, values, plain, weighted);
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
                    let first = r * c + at.start;
                    let values = (x.row(first, at.len()), dy.row(first, at.len()));
                    add_affine(&with, borders, affine, values, plain, weighted, dgamma, dbeta);
                }
            },
            take,
        ),
    }
}

/// Adds one row's `d` and `d · n`. The sums are separate parameters: only then does the compiler
/// know that they do not overlap, and vectorises the loop.
#[inline(always)]
fn add<N: Rounder, S: Rounder, R: Rounder>(
    with: &NormalizeTerms<'_>,
    (normal, _, relued): (N, S, R),
    (x, dy): (impl RowReader, impl RowReader),
    plain: &mut [f32],
    weighted: &mut [f32],
) {
    let (slope, c) = (with.slope(), with.mean.len());
    let [mean, inv_std] = [with.mean, with.inv_std].map(|v| &v[..c]);
    let (x, dy) = (x.row(0, c), dy.row(0, c));
    let (plain, weighted) = (&mut plain[..c], &mut weighted[..c]);
    for i in 0..c {
        let n = (x.value(i) - mean[i]) * inv_std[i];
        let d = relued.round(masked_before_rounding(normal, n, slope, dy.value(i)));
        plain[i] += d;
        weighted[i] += d * n;
    }
}

/// As [`add`], and the terms of the gradients of gamma and beta.
#[inline(always)]
fn add_affine<N: Rounder, S: Rounder, R: Rounder>(
    with: &NormalizeTerms<'_>,
    (normal, scaled, relued): (N, S, R),
    [gamma, beta]: [&[f32]; 2],
    (x, dy): (impl RowReader, impl RowReader),
    plain: &mut [f32],
    weighted: &mut [f32],
    dgamma: &mut [f32],
    dbeta: &mut [f32],
) {
    let (slope, c) = (with.slope(), with.mean.len());
    let [mean, inv_std, gamma, beta] = [with.mean, with.inv_std, gamma, beta].map(|v| &v[..c]);
    let (x, dy) = (x.row(0, c), dy.row(0, c));
    let (plain, weighted) = (&mut plain[..c], &mut weighted[..c]);
    let (dgamma, dbeta) = (&mut dgamma[..c], &mut dbeta[..c]);
    for i in 0..c {
        let n = (x.value(i) - mean[i]) * inv_std[i];
        let into_scale = normal.round(n);
        let into_relu = into_scale * gamma[i] + beta[i];
        let dy = relued.round(masked_before_rounding(scaled, into_relu, slope, dy.value(i)));
        let d = normal.round(dy * gamma[i]);
        plain[i] += d;
        weighted[i] += d * n;
        dgamma[i] += into_scale * dy;
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
pub fn backward<'a>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    means: &[f32],
    x: impl Into<Values<'a>>,
    gradient: impl Into<UnaryValues<'a>>,
) {
    let (x, gradient) = (x.into(), gradient.into());
    with.check(c, x.count());
    assert_eq!(gradient.count(), x.count(), "one gradient per value");
    assert_eq!(means.len(), 2 * c, "two means per channel");
    let (plain, weighted) = means.split_at(c);
    with.widened(cpu, c, [plain, weighted], |c, with, means| match (x, gradient) {
        (Values::F32(x), UnaryValues::F32(gradient)) => {
            with_rounders!(with.rounding, |normal, scaled| {
                backward_f32(cpu, c, with, (normal, scaled, scaled), means, x, gradient);
            });
        }
        (
            Values::Half(HalfFormat::Bf16, x),
            UnaryValues::Half { format: HalfFormat::Bf16, x: dy, y: dx },
        ) => {
            let operands = [x, dy].map(|values| HalfValues(Bf16Codec, values));
            backward_any_half(cpu, c, with, means, operands, dx);
        }
        (
            Values::Half(HalfFormat::F16, x),
            UnaryValues::Half { format: HalfFormat::F16, x: dy, y: dx },
        ) => {
            let operands = [x, dy].map(|values| HalfValues(F16Codec, values));
            backward_any_half(cpu, c, with, means, operands, dx);
        }
        _ => panic!("x and the gradient have one format"),
    });
}

fn backward_f32<N: Rounder, S: Rounder, R: Rounder>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    borders: (N, S, R),
    means: [&[f32]; 2],
    x: &[f32],
    gradient: Unary<'_>,
) {
    let (dy, dx) = match gradient {
        Unary::InPlace(d) => (None, d),
        Unary::OutOfPlace { x: dy, y: dx } => (Some(dy), dx),
    };
    let block = TASK_FLOATS.div_ceil(c) * c;
    cpu.run_blocks(dx, block, |index, dx| {
        vectorize!(cpu, {
            for (r, dx) in dx.chunks_mut(c).enumerate() {
                let (at, len) = (index * block + r * c, dx.len());
                let x = x.row(at, len);
                match dy {
                    Some(dy) => any_row(with, borders, means, x, &dy[at..][..len], |v| v, dx),
                    None => any_row_in_place(with, borders, means, x, dx),
                }
            }
        });
    });
}

fn backward_any_half<C: HalfCodec>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    means: [&[f32]; 2],
    operands: [HalfValues<'_, C>; 2],
    dx: &mut [u16],
) {
    match with.masks_exactly() {
        true => backward_half(cpu, c, with, NoRounding, means, operands, dx),
        false => backward_half(cpu, c, with, operands[0].0, means, operands, dx),
    }
}

/// As [`backward_f32`], from 16 bits to 16 bits.
fn backward_half<C: HalfCodec, R: Rounder>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    relued: R,
    means: [&[f32]; 2],
    [x, dy]: [HalfValues<'_, C>; 2],
    dx: &mut [u16],
) {
    let (codec, block) = (x.0, TASK_FLOATS.div_ceil(c) * c);
    let (blocks, borders) = (DisjointMut::new(dx, block), (codec, codec, relued));
    cpu.run(blocks.count(), |index| {
        // SAFETY: each block belongs to one task.
        let dx = unsafe { blocks.get(index) };
        vectorize!(cpu, {
            for (r, dx) in dx.chunks_mut(c).enumerate() {
                let (at, len) = (index * block + r * c, dx.len());
                let (x, dy) = (x.row(at, len), dy.row(at, len));
                any_row(
                    with,
                    borders,
                    means,
                    x,
                    dy,
                    #[inline(always)]
                    |v| codec.compress(v),
                    dx,
                );
            }
        });
    });
}

/// One row, with or without a Scale layer; `store` is how a value is written.
#[inline(always)]
fn any_row<N: Rounder, S: Rounder, R: Rounder, T>(
    with: &NormalizeTerms<'_>,
    borders: (N, S, R),
    means: [&[f32]; 2],
    x: impl RowReader,
    dy: impl RowReader,
    store: impl Fn(f32) -> T,
    dx: &mut [T],
) {
    let (c, dy) = (dx.len(), dy.row(0, dx.len()));
    match with.affine {
        None => {
            let gradient = plain_gradient(with, borders, means, c, x);
            for (i, dx) in dx.iter_mut().enumerate() {
                *dx = store(gradient(i, dy.value(i)));
            }
        }
        Some(affine) => {
            let gradient = affine_gradient(with, borders, affine, means, c, x);
            for (i, dx) in dx.iter_mut().enumerate() {
                *dx = store(gradient(i, dy.value(i)));
            }
        }
    }
}

/// As [`any_row`], where `dx` holds `dy`.
#[inline(always)]
fn any_row_in_place<N: Rounder, S: Rounder, R: Rounder>(
    with: &NormalizeTerms<'_>,
    borders: (N, S, R),
    means: [&[f32]; 2],
    x: &[f32],
    dx: &mut [f32],
) {
    let c = dx.len();
    match with.affine {
        None => {
            let gradient = plain_gradient(with, borders, means, c, x);
            for (i, dx) in dx.iter_mut().enumerate() {
                *dx = gradient(i, *dx);
            }
        }
        Some(affine) => {
            let gradient = affine_gradient(with, borders, affine, means, c, x);
            for (i, dx) in dx.iter_mut().enumerate() {
                *dx = gradient(i, *dx);
            }
        }
    }
}

/// `dx` at an index of a row of `c` values, from `dy`; without a Scale layer.
#[inline(always)]
fn plain_gradient<'a, N: Rounder, S: Rounder, R: Rounder>(
    with: &NormalizeTerms<'a>,
    (normal, _, relued): (N, S, R),
    [plain, weighted]: [&'a [f32]; 2],
    c: usize,
    x: impl RowReader + 'a,
) -> impl Fn(usize, f32) -> f32 {
    let (slope, x) = (with.slope(), x.row(0, c));
    let [mean, inv_std, plain, weighted] =
        [with.mean, with.inv_std, plain, weighted].map(|v| &v[..c]);
    #[inline(always)]
    move |i, dy| {
        let n = (x.value(i) - mean[i]) * inv_std[i];
        let d = relued.round(masked_before_rounding(normal, n, slope, dy));
        (d - plain[i] - weighted[i] * n) * inv_std[i]
    }
}

/// As [`plain_gradient`], through a Scale layer.
#[inline(always)]
fn affine_gradient<'a, N: Rounder, S: Rounder, R: Rounder>(
    with: &NormalizeTerms<'a>,
    (normal, scaled, relued): (N, S, R),
    affine: [&'a [f32]; 2],
    means: [&'a [f32]; 2],
    c: usize,
    x: impl RowReader + 'a,
) -> impl Fn(usize, f32) -> f32 {
    let (slope, x) = (with.slope(), x.row(0, c));
    let [mean, inv_std] = [with.mean, with.inv_std].map(|v| &v[..c]);
    let [[gamma, beta], [plain, weighted]] = [affine, means].map(|pair| pair.map(|v| &v[..c]));
    #[inline(always)]
    move |i, dy| {
        let n = (x.value(i) - mean[i]) * inv_std[i];
        let into_relu = normal.round(n) * gamma[i] + beta[i];
        let dy = relued.round(masked_before_rounding(scaled, into_relu, slope, dy));
        let d = normal.round(dy * gamma[i]);
        (d - plain[i] - weighted[i] * n) * inv_std[i]
    }
}
