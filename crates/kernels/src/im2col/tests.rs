use proptest::prelude::*;

use super::{SpatialAxis, col2im, im2col};
use crate::{
    MatrixView, StridedRowsMut, Write,
    conv::ConvShape,
    gemm,
    reference::conv as reference,
    testing::{assert_close, noise, on_every_cpu},
};

/// A convolution through columns equals the convolution; images have one channel's layout in both.
#[test]
fn columns_times_weights_is_a_convolution() {
    let conv = ConvShape {
        n: 1,
        c: 1,
        h: 7,
        w: 6,
        k: 4,
        kernel: [3, 2],
        stride: [2, 1],
        pad: [1, 2],
        pad_end: [2, 0],
        dilation: [1, 2],
        group: 1,
    };
    let axis = |axis: usize, size| SpatialAxis {
        size,
        kernel: conv.kernel[axis],
        stride: conv.stride[axis],
        pad: conv.pad[axis],
        pad_end: conv.pad_end[axis],
        dilation: conv.dilation[axis],
    };
    let axes = [axis(0, conv.h), axis(1, conv.w)];
    let (x, w) = (noise(conv.x_len(), 1), noise(conv.weights_len(), 2));
    let want = reference::forward(&conv, &x, &w, None);
    let (outs, taps) = (conv.out_pixels(), 6);
    assert_eq!(axes.map(|axis| axis.out()), conv.out());
    on_every_cpu(|cpu| {
        let (mut col, mut y) = (vec![7.0; taps * outs], vec![7.0; outs * 4]);
        im2col(cpu, 1, &axes, &x, &mut col);
        let (cols, weights) =
            (MatrixView::transposed(&col, outs), MatrixView::transposed(&w, taps));
        gemm(cpu, outs, 4, taps, cols, weights, Write::Set, StridedRowsMut::dense(&mut y, 4));
        assert_close(&y, &want, 1e-5);
        y
    });
}

fn axes() -> impl Strategy<Value = Vec<SpatialAxis>> {
    let pads = (0..3_usize, 0..3_usize);
    let axis = (1..6_usize, 1..4_usize, 1..3_usize, pads, 1..3_usize).prop_map(
        |(size, kernel, stride, (pad, pad_end), dilation)| SpatialAxis {
            size,
            kernel,
            stride,
            pad,
            pad_end,
            dilation,
        },
    );
    prop::collection::vec(axis, 1..4)
}

proptest! {
    /// `<im2col(x), col> = <x, col2im(col)>` says that each is the other's gradient.
    #[test]
    fn each_is_the_transpose_of_the_other(c in 1..4_usize, axes in axes()) {
        let size = |f: fn(&SpatialAxis) -> usize| axes.iter().map(f).product::<usize>();
        let (x_len, col_len) = (c * size(|a| a.size), c * size(|a| a.kernel) * size(SpatialAxis::out));
        let (x, col) = (noise(x_len, 1), noise(col_len, 2));
        let dot = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
        };
        on_every_cpu(|cpu| {
            let (mut x_cols, mut col_image) = (vec![7.0; col_len], vec![7.0; x_len]);
            im2col(cpu, c, &axes, &x, &mut x_cols);
            col2im(cpu, c, &axes, &col, &mut col_image);
            let (there, back) = (dot(&x_cols, &col), dot(&x, &col_image));
            assert!((there - back).abs() < 1e-4, "{there} and {back}");
            [x_cols, col_image].concat()
        });
    }
}
