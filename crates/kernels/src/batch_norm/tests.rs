use proptest::prelude::*;

use super::{
    InnerRounding, NormalizeTerms, backward, backward_sums, inverse_std, normalize, statistics,
};
use crate::{
    Cpu, HalfFormat, Unary, Values, Write,
    channel::{ChannelDims, backward_bias, backward_scale, scale},
    half::{self, HalfRows, UnaryValues},
    reference::{normalization as reference, pointwise, widen},
    testing::{assert_close, noise, on_every_cpu},
};

proptest! {
    #[test]
    fn equals_the_reference(rows in 2..150_usize, c in 1..30_usize, mean in -50.0_f32..50.0) {
        let eps = 1e-3;
        let x: Vec<f32> = noise(rows * c, 1).iter().map(|x| x + mean).collect();
        let dy = noise(rows * c, 2);
        let (gamma, beta) = (noise(c, 3), noise(c, 4));
        let (want_mean, want_variance) = reference::statistics(c, &widen(&x));
        let inv_std: Vec<f64> =
            want_variance.iter().map(|v| 1.0 / (v + f64::from(eps)).sqrt()).collect();
        let normal: Vec<f64> = widen(&x)
            .iter()
            .enumerate()
            .map(|(i, x)| (x - want_mean[i % c]) * inv_std[i % c])
            .collect();
        let scaled: Vec<f64> = normal
            .iter()
            .enumerate()
            .map(|(i, y)| y * f64::from(gamma[i % c]) + f64::from(beta[i % c]))
            .map(|v| pointwise::relu(v, 0.0))
            .collect();
        let want_dx = reference::batch_norm_backward(c, &normal, &inv_std, &widen(&dy));
        on_every_cpu(|cpu| {
            let [mut mean, mut variance, mut inv_std] = [(); 3].map(|()| vec![7.0; c]);
            statistics(cpu, rows, c, &x[..], &mut mean, &mut variance);
            assert_close(&mean, &want_mean, 1e-5);
            assert_close(&variance, &want_variance, 1e-5);
            inverse_std(eps, &variance, &mut inv_std);

            let mut plain = NormalizeTerms {
                mean: &mean,
                inv_std: &inv_std,
                affine: None,
                relu: None,
                rounding: InnerRounding::None,
            };
            let mut y = x.clone();
            normalize(cpu, c, &plain, Unary::InPlace(&mut y));
            assert_close(&y, &normal, 1e-3); // f32 inputs around 50 have 4e-6 to lose, times 1 / std
            plain.affine = Some([&gamma, &beta]);
            plain.relu = Some(0.0);
            let mut fused = vec![7.0; x.len()];
            normalize(cpu, c, &plain, Unary::OutOfPlace { x: &x, y: &mut fused });
            assert_close(&fused, &scaled, 1e-3);

            let plain = NormalizeTerms { affine: None, relu: None, ..plain };
            let (mut means, mut dx) = (vec![7.0; 2 * c], vec![7.0; x.len()]);
            backward_sums(cpu, c, &plain, (&x[..], &dy[..]), &mut means, [None, None]);
            backward(cpu, c, &plain, &means, &x[..], Unary::OutOfPlace { x: &dy, y: &mut dx });
            assert_close(&dx, &want_dx, 2e-3);
            let mut in_place = dy.clone();
            backward(cpu, c, &plain, &means, &x[..], Unary::InPlace(&mut in_place));
            assert_eq!(in_place, dx);
            dx
        });
    }

    /// Two passes with everything in them give the bits of one layer after another, also where each
    /// layer rounds what it leaves.
    #[test]
    fn fused_backward_has_the_bits_of_its_parts(
        rows in 1..150_usize, c in 1..30_usize, relu: bool, format in 0..3_usize, seed: u64,
    ) {
        let format = [None, Some(HalfFormat::Bf16), Some(HalfFormat::F16)][format];
        let rounded = |mut values: Vec<f32>| {
            format.into_iter().for_each(|format| format.round(&mut values));
            values
        };
        let [x, dy] = [noise(rows * c, seed), noise(rows * c, seed ^ 1)].map(rounded);
        let (mean, inv_std) = (noise(c, 3), noise(c, 4));
        let (gamma, beta) = (noise(c, 5), noise(c, 6));
        let with = NormalizeTerms {
            mean: &mean,
            inv_std: &inv_std,
            affine: Some([&gamma, &beta]),
            relu: relu.then_some(0.25),
            rounding: format.map_or(InnerRounding::None, InnerRounding::EachLayer),
        };
        on_every_cpu(|cpu| {
            let want = part_by_part(cpu, c, &with, format, (&x, &dy));
            let fused = at_once(cpu, c, &with, (&x, &dy));
            assert_same(&rounded_outputs(format, x.len(), fused), &want);
            if let Some(format) = format {
                assert_same(&stored(cpu, c, &with, format, (&x, &dy)), &want);
            }
            want
        });
    }
}

/// The first row, a corner of an image, may be far from the others.
#[test]
fn statistics_keep_their_digits_wherever_the_first_row_is() {
    let c = 8;
    for rows in [64, 1568] {
        for deviations in [0.0, 3.0, 10.0, 30.0] {
            let mut x = noise(rows * c, 1);
            x[..c].fill(deviations / 3.0_f32.sqrt()); // uniform noise deviates by 1 / sqrt 3
            let (want_mean, want_variance) = reference::statistics(c, &widen(&x));
            on_every_cpu(|cpu| {
                let [mut mean, mut variance] = [vec![7.0; c], vec![7.0; c]];
                statistics(cpu, rows, c, &x[..], &mut mean, &mut variance);
                assert_close(&mean, &want_mean, 1e-7);
                for (&got, want) in variance.iter().zip(&want_variance) {
                    let off = (f64::from(got) / want - 1.0).abs();
                    assert!(off < 4e-7, "{rows} rows, first at {deviations}: off by {off}");
                }
                mean
            });
        }
    }
}

