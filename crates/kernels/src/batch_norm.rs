//! Batch normalisation over rows of channels, with Caffe's formulas (Ioffe and Szegedy 2015).
//!
//! `y = (x − mean) / std`, then optionally Caffe's Scale layer (`gamma · y + beta`) and a ReLU in
//! the same pass. Statistics take one pass: sums of `x − s` and its square, with `s` the mean of a
//! few rows, so that a large mean costs no precision. Cost: forward reads `x` twice and writes `y`;
//! backward reads `x` and `dy` twice and writes `dx`. Nothing but `x` is kept between them.
//!
//! Operands are f32, or 16 bits that are converted in registers. In mixed precision values are
//! rounded where one of the layers ends and the next begins ([`InnerRounding`]), so that one pass
//! has the bits of one layer after another.

mod backward;

pub use backward::{AffineGradients, backward, backward_sums};

use std::ops::Range;

use smallvec::SmallVec;

use crate::{
    column_sums::{self, round},
    cpu::{Cpu, DisjointMut, TASK_FLOATS},
    half::{
        Bf16Codec, F16Codec, HalfCodec, HalfFormat, HalfValues, NoRounding, Rounder, RowReader,
        UnaryValues, Values,
    },
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
pub fn statistics<'a>(
    cpu: &Cpu,
    rows: usize,
    c: usize,
    x: impl Into<Values<'a>>,
    mean: &mut [f32],
    variance: &mut [f32],
) {
    let x = x.into();
    assert!(rows > 0, "statistics of nothing");
    assert_eq!(x.count(), rows * c, "x is (rows, c)");
    assert_eq!([mean.len(), variance.len()], [c; 2], "one mean and variance per channel");
    match x {
        Values::F32(x) => statistics_of(cpu, rows, c, x, mean, variance),
        Values::Half(HalfFormat::Bf16, x) => {
            statistics_of(cpu, rows, c, HalfValues(Bf16Codec, x), mean, variance);
        }
        Values::Half(HalfFormat::F16, x) => {
            statistics_of(cpu, rows, c, HalfValues(F16Codec, x), mean, variance);
        }
    }
}

fn statistics_of(
    cpu: &Cpu,
    rows: usize,
    c: usize,
    x: impl RowReader,
    mean: &mut [f32],
    variance: &mut [f32],
) {
    let shift = &*rough_mean(rows, c, x);
    column_sums::fold_strips(
        cpu,
        rows,
        [c, 2],
        #[inline(always)]
        |rows, at, sums| {
            let (first, second) = sums.split_at_mut(at.len());
            for r in rows {
                add_shifted(x.row(r * c + at.start, at.len()), &shift[at.clone()], first, second);
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

/// Adds one row's `x − s` and its square.
#[inline(always)]
fn add_shifted(x: impl RowReader, shift: &[f32], first: &mut [f32], second: &mut [f32]) {
    let c = shift.len();
    let (x, first, second) = (x.row(0, c), &mut first[..c], &mut second[..c]);
    for i in 0..c {
        let d = x.value(i) - shift[i];
        first[i] += d;
        second[i] += d * d;
    }
}

/// The mean of each channel over a few rows at equal distances. One row would not do: an image's
/// corner, where padding reaches in, may be many deviations from the mean, and the variance is then
/// a small difference of large numbers.
fn rough_mean(rows: usize, c: usize, x: impl RowReader) -> SmallVec<[f32; 2048]> {
    let samples = rows.min(SHIFT_ROWS);
    let weight = 1.0 / samples as f32;
    let mut mean = SmallVec::from_elem(0.0, c);
    for sample in 0..samples {
        let row = x.row((2 * sample + 1) * rows / (2 * samples) * c, c);
        mean.iter_mut().enumerate().for_each(|(i, mean)| *mean += weight * row.value(i));
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
    /// What is rounded between them.
    pub rounding: InnerRounding,
}

/// What is rounded where one of the layers that run as one ends and the next begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerRounding {
    /// Nothing: values are f32.
    None,
    /// What comes out of normalisation, and out of the scale: two layers.
    EachLayer(HalfFormat),
    /// What comes out of the scale: normalisation and scale are one layer.
    AfterScale(HalfFormat),
}

/// Evaluates `$body` with the rounders of both borders, as types.
macro_rules! with_rounders {
    ($rounding:expr, |$normal:ident, $scaled:ident| $body:expr) => {
        match $rounding {
            InnerRounding::None => {
                let ($normal, $scaled) = (NoRounding, NoRounding);
                $body
            }
            InnerRounding::EachLayer(HalfFormat::Bf16) => {
                let ($normal, $scaled) = (Bf16Codec, Bf16Codec);
                $body
            }
            InnerRounding::EachLayer(HalfFormat::F16) => {
                let ($normal, $scaled) = (F16Codec, F16Codec);
                $body
            }
            InnerRounding::AfterScale(HalfFormat::Bf16) => {
                let ($normal, $scaled) = (NoRounding, Bf16Codec);
                $body
            }
            InnerRounding::AfterScale(HalfFormat::F16) => {
                let ($normal, $scaled) = (NoRounding, F16Codec);
                $body
            }
        }
    };
}
use with_rounders;

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
                ..*self
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
            ..*self
        }
    }

    /// Whether a gradient that was rounded need not be rounded after the ReLU's mask.
    fn masks_exactly(&self) -> bool {
        [0.0, 1.0].contains(&self.slope())
    }

    /// Slope of the ReLU; 1 without one, which changes no bit.
    #[inline(always)]
    fn slope(&self) -> f32 {
        self.relu.unwrap_or(1.0)
    }
}

/// `y = (x − mean) · inv_std`, then scale and ReLU if given; in place or out of place.
///
/// * `values`: (rows, c); in 16 bits the borders round to the same format
///
/// # Panics
///
/// If an operand does not fit.
pub fn normalize<'a>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    values: impl Into<UnaryValues<'a>>,
) {
    let values = values.into();
    with.check(c, values.count());
    with.widened(cpu, c, [], |c, with, []| match values {
        UnaryValues::F32(values) => {
            with_rounders!(with.rounding, |normal, scaled| {
                normalize_f32(cpu, c, with, (normal, scaled), values);
            });
        }
        UnaryValues::Half { format: HalfFormat::Bf16, x, y } => {
            normalize_half(cpu, c, with, HalfValues(Bf16Codec, x), y);
        }
        UnaryValues::Half { format: HalfFormat::F16, x, y } => {
            normalize_half(cpu, c, with, HalfValues(F16Codec, x), y);
        }
    });
}

