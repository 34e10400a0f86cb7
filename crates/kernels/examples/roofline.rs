//! The fraction of the FMA peak that convolutions, inner products and matrix products reach.
//!
//! `cargo run --release -p kernels --example roofline [-- FILTER]`
//!
//! The blobs of a network are on huge pages; `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` gives them to
//! this program too. The peak is measured in the same run, between the shapes, and each figure is
//! the best of several: on a busy machine only the ratio is meaningful. Inner products of small
//! batches, which are limited by memory, show the bytes of their operands per second instead.

use std::{hint::black_box, time::Instant};

use kernels::{
    Activation, ConvShape, Cpu, MatrixView, Simd, StridedRows, StridedRowsMut, Write, conv, gemm,
    inner_product::{self, InnerProductShape},
};

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let cpus = [1, 2].map(|threads| Cpu::new(threads, Simd::detect()));
    println!("share of the FMA peak, GFLOPS in brackets; peak of one core {:.0} GFLOPS", peak());
    println!("{:34} {:>32} {:>32}", "", "1 thread", "2 threads");
    println!("{:34} {}", "shape", "     forward       data    weights ".repeat(2));
    let dilated =
        ConvShape { dilation: [2; 2], ..SquareConv([8, 256, 28, 256, 3, 1, 2, 1]).conv() };
    let shapes = SHAPES.iter().map(|(name, shape)| (*name, shape.conv()));
    for (name, shape) in shapes.chain([("dilated 3x3 256-256 @28", dilated)]) {
        if name.contains(&filter) {
            let lines = cpus.each_ref().map(|cpu| conv_line(cpu, &shape));
            println!("{name:34} {}", lines.concat());
        }
    }
    for ip in IPS {
        let name = format!("ip {ip:?}");
        if name.contains(&filter) {
            let lines = cpus.each_ref().map(|cpu| ip_line(cpu, ip));
            println!("{name:34} {}", lines.concat());
        }
    }
    for side in [256, 1024] {
        let name = format!("gemm {side}");
        if name.contains(&filter) {
            let lines = cpus.each_ref().map(|cpu| gemm_line(cpu, side));
            println!("{name:34} {}", lines.concat());
        }
    }
}

/// A square convolution: n, c, side, k, kernel, stride, pad, group.
struct SquareConv([usize; 8]);

impl SquareConv {
    fn conv(&self) -> ConvShape {
        let [n, c, side, k, kernel, stride, pad, group] = self.0;
        let (kernel, stride, pad) = ([kernel; 2], [stride; 2], [pad; 2]);
        let (pad_end, dilation) = (pad, [1, 1]);
        ConvShape { n, c, h: side, w: side, k, kernel, stride, pad, pad_end, dilation, group }
    }
}

