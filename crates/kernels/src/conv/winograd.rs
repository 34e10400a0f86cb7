//! Winograd convolution for kernels of 3×3 and 5×5 with stride 1: a half to a quarter of the
//! products.
//!
//! An image is divided into tiles of M×M outputs, which need N×N inputs, N = M + R − 1 with R the
//! kernel size; neighbouring tiles overlap. Inputs and filters are transformed into N×N values each
//! (`transform`); for each pair of an output and an input channel these are multiplied pointwise
//! and added over input channels: N² matrix products, (tiles, c) by (c, k), which the register tile
//! computes. The results are transformed back into M×M outputs. The transforms cost some additions
//! per channel, against N² products for every pair of channels, so they pay from about ten channels
//! on; `form` estimates both costs and chooses.
//!
//! | form | M, R | products per output | direct |
//! |---|---|--:|--:|
//! | F(2, 3) | 2, 3 | 4 | 9 |
//! | F(4, 3) | 4, 3 | 2.25 | 9 |
//! | F(2, 5) | 2, 5 | 9 | 25 |
//!
//! * [`forward`] and [`backward_data`] share `tile_gemm`, with rotated filters in the second.
//! * [`backward_weights`] (`gradient`) has M×M of `dy` in the role of the filter and R×R taps as
//!   outputs.
//!
//! After Lavin and Gray (2015), with other evaluation points (`points`). The error is below 2e-6 of
//! the largest value (4e-6 for the gradient of 5×5 taps), little more than that of the direct sum.
//! An infinite or undefined input makes all outputs of its tiles undefined, also those that do not
//! depend on it.

mod filters;
mod form;
mod gradient;
mod input_tile;
mod plane_layout;
mod points;
mod tile_gemm;
mod tiling;
mod transform;

pub(super) use form::WinogradForm;

use crate::{
    conv::{
        ConvShape,
        winograd::{
            filters::TransformedFilters, points::PointSet, points::WinogradPoints,
            tile_gemm::WinogradGemm, tiling::WinogradTiling,
        },
    },
    cpu::{Cpu, DisjointMut},
    view::{StridedRows, StridedRowsMut, Write},
};

/// Upper bound of the channels of a group: padding reads from as many zeros.
const CHANNELS_MAX: usize = 4096;

/// As [`forward`](super::forward), for a convolution with a Winograd form.
pub(super) fn forward(
    cpu: &Cpu,
    (form, conv): (WinogradForm, &ConvShape),
    x: &[f32],
    weights: &[f32],
    bias_and_relu: (Option<&[f32]>, Option<f32>),
    y: StridedRowsMut<'_>,
) {
    match form {
        WinogradForm::F23 => forward_as::<2, 3, 4>(cpu, conv, x, weights, bias_and_relu, y),
        WinogradForm::F43 => forward_as::<4, 3, 6>(cpu, conv, x, weights, bias_and_relu, y),
        WinogradForm::F25 => forward_as::<2, 5, 6>(cpu, conv, x, weights, bias_and_relu, y),
    }
}

/// As [`backward_data`](super::backward_data), for a convolution with a Winograd form.
pub(super) fn backward_data(
    cpu: &Cpu,
    (form, conv): (WinogradForm, &ConvShape),
    dy: StridedRows<'_>,
    weights: &[f32],
    dx: &mut [f32],
) {
    match form {
        WinogradForm::F23 => backward_data_as::<2, 3, 4>(cpu, conv, dy, weights, dx),
        WinogradForm::F43 => backward_data_as::<4, 3, 6>(cpu, conv, dy, weights, dx),
        WinogradForm::F25 => backward_data_as::<2, 5, 6>(cpu, conv, dy, weights, dx),
    }
}

/// As [`backward_weights`](super::backward_weights), for a convolution with a Winograd form.
pub(super) fn backward_weights(
    cpu: &Cpu,
    (form, conv): (WinogradForm, &ConvShape),
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    match form {
        WinogradForm::F23 => gradient::run::<2, 3, 4>(cpu, conv, x, dy, write, dw),
        WinogradForm::F43 => gradient::run::<4, 3, 6>(cpu, conv, x, dy, write, dw),
        WinogradForm::F25 => gradient::run::<2, 5, 6>(cpu, conv, x, dy, write, dw),
    }
}

fn forward_as<const M: usize, const R: usize, const N: usize>(
    cpu: &Cpu,
    conv: &ConvShape,
    x: &[f32],
    weights: &[f32],
    (bias, relu): (Option<&[f32]>, Option<f32>),
    y: StridedRowsMut<'_>,
) where
    PointSet<N>: WinogradPoints<N>,
{
    let filters = TransformedFilters::<R, N> { conv, weights, forward: true };
    cpu.with_shared(filters.len(), |packed| {
        filters.pack(cpu, packed);
        let product = WinogradGemm::<M, N> {
            tiling: WinogradTiling {
                n: conv.n,
                outputs: conv.out(),
                inputs: [conv.h, conv.w],
                pad: conv.pad,
            },
            group: conv.group,
            x: StridedRows::dense(x, conv.c),
            depth: conv.group_c(),
            packed,
            cols: conv.group_k(),
            bias,
            relu,
            strides: (y.stride, y.offset),
            y: DisjointMut::new(y.data, 1),
        };
        product.run(cpu);
    });
}

fn backward_data_as<const M: usize, const R: usize, const N: usize>(
    cpu: &Cpu,
    conv: &ConvShape,
    dy: StridedRows<'_>,
    weights: &[f32],
    dx: &mut [f32],
) where
    PointSet<N>: WinogradPoints<N>,
{
    let filters = TransformedFilters::<R, N> { conv, weights, forward: false };
    cpu.with_shared(filters.len(), |packed| {
        filters.pack(cpu, packed);
        let pad = conv.pad.map(|pad| R - 1 - pad);
        let product = WinogradGemm::<M, N> {
            tiling: WinogradTiling {
                n: conv.n,
                outputs: [conv.h, conv.w],
                inputs: conv.out(),
                pad,
            },
            group: conv.group,
            x: dy,
            depth: conv.group_k(),
            packed,
            cols: conv.group_c(),
            bias: None,
            relu: None,
            strides: (conv.c, 0),
            y: DisjointMut::new(dx, 1),
        };
        product.run(cpu);
    });
}
