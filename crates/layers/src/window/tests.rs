//! Valid and invalid options, and that no size overflows.

use base::Shape;
use caffe_format::ConvolutionParameter;

use super::{ConvWindow, WindowOptions, windows};
use crate::LayerError;

fn over(text: &str, dims: &[usize]) -> Result<ConvWindow, LayerError> {
    let written: ConvolutionParameter = caffe_format::text::read("case", text).unwrap();
    WindowOptions::lower(&written)?.over(&Shape::new(dims).unwrap())
}

#[track_caller]
fn check(text: &str, dims: &[usize], want: &str) {
    let got = match over(text, dims) {
        Ok(window) => {
            let outs: Vec<_> = window.axes.iter().map(windows).collect();
            format!("{outs:?}")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(got, want, "{text}");
}

#[test]
fn sizes_are_written_once_per_axis_or_as_h_and_w() {
    check("kernel_size: 3", &[1, 1, 7, 9], "[Some(5), Some(7)]");
    check("kernel_size: 3 kernel_size: 5 stride: 2", &[1, 1, 7, 9], "[Some(3), Some(3)]");
    check("kernel_h: 3 kernel_w: 5 pad_h: 1", &[1, 1, 7, 9], "[Some(7), Some(5)]");
    check("kernel_size: 3 dilation: 2 pad: 2", &[1, 1, 7, 9], "[Some(7), Some(9)]");
    check("kernel_size: 3", &[1, 1, 7], "[Some(5)]");
    check("kernel_size: 3 axis: -2", &[1, 1, 7, 9], "[Some(7)]");
    check("kernel_size: 3", &[4, 2], "[]");
}

#[test]
fn padding_may_differ_from_side_to_side() {
    check("kernel_size: 3 pad_r: 1", &[1, 1, 7, 9], "[Some(5), Some(8)]");
    check(
        "kernel_size: 3 stride: 2 pad_t: 1 pad_l: 1 pad_b: 2",
        &[1, 1, 7, 9],
        "[Some(4), Some(4)]",
    );
    check("kernel_size: 3 pad: 1 pad_l: 0", &[1, 1, 7, 9], "[Some(7), Some(9)]");
    check("kernel_size: 3 dilation_h: 2 dilation_w: 1", &[1, 1, 7, 9], "[Some(3), Some(7)]");
    check(
        "kernel_size: 3 pad_h: 1 pad_r: 1",
        &[1, 1, 7, 9],
        "`convolution_param.pad` and `convolution_param.pad_r` exclude each other: write the padding \
         once, or for each side",
    );
    check(
        "kernel_size: 3 pad_b: -1",
        &[1, 1, 7, 9],
        "`convolution_param.pad_b` is -1, expected from 0 to 2147483647",
    );
    check(
        "kernel_size: 3 pad_r: 1",
        &[1, 1, 7],
        "`convolution_param.pad_r` is written, expected nothing there: the bottom has 1 spatial \
         axes, not 2",
    );
}

#[test]
fn invalid_options_are_reported() {
    check(
        "stride: 1",
        &[1, 1, 7, 7],
        "`convolution_param.kernel_size` is missing: the window's size",
    );
    check(
        "kernel_h: 3",
        &[1, 1, 7, 7],
        "`convolution_param.kernel_w` is missing: both `_h` and `_w`",
    );
    check(
        "kernel_size: 3 stride: 1 stride_w: 2",
        &[1, 1, 7, 7],
        "`convolution_param.stride` and `convolution_param.stride_w` exclude each other: write the \
         size once, or as `_h` and `_w`",
    );
    check(
        "kernel_size: 3 stride: 0",
        &[1, 1, 7, 7],
        "`convolution_param.stride` is 0, expected from 1 to 2147483647",
    );
    check(
        "kernel_size: 3 kernel_size: 3 kernel_size: 3",
        &[1, 1, 7, 7],
        "`convolution_param.kernel_size` is written 3 times, expected once, or once for each of the \
         2 spatial axes",
    );
    check(
        "kernel_h: 3 kernel_w: 3",
        &[1, 1, 7],
        "`convolution_param.kernel_h` is written, expected nothing there: the bottom has 1 spatial \
         axes, not 2",
    );
    check(
        "kernel_size: 3 axis: 4",
        &[1, 1, 7, 7],
        "`convolution_param.axis` is 4, expected an axis of the bottom, which has shape 1 1 7 7 (49)",
    );
}

#[test]
fn a_kernel_that_does_not_fit_has_no_windows() {
    check("kernel_size: 8", &[1, 1, 7, 8], "[None, Some(1)]");
    check(
        "kernel_size: 2147483647 dilation: 2147483647 pad: 2147483647",
        &[1, 1, 7, 8],
        "[None, None]",
    );
}
