//! Gradient of batch normalisation, and of the Scale and ReLU that follow it, in two passes.
//!
//! With `n` the normalised values and `d = dy`, masked by the ReLU and times `gamma`:
//! `dx = (d − mean(d) − mean(d · n) · n) / std`. The first pass ([`backward_sums`]) makes the means
//! and the gradients of gamma and beta, the second ([`backward`]) makes `dx`. Both compute `n`, and the
//! sign that the ReLU saw, again from `x`: cheaper than reading them, and the same bits.

use crate::{
    batch_norm::{
        Normalize,
        rows::{self, Function},
    },
    columns::{self, Terms, Totals, put, round},
    cpu::Cpu,
    simd::Lanes,
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
    let slope = with.slope();
    match with.affine {
        None => columns::fold_vectors(cpu, [rows, c], Plain { with, slope, x, dy }, |sums| {
            put_means(rows, sums, means);
        }),
        Some(affine) => {
            columns::fold_vectors(cpu, [rows, c], Affine { with, affine, slope, x, dy }, |sums| {
                put_means(rows, sums, means);
                // Sums 2 and 3 are those of gamma and beta.
                for (kind, gradient) in (2..).zip(gradients) {
                    if let Some((write, values)) = gradient {
                        values.iter_mut().enumerate().for_each(|(channel, value)| {
                            put(write, sums.get(kind, channel), value);
                        });
                    }
                }
            });
        }
    }
}

/// Sums 0 and 1 over the number of rows.
fn put_means<const K: usize>(rows: usize, sums: &Totals<'_, K>, means: &mut [f32]) {
    let c = means.len() / 2;
    for (i, mean) in means.iter_mut().enumerate() {
        *mean = round(sums.get(i / c, i % c) / rows as f64);
    }
}

/// Makes `d` and `d · n`.
#[derive(Clone, Copy)]
struct Plain<'a> {
    with: &'a Normalize<'a>,
    slope: f32,
    x: &'a [f32],
    dy: &'a [f32],
}

impl Terms<2, 2, 2> for Plain<'_> {
    fn values(&self) -> [&[f32]; 2] {
        [self.x, self.dy]
    }

    fn constants(&self) -> [&[f32]; 2] {
        [self.with.mean, self.with.inv_std]
    }

    #[inline(always)]
    fn add<S: Lanes>(
        self,
        s: S,
        [x, dy]: [S::F; 2],
        &[mean, inv_std]: &[S::F; 2],
        [plain, weighted]: [S::F; 2],
    ) -> [S::F; 2] {
        let n = s.mul(s.sub(x, mean), inv_std);
        let d = s.masked(n, self.slope, dy);
        [s.add(plain, d), s.add(weighted, s.mul(d, n))]
    }
}

/// Makes `d` and `d · n`, and the terms of the gradients of gamma and beta.
#[derive(Clone, Copy)]
struct Affine<'a> {
    with: &'a Normalize<'a>,
    affine: [&'a [f32]; 2],
    slope: f32,
    x: &'a [f32],
    dy: &'a [f32],
}

impl Terms<2, 4, 4> for Affine<'_> {
    fn values(&self) -> [&[f32]; 2] {
        [self.x, self.dy]
    }

    fn constants(&self) -> [&[f32]; 4] {
        [self.with.mean, self.with.inv_std, self.affine[0], self.affine[1]]
    }

    #[inline(always)]
    fn add<S: Lanes>(
        self,
        s: S,
        [x, dy]: [S::F; 2],
        &[mean, inv_std, gamma, beta]: &[S::F; 4],
        [plain, weighted, dgamma, dbeta]: [S::F; 4],
    ) -> [S::F; 4] {
        let n = s.mul(s.sub(x, mean), inv_std);
        let through = s.add(s.mul(n, gamma), beta);
        let dy = s.masked(through, self.slope, dy);
        let d = s.mul(dy, gamma);
        [
            s.add(plain, d),
            s.add(weighted, s.mul(d, n)),
            s.add(dgamma, s.mul(n, dy)),
            s.add(dbeta, dy),
        ]
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
    let (dy, dx) = match gradient {
        Unary::InPlace(d) => (None, d),
        Unary::Apart { x: dy, y: dx } => (Some(dy), dx),
    };
    let (plain, weighted) = means.split_at(c);
    let (slope, values) = (with.slope(), [dy, Some(x)]);
    match with.affine {
        None => {
            let constants = [with.mean, with.inv_std, plain, weighted];
            rows::map(cpu, Gradient { slope }, constants, values, dx);
        }
        Some([gamma, beta]) => {
            let constants = [with.mean, with.inv_std, gamma, beta, plain, weighted];
            rows::map(cpu, ScaledGradient { slope }, constants, values, dx);
        }
    }
}

/// What [`backward`] makes of `dy` and `x` without a Scale.
#[derive(Clone, Copy)]
struct Gradient {
    slope: f32,
}

impl Function<2, 4> for Gradient {
    #[inline(always)]
    fn at<S: Lanes>(
        self,
        s: S,
        [dy, x]: [S::F; 2],
        &[mean, inv_std, plain, weighted]: &[S::F; 4],
    ) -> S::F {
        let n = s.mul(s.sub(x, mean), inv_std);
        let d = s.masked(n, self.slope, dy);
        s.mul(s.sub(s.sub(d, plain), s.mul(weighted, n)), inv_std)
    }
}

/// What it makes of them with one.
#[derive(Clone, Copy)]
struct ScaledGradient {
    slope: f32,
}

impl Function<2, 6> for ScaledGradient {
    #[inline(always)]
    fn at<S: Lanes>(
        self,
        s: S,
        [dy, x]: [S::F; 2],
        &[mean, inv_std, gamma, beta, plain, weighted]: &[S::F; 6],
    ) -> S::F {
        let n = s.mul(s.sub(x, mean), inv_std);
        let d = s.mul(s.masked(s.add(s.mul(n, gamma), beta), self.slope, dy), gamma);
        s.mul(s.sub(s.sub(d, plain), s.mul(weighted, n)), inv_std)
    }
}
