//! Forward convolution.

use crate::{
    conv::{
        Activation, ConvShape, depthwise,
        implicit_gemm::{ImplicitGemm, PixelGrid},
        input_taps::InputTaps,
        pack_weights, winograd,
    },
    cpu::{Cpu, DisjointMut},
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
    conv: &ConvShape,
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
    if let Some(form) = winograd::WinogradForm::of(conv, conv.out()) {
        return winograd::forward(cpu, (form, conv), x, weights, (bias, relu), y);
    }
    let taps = InputTaps::of(conv);
    let packed_len = pack_weights::packed_len(conv, taps.taps.len() * taps.len, conv.group_k());
    cpu.with_shared(packed_len + taps.copy_len(conv), |scratch| {
        let (packed, copy) = scratch.split_at_mut(packed_len);
        pack_weights::pack_forward(cpu, conv, weights, packed);
        let x = taps.image(cpu, conv, x, copy);
        let product = ImplicitGemm {
            n: conv.n,
            positions: conv.out(),
            group: conv.group,
            x,
            x_grid: PixelGrid {
                size: taps.padded(conv),
                stride: conv.c,
                offset: 0,
                origin: [0, 0],
                step: conv.stride,
            },
            taps: &taps.taps,
            len: taps.len,
            packed,
            cols: conv.group_k(),
            bias,
            relu,
            y_grid: PixelGrid {
                size: conv.out(),
                stride: y.stride,
                offset: y.offset,
                origin: [0, 0],
                step: [1, 1],
            },
            y: DisjointMut::new(y.data, 1),
        };
        product.run(cpu);
    });
}
