use crate::testing::error;

#[test]
fn invalid_options_are_reported() {
    let check = |options: &str, tops: usize, want: &str| {
        let text = format!("type: \"Slice\" slice_param {{ {options} }}");
        assert_eq!(error(&text, &[&[2, 6]], tops), want);
    };
    check(
        "",
        4,
        "`slice_param.slice_point` is not written, expected slice points, since 6 is not a \
         multiple of 4 tops",
    );
    check(
        "slice_point: 1",
        3,
        "`slice_param.slice_point` is written 1 times, expected 2 times for 3 tops, or not at all",
    );
    for (points, got) in [
        ("slice_point: 0 slice_point: 3", "[0, 3]"),
        ("slice_point: 3 slice_point: 3", "[3, 3]"),
        ("slice_point: 2 slice_point: 6", "[2, 6]"),
        ("slice_point: 9 slice_point: 10", "[9, 10]"),
    ] {
        let want = format!(
            "`slice_param.slice_point` is {got}, \
             expected ascending numbers above 0 and below 6, the size of the axis"
        );
        check(points, 3, &want);
    }
    check("axis: 2", 2, "`slice_param.axis` is 2, expected one of the 2 axes of shape 2 6 (12)");
    check(
        "slice_dim: 4294967295",
        2,
        "`slice_param.slice_dim` is 2147483647, expected one of the 2 axes of shape 2 6 (12)",
    );
    check(
        "axis: 1 slice_dim: 1",
        2,
        "`slice_param.axis` and `slice_param.slice_dim` exclude each other: keep `axis`",
    );
}