const SHAPES: [(&str, SquareConv); 34] = [
    ("alexnet conv1 11x11/4 3-96", SquareConv([32, 3, 227, 96, 11, 4, 0, 1])),
    ("alexnet conv2 5x5 g2 96-256", SquareConv([32, 96, 27, 256, 5, 1, 2, 2])),
    ("alexnet conv3 3x3 256-384", SquareConv([32, 256, 13, 384, 3, 1, 1, 1])),
    ("alexnet conv4 3x3 g2 384-384", SquareConv([32, 384, 13, 384, 3, 1, 1, 2])),
    ("alexnet conv5 3x3 g2 384-256", SquareConv([32, 384, 13, 256, 3, 1, 1, 2])),
    ("nin cccp1 1x1 96-96 @55", SquareConv([32, 96, 55, 96, 1, 1, 0, 1])),
    ("nin conv2 5x5 96-256 @27", SquareConv([32, 96, 27, 256, 5, 1, 2, 1])),
    ("nin cccp3 1x1 256-256 @27", SquareConv([32, 256, 27, 256, 1, 1, 0, 1])),
    ("nin conv4 3x3 384-1024 @6", SquareConv([32, 384, 6, 1024, 3, 1, 1, 1])),
    ("nin cccp7 1x1 1024-1024 @6", SquareConv([32, 1024, 6, 1024, 1, 1, 0, 1])),
    ("googlenet conv1 7x7/2 3-64", SquareConv([16, 3, 224, 64, 7, 2, 3, 1])),
    ("googlenet conv2 3x3 64-192 @56", SquareConv([16, 64, 56, 192, 3, 1, 1, 1])),
    ("googlenet 3a 1x1 192-64 @28", SquareConv([16, 192, 28, 64, 1, 1, 0, 1])),
    ("googlenet 3a 3x3 96-128 @28", SquareConv([16, 96, 28, 128, 3, 1, 1, 1])),
    ("googlenet 3a 5x5 16-32 @28", SquareConv([16, 16, 28, 32, 5, 1, 2, 1])),
    ("googlenet 3a 1x1 192-16 @28", SquareConv([16, 192, 28, 16, 1, 1, 0, 1])),
    ("googlenet 4e 3x3 160-320 @14", SquareConv([16, 160, 14, 320, 3, 1, 1, 1])),
    ("googlenet 5b 1x1 832-384 @7", SquareConv([16, 832, 7, 384, 1, 1, 0, 1])),
    ("resnet conv1 7x7/2 3-64", SquareConv([8, 3, 224, 64, 7, 2, 3, 1])),
    ("resnet 2 1x1 64-64 @56", SquareConv([8, 64, 56, 64, 1, 1, 0, 1])),
    ("resnet 2 3x3 64-64 @56", SquareConv([8, 64, 56, 64, 3, 1, 1, 1])),
    ("resnet 2 1x1 64-256 @56", SquareConv([8, 64, 56, 256, 1, 1, 0, 1])),
    ("resnet 3 1x1/2 256-512 @56", SquareConv([8, 256, 56, 512, 1, 2, 0, 1])),
    ("resnet 3 3x3 128-128 @28", SquareConv([8, 128, 28, 128, 3, 1, 1, 1])),
    ("resnet 4 3x3 256-256 @14", SquareConv([8, 256, 14, 256, 3, 1, 1, 1])),
    ("resnet 4 1x1 1024-256 @14", SquareConv([8, 1024, 14, 256, 1, 1, 0, 1])),
    ("resnet 5 3x3 512-512 @7", SquareConv([8, 512, 7, 512, 3, 1, 1, 1])),
    ("resnet 5 1x1 512-2048 @7", SquareConv([8, 512, 7, 2048, 1, 1, 0, 1])),
    ("lenet conv1 5x5 1-20 @28", SquareConv([64, 1, 28, 20, 5, 1, 0, 1])),
    ("lenet conv2 5x5 20-50 @12", SquareConv([64, 20, 12, 50, 5, 1, 0, 1])),
    ("cifar conv1 5x5 3-32 @32", SquareConv([100, 3, 32, 32, 5, 1, 2, 1])),
    ("cifar conv2 5x5 32-32 @16", SquareConv([100, 32, 16, 32, 5, 1, 2, 1])),
    ("cifar conv3 5x5 32-64 @8", SquareConv([100, 32, 8, 64, 5, 1, 2, 1])),
    ("depthwise 3x3 128 @56", SquareConv([8, 128, 56, 128, 3, 1, 1, 128])),
];

fn conv_line(cpu: &Cpu, shape: &ConvShape) -> String {
    let (x, w) = (vec![0.5; shape.x_len()], vec![0.25; shape.weights_len()]);
    let (bias, mut y) = (vec![0.5; shape.k], vec![0.5; shape.out_pixels() * shape.k]);
    let (mut dx, mut dw) = (x.clone(), w.clone());
    let relu = Activation::Relu { slope: 0.0 };
    let forward = best(cpu, shape.flops(), &mut || {
        let y = StridedRowsMut::dense(&mut y, shape.k);
        conv::forward(cpu, shape, &x, &w, Some(&bias), relu, y);
    });
    let dy = vec![0.5; y.len()];
    let dy = StridedRows::dense(&dy, shape.k);
    let data = best(cpu, shape.flops(), &mut || conv::backward_data(cpu, shape, dy, &w, &mut dx));
    let weights = best(cpu, shape.flops(), &mut || {
        conv::backward_weights(cpu, shape, &x, dy, Write::Set, &mut dw);
    });
    [forward, data, weights].concat()
}

