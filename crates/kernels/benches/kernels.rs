//! Speed of the kernels: `cargo bench -p kernels -- conv`. Compare `forward` with `reference` in
//! one table.
//!
//! `examples/roofline.rs` prints the fraction of the FMA peak.

use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use kernels::{
    Activation, ConvShape, Cpu, MatrixView, Simd, StridedRows, StridedRowsMut, Unary, Write,
    batch_norm, conv, elementwise, gemm as product,
    interpolation::{self, Interpolation},
    lrn::{self, LrnOptions},
    pooling::{self, PoolingShape, Rounding},
    reference, relu,
    roi_pooling::{self, RoiBins, RoiImages},
};

fn main() {
    divan::main();
}

/// Threads of the worker.
const THREADS: [usize; 2] = [1, 2];

fn cpu(threads: usize) -> Cpu {
    Cpu::new(threads, Simd::detect())
}

/// ResNet-50's 3x3 of 14x14 images, batch 8: counted in multiply-adds.
fn resnet() -> ConvShape {
    let (kernel, ones) = ([3; 2], [1; 2]);
    ConvShape {
        n: 8,
        c: 256,
        h: 14,
        w: 14,
        k: 256,
        kernel,
        stride: ones,
        pad: ones,
        pad_end: ones,
        dilation: ones,
        group: 1,
    }
}

/// One channel per group: MobileNet's 3x3 of 56x56 images, batch 8.
fn depthwise() -> ConvShape {
    ConvShape { c: 128, h: 56, w: 56, k: 128, group: 128, ..resnet() }
}

/// Taps two pixels apart: DeepLab's 3x3 of 28x28 images, batch 8.
fn dilated() -> ConvShape {
    ConvShape { h: 28, w: 28, pad: [2; 2], pad_end: [2; 2], dilation: [2; 2], ..resnet() }
}

#[divan::bench(args = THREADS)]
fn conv_forward(bench: Bencher<'_, '_>, threads: usize) {
    forward(bench, threads, &resnet());
}

#[divan::bench(args = THREADS)]
fn depthwise_forward(bench: Bencher<'_, '_>, threads: usize) {
    forward(bench, threads, &depthwise());
}

#[divan::bench(args = THREADS)]
fn dilated_forward(bench: Bencher<'_, '_>, threads: usize) {
    forward(bench, threads, &dilated());
}

fn forward(bench: Bencher<'_, '_>, threads: usize, shape: &ConvShape) {
    let cpu = cpu(threads);
    let (x, w) = (vec![0.5; shape.x_len()], vec![0.25; shape.weights_len()]);
    let mut y = vec![0.0; shape.out_pixels() * shape.k];
    bench.counter(ItemsCount::new(shape.flops() / 2)).bench_local(|| {
        let y = StridedRowsMut::dense(&mut y, shape.k);
        conv::forward(&cpu, shape, &x, &w, None, Activation::Linear, y);
    });
}

/// The reference, on one image.
#[divan::bench(sample_count = 3)]
fn conv_reference(bench: Bencher<'_, '_>) {
    let shape = ConvShape { n: 1, ..resnet() };
    let (x, w) = (vec![0.5; shape.x_len()], vec![0.25; shape.weights_len()]);
    bench
        .counter(ItemsCount::new(shape.flops() / 2))
        .bench_local(|| reference::conv::forward(&shape, &x, &w, None));
}

#[divan::bench(args = THREADS)]
fn conv_backward_data(bench: Bencher<'_, '_>, threads: usize) {
    backward_data(bench, threads, &resnet());
}

#[divan::bench(args = THREADS)]
fn depthwise_backward_data(bench: Bencher<'_, '_>, threads: usize) {
    backward_data(bench, threads, &depthwise());
}

#[divan::bench(args = THREADS)]
fn dilated_backward_data(bench: Bencher<'_, '_>, threads: usize) {
    backward_data(bench, threads, &dilated());
}

fn backward_data(bench: Bencher<'_, '_>, threads: usize, shape: &ConvShape) {
    let cpu = cpu(threads);
    let (dy, w) = (vec![0.5; shape.out_pixels() * shape.k], vec![0.25; shape.weights_len()]);
    let mut dx = vec![0.0; shape.x_len()];
    bench.counter(ItemsCount::new(shape.flops() / 2)).bench_local(|| {
        conv::backward_data(&cpu, shape, StridedRows::dense(&dy, shape.k), &w, &mut dx);
    });
}

#[divan::bench(args = THREADS)]
fn conv_backward_weights(bench: Bencher<'_, '_>, threads: usize) {
    backward_weights(bench, threads, &resnet());
}

#[divan::bench(args = THREADS)]
fn depthwise_backward_weights(bench: Bencher<'_, '_>, threads: usize) {
    backward_weights(bench, threads, &depthwise());
}

#[divan::bench(args = THREADS)]
fn dilated_backward_weights(bench: Bencher<'_, '_>, threads: usize) {
    backward_weights(bench, threads, &dilated());
}

fn backward_weights(bench: Bencher<'_, '_>, threads: usize, shape: &ConvShape) {
    let cpu = cpu(threads);
    let (dy, x) = (vec![0.5; shape.out_pixels() * shape.k], vec![0.25; shape.x_len()]);
    let mut dw = vec![0.0; shape.weights_len()];
    bench.counter(ItemsCount::new(shape.flops() / 2)).bench_local(|| {
        conv::backward_weights(
            &cpu,
            shape,
            &x,
            StridedRows::dense(&dy, shape.k),
            Write::Set,
            &mut dw,
        );
    });
}

