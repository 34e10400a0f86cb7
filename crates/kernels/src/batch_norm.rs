//! Batch normalisation over rows of channels, with Caffe's formulas (Ioffe and Szegedy 2015).
//!
//! `y = (x − mean) / std`, then optionally Caffe's Scale layer (`gamma · y + beta`) and a ReLU in the
//! same pass. Statistics take one pass: sums of `x − s` and its square, with `s` the first row, so
//! that a large mean costs no precision. Cost: forward reads `x` twice and writes `y`; backward reads
//! `x` and `dy` twice and writes `dx`. Nothing but `x` is kept between them.

mod backward;
mod rows;

pub use backward::{AffineGradients, backward, backward_sums};

use crate::{
    columns::{self, Terms, round},
    cpu::Cpu,
    simd::Lanes,
    view::Unary,
};
use rows::Function;

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
    columns::fold_vectors(cpu, [rows, c], Deviations { x, shift }, |sums| {
        for channel in 0..c {
            let first = sums.get(0, channel) / rows as f64;
            let second = sums.get(1, channel) / rows as f64;
            mean[channel] = round(f64::from(shift[channel]) + first);
            variance[channel] = round((second - first * first).max(0.0));
        }
    });
}

/// Differences to the first row, and their squares.
#[derive(Clone, Copy)]
struct Deviations<'a> {
    x: &'a [f32],
    shift: &'a [f32],
}

impl Terms<1, 1, 2> for Deviations<'_> {
    fn values(&self) -> [&[f32]; 1] {
        [self.x]
    }

    fn constants(&self) -> [&[f32]; 1] {
        [self.shift]
    }

    #[inline(always)]
    fn add<S: Lanes>(
        self,
        s: S,
        [x]: [S::F; 1],
        &[shift]: &[S::F; 1],
        [first, second]: [S::F; 2],
    ) -> [S::F; 2] {
        let d = s.sub(x, shift);
        [s.add(first, d), s.add(second, s.mul(d, d))]
    }
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

    /// Slope of the ReLU; without one it is 1, which changes no bit.
    #[inline(always)]
    fn slope(&self) -> f32 {
        self.relu.unwrap_or(1.0)
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
    let (x, y) = match values {
        Unary::InPlace(y) => (None, y),
        Unary::Apart { x, y } => (Some(x), y),
    };
    let slope = with.slope();
    match with.affine {
        None => rows::map(cpu, Normal { slope }, [with.mean, with.inv_std], [x], y),
        Some([gamma, beta]) => {
            let constants = [with.mean, with.inv_std, gamma, beta];
            rows::map(cpu, Scaled { slope }, constants, [x], y);
        }
    }
}

/// What [`normalize`] makes of a value without a Scale.
#[derive(Clone, Copy)]
struct Normal {
    slope: f32,
}

impl Function<1, 2> for Normal {
    #[inline(always)]
    fn at<S: Lanes>(self, s: S, [x]: [S::F; 1], &[mean, inv_std]: &[S::F; 2]) -> S::F {
        s.relu(s.mul(s.sub(x, mean), inv_std), self.slope)
    }
}

/// What [`normalize`] makes of a value with one.
#[derive(Clone, Copy)]
struct Scaled {
    slope: f32,
}

impl Function<1, 4> for Scaled {
    #[inline(always)]
    fn at<S: Lanes>(self, s: S, [x]: [S::F; 1], &[mean, inv_std, gamma, beta]: &[S::F; 4]) -> S::F {
        let n = s.mul(s.sub(x, mean), inv_std);
        s.relu(s.add(s.mul(n, gamma), beta), self.slope)
    }
}

#[cfg(test)]
mod tests;