#[track_caller]
fn assert_same(got: &[f32], want: &[f32]) {
    assert!(got.iter().map(|v| v.to_bits()).eq(want.iter().map(|v| v.to_bits())));
}

/// The first `2 * len` values, `y` and `dx`, are rounded by whoever called the kernels.
fn rounded_outputs(format: Option<HalfFormat>, len: usize, mut all: Vec<f32>) -> Vec<f32> {
    format.into_iter().for_each(|format| format.round(&mut all[..2 * len]));
    all
}

/// `y`, `dx` and the gradients of gamma and beta, by the fused kernels.
fn at_once(cpu: &Cpu, c: usize, with: &NormalizeTerms<'_>, (x, dy): (&[f32], &[f32])) -> Vec<f32> {
    let [mut dgamma, mut dbeta] = [vec![1.0; c], vec![1.0; c]];
    let (mut means, mut y, mut dx) = (vec![7.0; 2 * c], vec![7.0; x.len()], vec![7.0; x.len()]);
    normalize(cpu, c, with, Unary::OutOfPlace { x, y: &mut y });
    let gradients = [Some((Write::Add, &mut dgamma[..])), Some((Write::Add, &mut dbeta[..]))];
    backward_sums(cpu, c, with, (x, dy), &mut means, gradients);
    backward(cpu, c, with, &means, x, Unary::OutOfPlace { x: dy, y: &mut dx });
    [y, dx, dgamma, dbeta].concat()
}

/// As [`at_once`], on 16-bit operands.
fn stored(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    format: HalfFormat,
    (x, dy): (&[f32], &[f32]),
) -> Vec<f32> {
    let store = |values: &[f32]| {
        let mut stored = vec![0; values.len()];
        half::compress(cpu, format, HalfRows::dense(), values, &mut stored);
        stored
    };
    let back = |stored: Vec<u16>| stored.into_iter().map(|v| format.value(v)).collect();
    let (x, dy) = (store(x), store(dy));
    let [mut dgamma, mut dbeta] = [vec![1.0; c], vec![1.0; c]];
    let (mut means, mut y, mut dx) = (vec![7.0; 2 * c], vec![7; x.len()], vec![7; x.len()]);
    normalize(cpu, c, with, UnaryValues::Half { format, x: &x, y: &mut y });
    let gradients = [Some((Write::Add, &mut dgamma[..])), Some((Write::Add, &mut dbeta[..]))];
    let operands = (Values::Half(format, &x), Values::Half(format, &dy));
    backward_sums(cpu, c, with, operands, &mut means, gradients);
    let gradient = UnaryValues::Half { format, x: &dy, y: &mut dx };
    backward(cpu, c, with, &means, Values::Half(format, &x), gradient);
    [back(y), back(dx), dgamma, dbeta].concat()
}

/// As [`at_once`], by the kernels of BatchNorm, Scale and ReLU, each rounded as a layer is.
fn part_by_part(
    cpu: &Cpu,
    c: usize,
    with: &NormalizeTerms<'_>,
    format: Option<HalfFormat>,
    (x, dy): (&[f32], &[f32]),
) -> Vec<f32> {
    let border = |values: &mut [f32]| format.into_iter().for_each(|format| format.round(values));
    let [gamma, beta] = with.affine.expect("the test has a scale");
    let plain = NormalizeTerms { affine: None, relu: None, rounding: InnerRounding::None, ..*with };
    let dims = ChannelDims { outer: x.len() / c, c, inner: 1 };
    let (mut normal, mut y, mut d) = (x.to_vec(), x.to_vec(), dy.to_vec());
    normalize(cpu, c, &plain, Unary::InPlace(&mut normal));
    border(&mut normal);
    scale(cpu, dims, gamma, Some(beta), Unary::OutOfPlace { x: &normal, y: &mut y });
    border(&mut y);
    if let Some(slope) = with.relu {
        crate::relu::forward(cpu, slope, Unary::InPlace(&mut y));
        border(&mut y);
        crate::relu::backward(cpu, slope, &y, Unary::InPlace(&mut d));
        border(&mut d);
    }
    let [mut dgamma, mut dbeta] = [vec![1.0; c], vec![1.0; c]];
    backward_scale(cpu, dims, &normal, &d, Write::Add, &mut dgamma);
    backward_bias(cpu, dims, &d, Write::Add, &mut dbeta);
    scale(cpu, dims, gamma, None, Unary::InPlace(&mut d));
    border(&mut d);
    let mut means = vec![7.0; 2 * c];
    backward_sums(cpu, c, &plain, (x, &d[..]), &mut means, [None, None]);
    backward(cpu, c, &plain, &means, x, Unary::InPlace(&mut d));
    border(&mut d);
    [y, d, dgamma, dbeta].concat()
}

#[test]
fn statistics_of_stored_values_are_those_of_the_values() {
    let (rows, c) = (77, 600);
    for format in [HalfFormat::Bf16, HalfFormat::F16] {
        let mut x = noise(rows * c, 8);
        format.round(&mut x);
        on_every_cpu(|cpu| {
            let mut stored = vec![0; x.len()];
            half::compress(cpu, format, HalfRows::dense(), &x, &mut stored);
            let measure = |x: Values<'_>| {
                let [mut mean, mut variance] = [(); 2].map(|()| vec![7.0; c]);
                statistics(cpu, rows, c, x, &mut mean, &mut variance);
                [mean, variance].concat()
            };
            let want = measure(Values::F32(&x));
            assert_same(&measure(Values::Half(format, &stored)), &want);
            want
        });
    }
}