fn normalize_f32<N: Rounder, S: Rounder>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    borders: (N, S),
    values: Unary<'_>,
) {
    let block = TASK_FLOATS.div_ceil(c) * c;
    match values {
        Unary::InPlace(y) => cpu.run_blocks(y, block, |_, y| {
            vectorize!(cpu, {
                for y in y.chunks_mut(c) {
                    row_in_place(with, borders, y);
                }
            });
        }),
        Unary::OutOfPlace { x, y } => cpu.run_blocks(y, block, |index, y| {
            let x = &x[index * block..][..y.len()];
            vectorize!(cpu, {
                for (x, y) in x.chunks(c).zip(y.chunks_mut(c)) {
                    row(with, borders, x, |v| v, y);
                }
            });
        }),
    }
}

/// As [`normalize_f32`], from 16 bits to 16 bits.
fn normalize_half<C: HalfCodec>(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    x: HalfValues<'_, C>,
    y: &mut [u16],
) {
    let (codec, block) = (x.0, TASK_FLOATS.div_ceil(c) * c);
    let blocks = DisjointMut::new(y, block);
    cpu.run(blocks.count(), |index| {
        // SAFETY: each block belongs to one task.
        let y = unsafe { blocks.get(index) };
        vectorize!(cpu, {
            for (r, y) in y.chunks_mut(c).enumerate() {
                let x = x.row(index * block + r * c, y.len());
                row(
                    with,
                    (codec, codec),
                    x,
                    #[inline(always)]
                    |v| codec.compress(v),
                    y,
                );
            }
        });
    });
}

/// One row, out of place; `store` is how a value is written.
#[inline(always)]
fn row<N: Rounder, S: Rounder, T>(
    with: &NormalizeTerms<'_>,
    (normal, scaled): (N, S),
    x: impl RowReader,
    store: impl Fn(f32) -> T,
    y: &mut [T],
) {
    let (slope, c) = (with.slope(), y.len());
    let (x, [mean, inv_std]) = (x.row(0, c), [with.mean, with.inv_std].map(|v| &v[..c]));
    match with.affine {
        None => {
            for i in 0..c {
                let n = normal.round((x.value(i) - mean[i]) * inv_std[i]);
                y[i] = store(relu(n, slope));
            }
        }
        Some(affine) => {
            let [gamma, beta] = affine.map(|v| &v[..c]);
            for i in 0..c {
                let n = normal.round((x.value(i) - mean[i]) * inv_std[i]);
                y[i] = store(relu(scaled.round(n * gamma[i] + beta[i]), slope));
            }
        }
    }
}

/// One row, in place.
#[inline(always)]
fn row_in_place<N: Rounder, S: Rounder>(
    with: &NormalizeTerms<'_>,
    (normal, scaled): (N, S),
    y: &mut [f32],
) {
    let (slope, values) = (with.slope(), y.iter_mut().zip(with.mean).zip(with.inv_std));
    match with.affine {
        None => {
            for ((y, mean), inv_std) in values {
                *y = relu(normal.round((*y - mean) * inv_std), slope);
            }
        }
        Some([gamma, beta]) => {
            for ((((y, mean), inv_std), gamma), beta) in values.zip(gamma).zip(beta) {
                let n = normal.round((*y - mean) * inv_std);
                *y = relu(scaled.round(n * gamma + beta), slope);
            }
        }
    }
}

#[cfg(test)]
mod tests;
