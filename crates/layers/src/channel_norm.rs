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
    subtract(cpu, dims, mean, Unary::OutOfPlace { x, y: scratch });
    channel::backward_scale(cpu, dims, scratch, scratch, Write::Set, variance);
    variance.iter_mut().for_each(|variance| *variance *= per_value);
}

/// `y = (x - mean) * inv_std`.
///
/// * `values`: (outer, c, inner)
pub(crate) fn normalize(
    cpu: &Cpu,
    dims: ChannelDims,
    mean: &mut [f32],
    inv_std: &[f32],
    mut values: Unary<'_>,
) {
    let y = match &mut values {
        Unary::InPlace(y) => {
            subtract(cpu, dims, mean, Unary::InPlace(y));
            y
        }
        Unary::OutOfPlace { x, y } => {
            subtract(cpu, dims, mean, Unary::OutOfPlace { x, y });
            y
        }
    };
    channel::scale(cpu, dims, inv_std, None, Unary::InPlace(y));
}

/// `y = x - mean`. The means are negated for the sum and back, which is exact and takes no memory.
fn subtract(cpu: &Cpu, dims: ChannelDims, mean: &mut [f32], values: Unary<'_>) {
    mean.iter_mut().for_each(|mean| *mean = -*mean);
    channel::bias(cpu, dims, mean, values);
    mean.iter_mut().for_each(|mean| *mean = -*mean);
}

/// `dx = (dy - mean(dy) - mean(dy * y) * y) * inv_std`.
///
/// * `y`, `scratch` and both of `diffs`: (outer, c, inner)
/// * `means`: (2, c), overwritten
pub(crate) fn backward(
    cpu: &Cpu,
    dims: ChannelDims,
    y: &[f32],
    inv_std: &[f32],
    diffs: Unary<'_>,
    means: &mut [f32],
    scratch: &mut [f32],
) {
    let per_value = -1.0 / (dims.outer * dims.inner) as f32;
    let (plain, weighted) = means.split_at_mut(dims.c);
    let mut terms = |dy: &[f32]| {
        channel::backward_bias(cpu, dims, dy, Write::Set, plain);
        channel::backward_scale(cpu, dims, y, dy, Write::Set, weighted);
        plain.iter_mut().chain(weighted.iter_mut()).for_each(|sum| *sum *= per_value);
        channel::scale(cpu, dims, weighted, Some(plain), Unary::OutOfPlace { x: y, y: scratch });
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
