use proptest::prelude::*;

use super::{backward_weights, unpacked};
use crate::{
    StridedRows, Write,
    conv::ConvShape,
    reference::conv as reference,
    testing::{assert_close, noise, on_every_cpu},
};

/// Convolutions with packed and with unpacked input, with more than a block of pixels, and with
/// enough images to skip padding by position.
fn convs() -> impl Strategy<Value = ConvShape> {
    let sizes = (1..=9_usize, 4..=7_usize, 4..=7_usize);
    let channels = (1..=2_usize, prop::sample::select(vec![3, 16, 20, 32]), 100..=160_usize);
    let pair = |max: usize| prop::array::uniform2(1..=max);
    let pads = prop::array::uniform2(prop::array::uniform2(0..=2_usize));
    (sizes, channels, pair(3), pair(2), pads, pair(2))
        .prop_map(|((n, h, w), (group, c, k), kernel, stride, [pad, pad_end], dilation)| {
            ConvShape {
                n,
                c: c * group,
                h,
                w,
                k: k * group,
                kernel,
                stride,
                pad,
                pad_end,
                dilation,
                group,
            }
        })
        .prop_filter("the kernel fits", |conv| conv.out_pixels() > 0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn many_outputs_equal_the_reference(conv in convs()) {
        let (x, dy) = (noise(conv.x_len(), 1), noise(conv.out_pixels() * conv.k, 2));
        let want = reference::backward_weights(&conv, &x, &dy);
        let twice: Vec<f64> = want.iter().map(|v| 2.0 * v).collect();
        let tolerance = 1e-5 * (conv.out_pixels() as f64).sqrt().max(4.0);
        on_every_cpu(|cpu| {
            let (dy, mut dw) = (StridedRows::dense(&dy, conv.k), vec![7.0; conv.weights_len()]);
            backward_weights(cpu, &conv, &x, dy, Write::Set, &mut dw);
            assert_close(&dw, &want, tolerance);
            backward_weights(cpu, &conv, &x, dy, Write::Add, &mut dw);
            assert_close(&dw, &twice, 2.0 * tolerance);
            dw
        });
    }
}

/// No pixels: the gradient is zero, and must be written.
#[test]
fn the_gradient_of_no_images_is_zero() {
    let (kernel, ones) = ([3; 2], [1; 2]);
    let conv = ConvShape {
        n: 0,
        c: 5,
        h: 6,
        w: 6,
        k: 7,
        kernel,
        stride: ones,
        pad: ones,
        pad_end: ones,
        dilation: ones,
        group: 1,
    };
    assert!(unpacked::applies(&conv), "the kernel that this is about");
    on_every_cpu(|cpu| {
        let mut dw = vec![7.0; conv.weights_len()];
        backward_weights(cpu, &conv, &[], StridedRows::dense(&[], conv.k), Write::Set, &mut dw);
        assert!(dw.iter().all(|&v| v == 0.0), "{dw:?}");
        dw
    });
}