/// Inner products: n, d, k.
const IPS: [[usize; 3]; 8] = [
    [64, 800, 500],
    [32, 9216, 4096],
    [32, 4096, 4096],
    [16, 4096, 4096],
    [8, 4096, 4096],
    [8, 2048, 1000],
    [4, 4096, 4096],
    [1, 4096, 4096],
];
/// Largest batch that memory bandwidth limits.
const SMALL_BATCH: usize = 8;

fn ip_line(cpu: &Cpu, [n, d, k]: [usize; 3]) -> String {
    let ip = InnerProductShape { n, d, k };
    let best = |run: &mut dyn FnMut()| {
        let flops = 2 * n * d * k;
        if n > SMALL_BATCH {
            return best(cpu, flops, run);
        }
        let bytes = 4 * (n * d + k * d + n * k);
        format!("{:6.1} GB/s", bytes as f64 / fastest(flops, run).0 / 1e9)
    };
    let (x, w, mut y) = (vec![0.5; n * d], vec![0.25; k * d], vec![0.0; n * k]);
    let (mut dx, mut dw) = (x.clone(), w.clone());
    let forward = best(&mut || {
        inner_product::forward(cpu, ip, &x, &w, None, &mut y);
    });
    let data = best(&mut || {
        inner_product::backward_data(cpu, ip, &y, &w, &mut dx);
    });
    let weights = best(&mut || {
        inner_product::backward_weights(cpu, ip, &x, &y, Write::Set, &mut dw);
    });
    [forward, data, weights].concat()
}

/// `A·B`, `A·Bᵀ` and `Aᵀ·B`.
fn gemm_line(cpu: &Cpu, side: usize) -> String {
    let (a, b, mut c) = (vec![0.5; side * side], vec![0.25; side * side], vec![0.0; side * side]);
    let (plain, transposed) = (MatrixView::new, MatrixView::transposed);
    let pairs = [
        (plain(&a, side), plain(&b, side)),
        (plain(&a, side), transposed(&b, side)),
        (transposed(&a, side), plain(&b, side)),
    ];
    let figures = pairs.map(|(a, b)| {
        best(cpu, 2 * side.pow(3), &mut || {
            gemm(cpu, side, side, side, a, b, Write::Set, StridedRowsMut::dense(&mut c, side));
        })
    });
    figures.concat()
}

/// Best fraction of the peak.
fn best(cpu: &Cpu, flops: usize, run: &mut dyn FnMut()) -> String {
    let (took, peak) = fastest(flops, run);
    let gflops = flops as f64 / took / 1e9;
    let share = gflops / (peak * cpu.threads() as f64) * 100.0;
    format!("{share:5.0}% ({gflops:3.0})")
}

/// The least seconds of seven trials, each next to a measurement of the peak, and the best peak.
fn fastest(flops: usize, run: &mut dyn FnMut()) -> (f64, f64) {
    let mut peak_best: f64 = 0.0;
    let mut fastest = f64::INFINITY;
    run(); // scratch grows, pages arrive
    for _ in 0..7 {
        peak_best = peak_best.max(peak());
        let times = (20_000_000 / flops.max(1)).max(1);
        let took = seconds(&mut || (0..times).for_each(|_| run())) / times as f64;
        fastest = fastest.min(took);
    }
    (fastest, peak_best)
}

#[expect(clippy::disallowed_methods, reason = "measures real time")]
fn seconds(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// GFLOPS of one core that does nothing but fused multiply-adds on registers.
fn peak() -> f64 {
    const STEPS: usize = 200_000;
    let mut fastest = f64::INFINITY;
    for _ in 0..3 {
        fastest = fastest.min(seconds(&mut || {
            black_box(kernels::peak::multiply_adds(STEPS));
        }));
    }
    kernels::peak::flops(STEPS) as f64 / fastest / 1e9
}
