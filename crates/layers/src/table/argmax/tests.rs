use crate::testing::{error, forward};

#[track_caller]
fn check(options: &str, shape: &[usize], want_shape: &str, want: &[f32]) {
    let text = format!("type: \"ArgMax\" argmax_param {{ {options} }}");
    let x = [3.0, 1.0, 3.0, 2.0, 5.0, -0.0, 4.0, 0.0];
    let tops = forward(&text, &[(shape, &x)], 1).unwrap();
    assert_eq!(tops[0].0.to_string(), want_shape);
    assert_eq!(tops[0].1, want);
}

#[test]
fn the_later_of_equal_values_comes_first() {
    check("", &[2, 4], "2 1 1 (2)", &[2.0, 0.0]);
    check("top_k: 2", &[2, 4], "2 1 2 (4)", &[2.0, 0.0, 0.0, 2.0]);
    // -0 equals 0: index 3 before index 1.
    check("top_k: 4", &[2, 4, 1, 1], "2 1 4 1 (8)", &[2.0, 0.0, 3.0, 1.0, 0.0, 2.0, 3.0, 1.0]);
}

#[test]
fn values_follow_or_replace_the_indices() {
    check("out_max_val: true", &[2, 4], "2 2 1 (4)", &[2.0, 3.0, 0.0, 5.0]);
    check("out_max_val: true axis: 1", &[2, 4], "2 1 (2)", &[3.0, 5.0]);
    check("axis: -1 top_k: 2", &[2, 4], "2 2 (4)", &[2.0, 0.0, 0.0, 2.0]);
    // Columns of 3 5, 1 -0, 3 4, 2 0.
    check("axis: 0", &[2, 4], "1 4 (4)", &[1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn invalid_options_are_reported() {
    let check = |options: &str, want: &str| {
        let text = format!("type: \"ArgMax\" argmax_param {{ {options} }}");
        assert_eq!(error(&text, &[&[2, 3]], 1), want);
    };
    check("top_k: 0", "`argmax_param.top_k` is 0, expected at least 1");
    check("top_k: 4", "`argmax_param.top_k` is 4, expected at most 3 values");
    check("top_k: 3 axis: 0", "`argmax_param.top_k` is 3, expected at most 2 values");
    check("axis: 2", "`argmax_param.axis` is 2, expected one of the 2 axes of shape 2 3 (6)");
}
