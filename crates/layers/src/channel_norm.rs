//! Normalisation of each channel of row-major blobs (outer, c, inner) to zero mean and unit
//! deviation, for MVN and for BatchNorm of blobs that are not images.
//!
//! Composed of the kernels of Scale and Bias; the variance takes a second pass over the data, as in
//! Caffe.

use kernels::channel::{self, ChannelDims};
use kernels::{Cpu, Unary, Write, elementwise};

/// Mean and variance of each channel.
///
/// * `x`, `scratch`: (outer, c, inner)
/// * `mean`, `variance`: (c)
pub(crate) fn statistics(
    cpu: &Cpu,
    dims: ChannelDims,
    x: &[f32],
    mean: &mut [f32],
    variance: &mut [f32],
    scratch: &mut [f32],
) {
    let per_value = 1.0 / (dims.outer * dims.inner) as f32;
    channel::backward_bias(cpu, dims, x, Write::Set, mean);
    mean.iter_mut().for_each(|mean| *mean *= per_value);
    let negated: Vec<_> = mean.iter().map(|mean| -mean).collect();
    channel::bias(cpu, dims, &negated, Unary::OutOfPlace { x, y: scratch });
    channel::backward_scale(cpu, dims, scratch, scratch, Write::Set, variance);
    variance.iter_mut().for_each(|variance| *variance *= per_value);
}

/// `y = (x - mean) * inv_std`.
///
/// * `values`: (outer, c, inner)
pub(crate) fn normalize(
    cpu: &Cpu,
    dims: ChannelDims,
    mean: &[f32],
    inv_std: &[f32],
    mut values: Unary<'_>,
) {
    let negated: Vec<_> = mean.iter().map(|mean| -mean).collect();
    let y = match &mut values {
        Unary::InPlace(y) => {
            channel::bias(cpu, dims, &negated, Unary::InPlace(y));
            y
        }
        Unary::OutOfPlace { x, y } => {
            channel::bias(cpu, dims, &negated, Unary::OutOfPlace { x, y });
            y
        }
    };
    channel::scale(cpu, dims, inv_std, None, Unary::InPlace(y));
}

/// `dx = (dy - mean(dy) - mean(dy * y) * y) * inv_std`.
///
/// * `y`, `scratch` and both of `diffs`: (outer, c, inner)
pub(crate) fn backward(
    cpu: &Cpu,
    dims: ChannelDims,
    y: &[f32],
    inv_std: &[f32],
    diffs: Unary<'_>,
    scratch: &mut [f32],
) {
    let per_value = -1.0 / (dims.outer * dims.inner) as f32;
    let (mut plain, mut weighted) = (vec![0.0; dims.c], vec![0.0; dims.c]);
    let mut terms = |dy: &[f32]| {
        channel::backward_bias(cpu, dims, dy, Write::Set, &mut plain);
        channel::backward_scale(cpu, dims, y, dy, Write::Set, &mut weighted);
        plain.iter_mut().chain(&mut weighted).for_each(|sum| *sum *= per_value);
        channel::scale(cpu, dims, &weighted, Some(&plain), Unary::OutOfPlace { x: y, y: scratch });
        elementwise::add(cpu, dy, scratch);
    };
    let dx = match diffs {
        Unary::InPlace(d) => {
            terms(d);
            d
        }
        Unary::OutOfPlace { x: dy, y: dx } => {
            terms(dy);
            dx
        }
    };
    channel::scale(cpu, dims, inv_std, None, Unary::OutOfPlace { x: scratch, y: dx });
}
