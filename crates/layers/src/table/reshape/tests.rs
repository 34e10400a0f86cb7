use crate::testing::{error, shapes};

/// The top's shape for a bottom of these sizes.
#[track_caller]
fn check(options: &str, bottom: &[usize], want: &str) {
    let text = format!("type: \"Reshape\" reshape_param {{ {options} }}");
    assert_eq!(shapes(&text, &[bottom], 1).unwrap()[0].to_string(), want);
}

#[track_caller]
fn check_error(options: &str, bottom: &[usize], want: &str) {
    let text = format!("type: \"Reshape\" reshape_param {{ {options} }}");
    assert_eq!(error(&text, &[bottom], 1), want);
}

#[test]
fn zero_copies_and_minus_one_is_what_remains() {
    check("shape { dim: 0 dim: -1 }", &[2, 3, 4], "2 12 (24)");
    check("shape { dim: 0 dim: 0 dim: 2 dim: -1 }", &[2, 3, 4], "2 3 2 2 (24)");
    check("shape { dim: -1 }", &[2, 3, 4], "24 (24)");
    check("shape { dim: -1 }", &[], "1 (1)");
}

#[test]
fn only_some_axes_are_replaced() {
    check("shape { dim: 2 dim: 6 } axis: 1", &[2, 3, 4], "2 2 6 (24)");
    check("shape { dim: 1 } axis: -1", &[2, 3], "2 3 1 (6)");
    check("shape { dim: 1 dim: 1 } axis: 1 num_axes: 0", &[2, 3], "2 1 1 3 (6)");
    check("shape { dim: -1 } axis: 1 num_axes: 2", &[2, 3, 4, 5], "2 12 5 (120)");
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    check_error(
        "shape { dim: -1 dim: -1 }",
        &[2],
        "`reshape_param.shape` is [-1, -1], expected at most one -1",
    );
    check_error(
        "shape { dim: -2 }",
        &[2],
        "`reshape_param.shape` is -2, expected sizes of at least 0, or -1",
    );
    check_error(
        "shape { dim: 5 }",
        &[2, 3],
        "`reshape_param.shape` is 5 (5) values, expected as many values as the bottom, 2 3 (6)",
    );
    check_error(
        "shape { dim: 2 dim: 3 dim: 0 }",
        &[2, 3],
        "`reshape_param.shape` is 0, expected a size, since shape 2 3 (6) has no axis 2",
    );
    check_error(
        "axis: 3",
        &[2, 3],
        "`reshape_param.axis` is 3, expected a position in shape 2 3 (6)",
    );
    check_error(
        "axis: 1 num_axes: 2",
        &[2, 3],
        "`reshape_param.num_axes` is 2, expected at most 1, the axes from 1 on of shape 2 3 (6)",
    );
    check_error(
        "num_axes: -2",
        &[2, 3],
        "`reshape_param.num_axes` is -2, expected 0 or more, or -1 for all",
    );
    check_error(
        "shape { dim: 9223372036854775807 dim: 2 }",
        &[2, 3],
        "shape [9223372036854775807, 2] holds more than 2147483647 values",
    );
    // Nothing to divide by: no panic, an error.
    check_error(
        "shape { dim: 0 dim: -1 }",
        &[0, 3],
        "`reshape_param.shape` is 0 1 (0) values, expected as many values as the bottom, 0 3 (0)",
    );
}
