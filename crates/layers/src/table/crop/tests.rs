use crate::testing::error;

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let check = |options: &str, like: &[usize], want: &str| {
        let text = format!("type: \"Crop\" crop_param {{ {options} }}");
        assert_eq!(error(&text, &[&[2, 3, 4, 5], like], 1), want);
    };
    check(
        "offset: 3",
        &[1, 1, 2, 2],
        "`crop_param.offset` is 3 on axis 2, expected at most 2, which leaves 2 values",
    );
    check(
        "offset: 1 offset: 4294967295",
        &[1, 1, 2, 2],
        "`crop_param.offset` is 4294967295 on axis 3, expected at most 3, which leaves 2 values",
    );
    check(
        "offset: 1 offset: 2 offset: 3",
        &[1, 1, 1, 1],
        "`crop_param.offset` is written 3 times, expected once, or once for each of the 2 cropped axes",
    );
    check("", &[2, 2], "bottom 1 has shape 2 2 (4), expected 4 axes, as bottom 0 has");
    check(
        "axis: 4",
        &[1, 1, 1, 1],
        "`crop_param.axis` is 4, expected one of the 4 axes of shape 2 3 4 5 (120)",
    );
}
