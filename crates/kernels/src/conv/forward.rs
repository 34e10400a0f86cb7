//! Forward convolution.

use crate::{
    conv::{
        Activation, Conv, depthwise,
        runs::Runs,
        sweep::{Grid, Sweep},
        weights, winograd,
    },
    cpu::{Cpu, Pieces},
    view::StridedRowsMut,
};

/// `y = activation(conv(x, weights) + bias)`.
///
/// * `x`: (n, h, w, c)
/// * `weights`: (k, c / group, kernel height, kernel width)
/// * `bias`: (k)
/// * `y`: n · out height · out width rows of k
///
/// # Panics
///
/// If an operand does not fit `conv`.
pub fn forward(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    weights: &[f32],
    bias: Option<&[f32]>,
    activation: Activation,
    y: StridedRowsMut<'_>,
) {
    conv.check();
    assert_eq!(x.len(), conv.x_len(), "x of {conv:?}");
    assert_eq!(weights.len(), conv.weights_len(), "weights of {conv:?}");
    assert!(bias.is_none_or(|bias| bias.len() == conv.k), "bias of {conv:?}");
    y.check(conv.out_pixels(), conv.k);
    let relu = match activation {
        Activation::Linear => None,
        Activation::Relu { slope } => Some(slope),
    };
    if depthwise::applies(conv) {
        return depthwise::forward(cpu, conv, x, weights, bias, relu, y);
    }
    if let Some(form) = winograd::Form::of(conv, conv.out()) {
        return winograd::forward(cpu, (form, conv), x, weights, (bias, relu), y);
    }
    let runs = Runs::of(conv);
    let packed_len = weights::packed_len(conv, runs.taps.len() * runs.len, conv.group_k());
    cpu.with_shared(packed_len + runs.copy_len(conv), |scratch| {
        let (packed, copy) = scratch.split_at_mut(packed_len);
        weights::pack_forward(cpu, conv, weights, packed);
        let x = runs.image(cpu, conv, x, copy);
        let sweep = Sweep {
            n: conv.n,
            positions: conv.out(),
            group: conv.group,
            x,
            x_grid: Grid {
                size: runs.padded(conv),
                stride: conv.c,
                offset: 0,
                origin: [0, 0],
                step: conv.stride,
            },
            taps: &runs.taps,
            len: runs.len,
            packed,
            cols: conv.group_k(),
            bias,
            relu,
            y_grid: Grid {
                size: conv.out(),
                stride: y.stride,
                offset: y.offset,
                origin: [0, 0],
                step: [1, 1],
            },
            y: Pieces::new(y.data, 1),
        };
        sweep.run(cpu);
    });
}
