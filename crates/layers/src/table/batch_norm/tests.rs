//! Errors; values are compared with Caffe's in `golden`.

use crate::testing::error;

#[track_caller]
fn check(options: &str, dims: &[usize], want: &str) {
    assert_eq!(error(&format!("type: \"BatchNorm\" {options}"), &[dims], 1), want);
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    check(
        "param { lr_mult: 0 } param { lr_mult: 1 }",
        &[2, 3],
        "`param.lr_mult` is 1 for param 1, expected 0: running statistics are not learned",
    );
    check(
        "batch_norm_param { eps: -1 }",
        &[2, 3],
        "`batch_norm_param.eps` is -1, expected 0 or more",
    );
    check(
        "batch_norm_param { use_global_stats: true update_global_stats: true }",
        &[2, 3],
        "`batch_norm_param.update_global_stats` is true, expected false: global statistics that \
         training changes (DeepLab's) are not supported",
    );
    check("", &[7], "bottom 0 has shape 7 (7), expected 2 or more axes, none of them empty");
    check("", &[0, 3], "bottom 0 has shape 0 3 (0), expected 2 or more axes, none of them empty");
}
