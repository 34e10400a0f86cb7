//! Options, sizes as Caffe rounds them, and stochastic pooling.

use base::random::Mt19937;
use caffe_format::Phase;
use kernels::pooling::{PoolingShape, Rounding};

use super::{Pooler, PoolingMethod, stochastic};
use crate::testing::{error, shapes};

#[track_caller]
fn check_size(options: &str, input: [usize; 2], want: [usize; 2]) {
    let text = format!("type: \"Pooling\" pooling_param {{ {options} }}");
    let top = shapes(&text, &[&[1, 2, input[0], input[1]]], 1).unwrap().remove(0);
    assert_eq!(top.dims(), [1, 2, want[0], want[1]], "{options}");
}

#[test]
fn sizes_are_rounded_as_caffe_does() {
    check_size("kernel_size: 3 stride: 2", [7, 8], [3, 4]);
    check_size("kernel_size: 3 stride: 2 round_mode: FLOOR", [7, 8], [3, 3]);
    // With padding, a last window that would begin beyond the image is dropped.
    check_size("kernel_size: 2 stride: 2 pad: 1", [3, 4], [2, 3]);
    // Rounding up lets a window be larger than the image by less than a stride.
    check_size("kernel_size: 3 stride: 2", [2, 2], [1, 1]);
    check_size("global_pooling: true", [2, 5], [1, 1]);
    check_size("kernel_size: 1 stride: 2147483647", [4, 4], [2, 2]);
}

#[test]
fn forks_fields_for_sizes() {
    check_size("kernel_size: 3 stride: 2 ceil_mode: true", [7, 8], [3, 4]);
    check_size("kernel_size: 3 stride: 2 ceil_mode: false", [7, 8], [3, 3]);
    check_size("kernel_size: 3 stride: 2 ceil_mode: false round_mode: FLOOR", [7, 8], [3, 3]);
    check_size("kernel_size: 3 stride: 2 pad_r: 1 pad_b: 1", [7, 8], [4, 4]);
    check_size("kernel_size: 3 stride: 2 pad_r: 1 pad_b: 1 ceil_mode: false", [7, 8], [3, 4]);
    check_size("kernel_size: 2 stride: 2 pad_l: 1", [3, 4], [2, 3]);
    check_size("kernel_size: 2 stride: 2 pad: 1 pad_l: 0", [3, 4], [2, 3]);
    check_size("global_pooling: true pad_l: 0 pad_t: 0", [2, 5], [1, 1]);
}

#[track_caller]
fn check_error(options: &str, want: &str) {
    let text = format!("type: \"Pooling\" pooling_param {{ {options} }}");
    assert_eq!(error(&text, &[&[1, 2, 4, 4]], 1), want);
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    check_error("pool: AVE", "`pooling_param.kernel_size` is missing: the window's size");
    check_error(
        "kernel_size: 2 kernel_w: 2",
        "`pooling_param.kernel_size` and `pooling_param.kernel_w` exclude each other: write the \
         size once, or as `_h` and `_w`",
    );
    check_error(
        "kernel_size: 2 global_pooling: true",
        "`pooling_param.global_pooling` and `pooling_param.kernel_size` exclude each other: the \
         whole image is one window",
    );
    check_error(
        "kernel_size: 2 stride: 0",
        "`pooling_param.stride` is 0, expected from 1 to 2147483647",
    );
    check_error(
        "kernel_size: 2 pad: 2",
        "`pooling_param.pad` is 2 by 2, expected less than the window, 2 by 2",
    );
    check_error(
        "kernel_size: 2 pad_r: 2",
        "`pooling_param.pad_b, pad_r` is 0 by 2, expected less than the window, 2 by 2",
    );
    check_error(
        "kernel_size: 2 pad_h: 1 pad_w: 1 pad_t: 1",
        "`pooling_param.pad` and `pooling_param.pad_t` exclude each other: write the padding once, \
         or for each side",
    );
    check_error(
        "kernel_size: 2 round_mode: FLOOR ceil_mode: true",
        "`pooling_param.round_mode` and `pooling_param.ceil_mode` exclude each other: they \
         disagree, and mean the same; keep one of them",
    );
    check_error(
        "kernel_size: 4294967295",
        "`pooling_param.kernel_size` is 4294967295, expected from 1 to 2147483647",
    );
    check_error(
        "kernel_size: 5",
        "bottom 0 has shape 1 2 4 4 (32), expected images that hold the window when padded",
    );
    check_error(
        "pool: STOCHASTIC kernel_size: 2 pad: 1",
        "`pooling_param.pad` is 1 by 1, expected 0 with STOCHASTIC",
    );
    let text = "type: \"Pooling\" pooling_param { pool: AVE kernel_size: 2 }";
    let want = "`pooling_param.pool` is Ave, expected MAX, since there is a second top, its mask";
    assert_eq!(error(text, &[&[1, 2, 4, 4]], 2), want);
}

/// One image and one window of `kernel`.
fn one_window(c: usize, kernel: [usize; 2]) -> PoolingShape {
    PoolingShape {
        n: 1,
        c,
        h: kernel[0],
        w: kernel[1],
        kernel,
        stride: [1, 1],
        pad: [0, 0],
        pad_end: [0, 0],
        rounding: Rounding::Ceil,
    }
}

#[test]
fn values_are_drawn_in_proportion_to_their_size() {
    let pool = one_window(1, [1, 3]);
    let x = [1.0, 0.0, 3.0];
    let mut rng = Mt19937::new(1701);
    let mut counts = [0, 0, 0];
    for _ in 0..1000 {
        let (mut y, mut mask) = ([0.0], [0]);
        stochastic::draw(&pool, &mut rng, &x, &mut y, &mut mask);
        assert_eq!(y[0], x[mask[0] as usize]);
        counts[mask[0] as usize] += 1;
    }
    assert_eq!(counts, [counts[0], 0, 1000 - counts[0]]);
    assert!((200..300).contains(&counts[0]), "a quarter of 1000 is not {}", counts[0]);
}

#[test]
fn in_testing_the_output_is_the_expectation() {
    let pool = one_window(2, [2, 1]);
    let mut pooler = Pooler::new(PoolingMethod::Stochastic, Phase::Test, pool);
    let cpu = kernels::Cpu::new(1, kernels::Simd::detect());
    let x = [1.0, 0.0, 3.0, 0.0]; // channel 0 is 1 and 3, channel 1 is 0 and 0
    let mut y = [7.0; 2];
    pooler.forward(&cpu, &mut Mt19937::new(1), 0, &x, &mut y);
    assert_eq!(y, [2.5, 0.0]); // (1 + 9) / (1 + 3)
    let mut dx = [7.0; 4];
    pooler.backward(&cpu, 0, (&x, &[4.0, 4.0]), None, &mut dx);
    assert_eq!(dx, [-0.5, 0.0, 3.5, 0.0]); // 4 (2 x - 2.5) / 4
}
