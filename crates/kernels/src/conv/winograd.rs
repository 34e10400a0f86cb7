//! Winograd's convolution for kernels of 3×3 and 5×5 with stride 1: a half to a quarter of the products.
//!
//! An image is cut into tiles of M×M outputs, which need N×N inputs, N = M + R − 1 with R the kernel's side,
//! shared with the neighbours on each side. Inputs and filters are turned into N×N values each
//! (`transform`); output channel by input channel, these are multiplied pairwise and added over channels:
//! N² matrix products, (tiles, c) by (c, k), which the register tile makes. What comes out is turned back
//! into M×M outputs. The turning costs some additions a channel, against N² products for every pair of
//! channels, so it pays from about ten channels on; `form` estimates both and chooses.
//!
//! | M, R | products an output | sum of taps |
//! |---|--:|--:|
//! | 2, 3 | 4 | 9 |
//! | 4, 3 | 2.25 | 9 |
//! | 2, 5 | 9 | 25 |
//!
//! * [`forward`] and [`backward_data`] are the same `sweep`, with filters turned around in the second.
//! * [`backward_weights`] (`gradient`) has M×M of `dy` in the filter's part and R×R taps as outputs.
//!
//! After Lavin and Gray (2015), with other points (`points`), which keep the result as near to the exact one as
//! 2e-6 of the largest values (4e-6 for the gradient of 5×5 taps), hardly worse than the sum of taps. An infinite or undefined
//! input makes all outputs of its tiles undefined, also those that do not depend on it.

mod filters;
mod form;
mod gradient;
mod grid;
mod inputs;
mod planes;
mod points;
mod sweep;
mod transform;

pub(super) use form::Form;

use crate::{
    conv::{
        Conv,
        winograd::{filters::Turned, grid::Grid, points::At, points::Points, sweep::Sweep},
    },
    cpu::{Cpu, Pieces},
    view::{StridedRows, StridedRowsMut, Write},
};

/// More channels are not met, and would need as many zeros.
const CHANNELS_MAX: usize = 4096;

/// As [`forward`](super::forward), for a convolution that has a form.
pub(super) fn forward(
    cpu: &Cpu,
    (form, conv): (Form, &Conv),
    x: &[f32],
    weights: &[f32],
    ends: (Option<&[f32]>, Option<f32>),
    y: StridedRowsMut<'_>,
) {
    match form {
        Form::TwoOfThree => forward_as::<2, 3, 4>(cpu, conv, x, weights, ends, y),
        Form::FourOfThree => forward_as::<4, 3, 6>(cpu, conv, x, weights, ends, y),
        Form::TwoOfFive => forward_as::<2, 5, 6>(cpu, conv, x, weights, ends, y),
    }
}

/// As [`backward_data`](super::backward_data), for a convolution that has a form.
pub(super) fn backward_data(
    cpu: &Cpu,
    (form, conv): (Form, &Conv),
    dy: StridedRows<'_>,
    weights: &[f32],
    dx: &mut [f32],
) {
    match form {
        Form::TwoOfThree => backward_data_as::<2, 3, 4>(cpu, conv, dy, weights, dx),
        Form::FourOfThree => backward_data_as::<4, 3, 6>(cpu, conv, dy, weights, dx),
        Form::TwoOfFive => backward_data_as::<2, 5, 6>(cpu, conv, dy, weights, dx),
    }
}

/// As [`backward_weights`](super::backward_weights), for a convolution that has a form.
pub(super) fn backward_weights(
    cpu: &Cpu,
    (form, conv): (Form, &Conv),
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    match form {
        Form::TwoOfThree => gradient::run::<2, 3, 4>(cpu, conv, x, dy, write, dw),
        Form::FourOfThree => gradient::run::<4, 3, 6>(cpu, conv, x, dy, write, dw),
        Form::TwoOfFive => gradient::run::<2, 5, 6>(cpu, conv, x, dy, write, dw),
    }
}

fn forward_as<const M: usize, const R: usize, const N: usize>(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    weights: &[f32],
    (bias, relu): (Option<&[f32]>, Option<f32>),
    y: StridedRowsMut<'_>,
) where
    At<N>: Points<N>,
{
    let turned = Turned::<R, N> { conv, weights, forward: true };
    cpu.with_shared(turned.len(), |packed| {
        turned.pack(cpu, packed);
        let sweep = Sweep::<M, N> {
            grid: Grid { n: conv.n, outputs: conv.out(), inputs: [conv.h, conv.w], pad: conv.pad },
            group: conv.group,
            x: StridedRows::dense(x, conv.c),
            depth: conv.group_c(),
            packed,
            cols: conv.group_k(),
            bias,
            relu,
            strides: (y.stride, y.offset),
            y: Pieces::new(y.data, 1),
        };
        sweep.run(cpu);
    });
}

fn backward_data_as<const M: usize, const R: usize, const N: usize>(
    cpu: &Cpu,
    conv: &Conv,
    dy: StridedRows<'_>,
    weights: &[f32],
    dx: &mut [f32],
) where
    At<N>: Points<N>,
{
    let turned = Turned::<R, N> { conv, weights, forward: false };
    cpu.with_shared(turned.len(), |packed| {
        turned.pack(cpu, packed);
        let pad = conv.pad.map(|pad| R - 1 - pad);
        let sweep = Sweep::<M, N> {
            grid: Grid { n: conv.n, outputs: [conv.h, conv.w], inputs: conv.out(), pad },
            group: conv.group,
            x: dy,
            depth: conv.group_k(),
            packed,
            cols: conv.group_c(),
            bias: None,
            relu: None,
            strides: (conv.c, 0),
            y: Pieces::new(dx, 1),
        };
        sweep.run(cpu);
    });
}
