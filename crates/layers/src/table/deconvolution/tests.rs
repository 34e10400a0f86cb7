//! Sizes and errors, also of Convolution and Im2col, which share the options.

use crate::testing::{error, forward, shapes};

#[track_caller]
fn check(kind: &str, options: &str, dims: &[usize], want: &str) {
    let text = format!("type: \"{kind}\" convolution_param {{ {options} }}");
    let got = match shapes(&text, &[dims], 1) {
        Ok(tops) => tops[0].to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(got, want, "{kind} {options}");
}

#[test]
fn a_deconvolution_inverts_the_sizes_of_a_convolution() {
    for (options, inner, outer) in [
        ("num_output: 2 kernel_size: 4 stride: 2 pad: 1", "1 2 6 5 (60)", "1 2 12 10 (240)"),
        ("num_output: 2 kernel_size: 3 dilation: 2", "1 2 6 5 (60)", "1 2 10 9 (180)"),
    ] {
        check("Deconvolution", options, &[1, 3, 6, 5], outer);
        let sizes: Vec<_> = outer.split(' ').take(4).map(|n| n.parse().unwrap()).collect();
        check("Convolution", options, &sizes, inner);
    }
}

/// The rows `1 2` and `3 4`, with a column of zeros before them and a row of zeros below.
#[test]
fn uneven_padding_is_where_it_is_written() {
    let x: (&[usize], &[f32]) = (&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let values = |kind: &str, options: &str| {
        forward(&format!("type: \"{kind}\" {options}"), &[x], 1).unwrap().remove(0).1
    };
    let window = "kernel_size: 2 pad_l: 1 pad_b: 1";
    let ones = "num_output: 1 bias_term: false weight_filler { value: 1 }";
    assert_eq!(
        values("Convolution", &format!("convolution_param {{ {window} {ones} }}")),
        [4.0, 10.0, 3.0, 7.0]
    );
    assert_eq!(
        values("Pooling", &format!("pooling_param {{ {window} pool: AVE }}")),
        [1.0, 2.5, 0.75, 1.75]
    );
    assert_eq!(values("Pooling", &format!("pooling_param {{ {window} }}")), [3.0, 4.0, 3.0, 4.0]);
    // The 3 by 3 outputs without padding, less the first column and the last row.
    assert_eq!(
        values("Deconvolution", &format!("convolution_param {{ {window} {ones} }}")),
        [3.0, 2.0, 10.0, 6.0]
    );
}

#[test]
fn a_column_has_a_value_per_channel_and_tap() {
    check("Im2col", "kernel_size: 3 stride: 2", &[2, 3, 7, 8], "2 27 3 3 (486)");
    check("Im2col", "kernel_size: 2", &[2, 3, 7], "2 6 6 (72)");
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let image = [1, 3, 6, 5];
    for kind in ["Convolution", "Deconvolution"] {
        check(
            kind,
            "kernel_size: 3",
            &image,
            "`convolution_param.num_output` is missing: the number of outputs",
        );
        check(
            kind,
            "num_output: 4 kernel_size: 3 group: 3",
            &image,
            "`convolution_param.group` is 3, expected a divisor of `num_output`, which is 4",
        );
        check(
            kind,
            "num_output: 4 kernel_size: 3 group: 2",
            &image,
            "`convolution_param.group` is 2, expected a divisor of the bottom's 3 channels",
        );
        check(
            kind,
            "num_output: 4 kernel_size: 3 group: 0",
            &image,
            "`convolution_param.group` is 0, expected a divisor of `num_output`, which is 4",
        );
        let text = format!("type: \"{kind}\" convolution_param {{ num_output: 1 kernel_size: 1 }}");
        assert_eq!(
            error(&text, &[&[1, 1, 2, 2], &[1, 1, 2, 3]], 2),
            "bottom 1 has shape 1 1 2 3 (6), expected 1 1 2 2 (4), the shape of bottom 0"
        );
    }
    check(
        "Deconvolution",
        "num_output: 4 kernel_size: 1 pad: 3",
        &image,
        "bottom 0 has shape 1 3 6 5 (90), expected spatial axes that the kernel enlarges by more \
         than the padding removes",
    );
    check(
        "Im2col",
        "kernel_size: 2",
        &[3, 4],
        "bottom 0 has shape 3 4 (12), expected spatial axes after the channels",
    );
}

/// Sizes that overflow, or that would take all memory, are errors; none is a panic.
#[test]
fn huge_sizes_are_refused() {
    let most = "2147483647";
    for (options, columns_fit) in [
        (format!("kernel_size: {most}"), false),
        (format!("kernel_size: {most} pad: {most}"), false),
        (format!("kernel_size: {most} dilation: {most}"), false),
        ("kernel_size: 4294967295".to_owned(), false),
        (format!("kernel_size: 3 pad: {most}"), false),
        // Few windows, far apart: the columns fit, the padded image does not.
        (format!("kernel_size: 3 pad: {most} stride: {most}"), true),
        (format!("kernel_size: {most} stride: {most} pad: 1073741823"), false),
    ] {
        for kind in ["Convolution", "Deconvolution", "Im2col"] {
            let text = format!("type: \"{kind}\" convolution_param {{ num_output: 2 {options} }}");
            for dims in [&[2, 3, 6, 5][..], &[2, 3, 6, 5, 2], &[2, 3, 6, 6]] {
                let fits = shapes(&text, &[dims], 1).is_ok();
                assert_eq!(fits, kind == "Im2col" && columns_fit, "{text}");
            }
        }
    }
}
