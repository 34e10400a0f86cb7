use proptest::prelude::*;

use super::{
    Activation, ConvShape, backward_bias, backward_data, backward_weights, forward,
    winograd::{self, WinogradForm},
};
use crate::{
    Cpu, Simd, StridedRows, StridedRowsMut, Write,
    reference::{conv as reference, matrix::column_sums, pointwise, widen},
    testing::{assert_close, noise, on_every_cpu},
};

/// Padding before and after; the same in most cases, as in most networks.
fn pads(max: usize) -> impl Strategy<Value = [[usize; 2]; 2]> {
    let pair = move || prop::array::uniform2(0..=max);
    prop_oneof![2 => pair().prop_map(|pad| [pad; 2]), 1 => prop::array::uniform2(pair())]
}

/// Small convolutions of every kind: grouped, strided, dilated, padded, few and many channels.
fn convs() -> impl Strategy<Value = ConvShape> {
    let pair = |max: usize| prop::array::uniform2(1..=max);
    let pads = pads(3);
    let sizes = (1..=3_usize, 1..=9_usize, 1..=9_usize);
    let channels = (1..=3_usize, 1..=20_usize, 1..=20_usize);
    (sizes, channels, pair(4), pair(3), pads, pair(2))
        .prop_map(|((n, h, w), (group, c, k), kernel, stride, [pad, pad_end], dilation)| {
            // Sometimes one channel per group.
            let (c, k) = if c == k { (group, group) } else { (c * group, k * group) };
            ConvShape { n, c, h, w, k, kernel, stride, pad, pad_end, dilation, group }
        })
        .prop_filter("the kernel fits", |conv| conv.out_pixels() > 0)
}

/// Small convolutions of 3×3 and 5×5 with stride 1 and enough channels for Winograd convolution.
fn wide_convs() -> impl Strategy<Value = ConvShape> {
    let (side, pads) = (prop::sample::select(vec![3, 5]), pads(2));
    let sizes = (1..=3_usize, 2..=13_usize, 2..=13_usize);
    let channels = (1..=2_usize, 8..=40_usize, 8..=40_usize);
    (sizes, channels, side, pads)
        .prop_map(|((n, h, w), (group, c, k), side, [pad, pad_end])| {
            let (kernel, ones) = ([side; 2], [1; 2]);
            let (c, k) = (c * group, k * group);
            ConvShape { n, c, h, w, k, kernel, stride: ones, pad, pad_end, dilation: ones, group }
        })
        .prop_filter("the kernel fits", |conv| conv.out_pixels() > 0)
}