#[divan::bench(args = THREADS)]
fn gemm(bench: Bencher<'_, '_>, threads: usize) {
    let (cpu, side) = (cpu(threads), 512);
    let (a, b, mut c) = (vec![0.5; side * side], vec![0.25; side * side], vec![0.0; side * side]);
    bench.counter(ItemsCount::new(side.pow(3))).bench_local(|| {
        let (a, b) = (MatrixView::new(&a, side), MatrixView::new(&b, side));
        product(&cpu, side, side, side, a, b, Write::Set, StridedRowsMut::dense(&mut c, side));
    });
}

/// Values of the kernels below, which should run at memory bandwidth.
const VALUES: usize = 8 * 56 * 56 * 64;

#[divan::bench(args = THREADS)]
fn add(bench: Bencher<'_, '_>, threads: usize) {
    let (cpu, x, mut y) = (cpu(threads), vec![0.5; VALUES], vec![0.0; VALUES]);
    bench
        .counter(BytesCount::of_many::<f32>(3 * VALUES))
        .bench_local(|| elementwise::add(&cpu, &x, &mut y));
}

#[divan::bench(args = THREADS)]
fn relu_forward(bench: Bencher<'_, '_>, threads: usize) {
    let (cpu, mut y) = (cpu(threads), vec![0.5; VALUES]);
    bench
        .counter(BytesCount::of_many::<f32>(2 * VALUES))
        .bench_local(|| relu::forward(&cpu, 0.0, Unary::InPlace(&mut y)));
}

#[divan::bench(args = THREADS)]
fn max_pooling(bench: Bencher<'_, '_>, threads: usize) {
    let (kernel, stride) = ([3; 2], [2; 2]);
    let (pad, rounding) = ([0; 2], Rounding::Ceil);
    let pad_end = pad;
    let pool = PoolingShape { n: 8, c: 64, h: 56, w: 56, kernel, stride, pad, pad_end, rounding };
    let (cpu, x) = (cpu(threads), vec![0.5; VALUES]);
    let (mut y, mut mask) = (vec![0.0; pool.y_len()], vec![0; pool.y_len()]);
    bench
        .counter(BytesCount::of_many::<f32>(VALUES + 2 * pool.y_len()))
        .bench_local(|| pooling::max_forward(&cpu, &pool, &x, &mut y, &mut mask));
}

#[divan::bench(args = THREADS)]
fn lrn_forward(bench: Bencher<'_, '_>, threads: usize) {
    let shape = LrnOptions { pixels: VALUES / 64, c: 64, size: 5, alpha: 1e-4, beta: 0.75, k: 1.0 };
    let (cpu, x) = (cpu(threads), vec![0.5; VALUES]);
    let mut y = vec![0.0; VALUES];
    bench
        .counter(BytesCount::of_many::<f32>(2 * VALUES))
        .bench_local(|| lrn::forward(&cpu, &shape, &x, &mut y));
}

#[divan::bench(args = THREADS)]
fn batch_statistics(bench: Bencher<'_, '_>, threads: usize) {
    let (cpu, x) = (cpu(threads), vec![0.5; VALUES]);
    let (mut mean, mut variance) = (vec![0.0; 64], vec![0.0; 64]);
    bench.counter(BytesCount::of_many::<f32>(VALUES)).bench_local(|| {
        batch_norm::statistics(&cpu, VALUES / 64, 64, &x[..], &mut mean, &mut variance);
    });
}

/// PSPNet's last layer but with 21 classes: 60 by 60 pixels to 473 by 473.
#[divan::bench(args = THREADS)]
fn interpolation_forward(bench: Bencher<'_, '_>, threads: usize) {
    let shape = Interpolation::new((1, 21), [60; 2], &[0..60, 0..60], [473; 2]);
    let (cpu, x) = (cpu(threads), vec![0.5; 21 * 60 * 60]);
    let mut y = vec![0.0; 21 * 473 * 473];
    bench
        .counter(BytesCount::of_many::<f32>(x.len() + y.len()))
        .bench_local(|| interpolation::forward(&cpu, &shape, &x, &mut y));
}

/// Fast R-CNN's boxes: 128 of 14 by 14 pixels in 7 by 7 bins of 512 channels.
#[divan::bench(args = THREADS)]
fn roi_max_pooling(bench: Bencher<'_, '_>, threads: usize) {
    let images = RoiImages { n: 2, c: 512, h: 38, w: 63 };
    let mut bins = RoiBins::new(128, [7; 2]);
    (0..128).for_each(|at| bins.place(at, at % 2, |_, i| at % 24 + 2 * i..at % 24 + 2 * i + 2));
    let (cpu, x) = (cpu(threads), vec![0.5; 2 * 38 * 63 * 512]);
    let mut y = vec![0.0; 128 * 49 * 512];
    let mut mask = vec![0; y.len()];
    bench
        .counter(BytesCount::of_many::<f32>(6 * y.len()))
        .bench_local(|| roi_pooling::max_forward(&cpu, &images, &bins, &x, (&mut y, &mut mask)));
}