/// Compares all passes with the reference; `y` and `dy` lie in the middle of wider rows.
fn check(conv: &ConvShape) {
    let (x, w) = (noise(conv.x_len(), 1), noise(conv.weights_len(), 2));
    let (rows, k) = (conv.out_pixels(), conv.k);
    let (bias, dy) = (noise(k, 3), noise(rows * k, 4));
    let (stride, offset) = (k + 5, 2);
    let tolerance = 1e-5 * (conv.weights_len() as f64).sqrt().max(4.0);

    let slope = 0.25;
    let want: Vec<f64> = reference::forward(conv, &x, &w, Some(&bias))
        .iter()
        .map(|&v| pointwise::relu(v, f64::from(slope)))
        .collect();
    on_every_cpu(|cpu| {
        let mut wide = vec![7.0; rows * stride];
        let y = StridedRowsMut { data: &mut wide, stride, offset };
        forward(cpu, conv, &x, &w, Some(&bias), Activation::Relu { slope }, y);
        let narrow: Vec<f32> =
            wide.chunks_exact(stride).flat_map(|row| row[offset..][..k].to_vec()).collect();
        assert_close(&narrow, &want, tolerance);
        let around = wide.iter().enumerate().filter(|(i, _)| !(2..k + 2).contains(&(i % stride)));
        assert!(around.map(|(_, &v)| v).all(|v| v == 7.0), "wrote between the rows");
        narrow
    });

    let mut wide = vec![7.0; rows * stride];
    for (wide, dy) in wide.chunks_exact_mut(stride).zip(dy.chunks_exact(k)) {
        wide[offset..][..k].copy_from_slice(dy);
    }
    let dy_rows = StridedRows { data: &wide, stride, offset };
    let want = reference::backward_data(conv, &dy, &w);
    on_every_cpu(|cpu| {
        let mut dx = vec![7.0; conv.x_len()];
        backward_data(cpu, conv, dy_rows, &w, &mut dx);
        assert_close(&dx, &want, tolerance);
        dx
    });

    let want = reference::backward_weights(conv, &x, &dy);
    let twice: Vec<f64> = want.iter().map(|v| 2.0 * v).collect();
    let tolerance = 1e-5 * (rows as f64).sqrt().max(4.0);
    on_every_cpu(|cpu| {
        let mut dw = vec![7.0; conv.weights_len()];
        backward_weights(cpu, conv, &x, dy_rows, Write::Set, &mut dw);
        assert_close(&dw, &want, tolerance);
        backward_weights(cpu, conv, &x, dy_rows, Write::Add, &mut dw);
        assert_close(&dw, &twice, 2.0 * tolerance);
        dw
    });

    let want = column_sums(k, &widen(&dy));
    on_every_cpu(|cpu| {
        let mut db = vec![7.0; k];
        backward_bias(cpu, rows, k, dy_rows, Write::Set, &mut db);
        assert_close(&db, &want, 1e-5);
        db
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn all_passes_equal_the_reference(conv in convs()) {
        check(&conv);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn all_passes_of_winograd_equal_the_reference(conv in wide_convs()) {
        check(&conv);
    }
}

/// Largest error of `got`, relative to the largest value.
fn error(got: &[f32], want: &[f64]) -> f64 {
    let largest = want.iter().fold(0.0, |max: f64, v| max.max(v.abs()));
    got.iter().zip(want).fold(0.0, |max: f64, (&got, want)| max.max((f64::from(got) - want).abs()))
        / largest
}

/// Every form of Winograd convolution is nearly as accurate as the direct sum.
#[test]
fn winograd_keeps_six_digits() {
    let forms = [
        (WinogradForm::F23, 10, 3, 0, 1e-6),
        (WinogradForm::F43, 14, 3, 1, 2e-6),
        (WinogradForm::F25, 14, 5, 2, 5e-6),
    ];
    for (form, side, taps, pad, max) in forms {
        let (n, ones) = (4, [1; 2]);
        let conv = ConvShape {
            n,
            c: 96,
            h: side,
            w: side,
            k: 96,
            kernel: [taps; 2],
            stride: ones,
            pad: [pad; 2],
            pad_end: [pad; 2],
            dilation: ones,
            group: 1,
        };
        let (x, w) = (noise(conv.x_len(), 1), noise(conv.weights_len(), 2));
        let dy = noise(conv.out_pixels() * conv.k, 3);
        let want = [
            reference::forward(&conv, &x, &w, None),
            reference::backward_data(&conv, &dy, &w),
            reference::backward_weights(&conv, &x, &dy),
        ];
        let cpu = Cpu::new(2, Simd::detect());
        let mut got = want.each_ref().map(|want| vec![0.0; want.len()]);
        let [y, dx, dw] = &mut got;
        let (how, dy) = ((form, &conv), StridedRows::dense(&dy, conv.k));
        winograd::forward(&cpu, how, &x, &w, (None, None), StridedRowsMut::dense(y, conv.k));
        winograd::backward_data(&cpu, how, dy, &w, dx);
        winograd::backward_weights(&cpu, how, &x, dy, Write::Set, dw);
        let errors: Vec<f64> = got.iter().zip(&want).map(|(got, want)| error(got, want)).collect();
        assert!(errors.iter().all(|&error| error < max), "{form:?}: {errors:?}");
    }
}

/// (n, c, side, k, kernel, stride, pad, group): shapes of networks, shrunk where only size would
/// grow.
#[test]
fn shapes_of_networks() {
    let shapes = [
        [2, 3, 35, 40, 11, 4, 0, 1],  // AlexNet conv1
        [1, 96, 13, 64, 5, 1, 2, 2],  // conv2
        [3, 300, 7, 40, 3, 1, 1, 1],  // more channels than one block of the reduction
        [2, 3, 30, 64, 7, 2, 3, 1],   // ResNet conv1
        [2, 40, 14, 70, 1, 2, 0, 1],  // its 1x1 / 2
        [2, 600, 7, 24, 1, 1, 0, 1],  // its 1x1
        [2, 2112, 7, 24, 1, 1, 0, 1], // more channels than one block of a pointwise reduction
        [2, 1056, 9, 50, 1, 1, 0, 2], // tiles of weights that do not fill up, in groups
        [2, 1, 28, 20, 5, 1, 0, 1],   // LeNet conv1
        [1, 24, 9, 24, 3, 1, 1, 24],  // depthwise
        [1, 24, 9, 24, 3, 2, 1, 24],  // depthwise, strided
        [9, 32, 8, 20, 5, 1, 2, 1],   // CIFAR's conv3: padding of many images is skipped
        [8, 32, 9, 12, 3, 2, 1, 2],   // the same, strided and grouped
        [17, 16, 3, 8, 3, 1, 1, 1],   // two groups of images
        [2, 17, 12, 400, 3, 1, 1, 1], // more outputs than a block of them
        [8, 24, 16, 20, 3, 1, 1, 1],  // enough tiles for several partial sums
    ];
    for [n, c, side, k, kernel, stride, pad, group] in shapes {
        check(&ConvShape {
            n,
            c,
            h: side,
            w: side,
            k,
            kernel: [kernel; 2],
            stride: [stride; 2],
            pad: [pad; 2],
            pad_end: [pad; 2],
            dilation: [1, 1],
            group,
        });
    }
}

/// A batch without images, for every form of convolution: an empty sum is 0.
#[test]
fn no_images() {
    let shapes = [[16, 16, 3, 1], [200, 160, 1, 1], [20, 20, 5, 1], [8, 8, 3, 8]];
    for [c, k, kernel, group] in shapes {
        let (kernel, ones) = ([kernel; 2], [1; 2]);
        let conv = ConvShape {
            n: 0,
            c,
            h: 8,
            w: 8,
            k,
            kernel,
            stride: ones,
            pad: [0; 2],
            pad_end: [0; 2],
            dilation: ones,
            group,
        };
        check(&conv);
    }
}
