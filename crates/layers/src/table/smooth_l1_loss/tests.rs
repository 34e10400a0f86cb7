use crate::testing::{TestBlob, backward, error, forward};

const PREDICTED: TestBlob<'_> = (&[2, 2], &[1.5, 0.25, -3.0, 0.0]);
const TARGET: TestBlob<'_> = (&[2, 2], &[1.0, 0.0, 0.0, 0.0]);
const INSIDE: TestBlob<'_> = (&[2, 2], &[1.0, 2.0, 1.0, 0.0]);
const OUTSIDE: TestBlob<'_> = (&[2, 2], &[4.0, 1.0, 0.5, 1.0]);

/// Loss and gradient of bottom 0.
fn run(options: &str, bottoms: &[TestBlob<'_>]) -> (f32, Vec<f32>) {
    let text = format!("type: \"SmoothL1Loss\" {options}");
    let loss = forward(&text, bottoms, 1).unwrap()[0].1[0];
    let diffs = backward(&text, bottoms, &[&[2.0]]).unwrap();
    let opposite: Vec<f32> = diffs[0].iter().map(|d| -d).collect();
    assert_eq!(opposite, diffs[1], "bottom 1 gets the opposite");
    assert!(diffs[2..].iter().all(Vec::is_empty), "weights get none");
    (loss, diffs[0].clone())
}

/// Differences 0.5, 0.25, -3, 0. With sigma 1 all but -3 are squared, with sigma 2 (knee at 1/4)
/// only 0 is.
#[test]
fn small_differences_are_squared_and_large_ones_are_not() {
    let (loss, dx) = run("", &[PREDICTED, TARGET]);
    assert_eq!(loss, (0.125 + 0.03125 + 2.5) / 2.0);
    assert_eq!(dx, [0.5, 0.25, -1.0, 0.0]);
    let (loss, dx) = run("smooth_l1_loss_param { sigma: 2.0 }", &[PREDICTED, TARGET]);
    assert_eq!(loss, (0.375 + 0.125 + 2.875) / 2.0);
    assert_eq!(dx, [1.0, 1.0, -1.0, 0.0]);
}

#[test]
fn inside_weights_scale_differences_and_outside_weights_errors() {
    let (loss, dx) = run("", &[PREDICTED, TARGET, INSIDE]);
    assert_eq!(loss, (0.125 + 0.125 + 2.5) / 2.0);
    assert_eq!(dx, [0.5, 1.0, -1.0, 0.0]);
    let (loss, dx) = run("", &[PREDICTED, TARGET, INSIDE, OUTSIDE]);
    assert_eq!(loss, (0.5 + 0.125 + 1.25) / 2.0);
    assert_eq!(dx, [2.0, 1.0, -0.5, 0.0]);
}

#[test]
fn a_difference_that_is_not_a_number_stays_so() {
    let bottoms = [(&[1_usize][..], &[f32::NAN][..]), (&[1], &[0.0])];
    assert!(forward("type: \"SmoothL1Loss\"", &bottoms, 1).unwrap()[0].1[0].is_nan());
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    for sigma in ["0", "nan", "1e30"] {
        let text = format!("type: \"SmoothL1Loss\" smooth_l1_loss_param {{ sigma: {sigma} }}");
        let text = error(&text, &[&[2, 2], &[2, 2]], 1);
        assert!(text.starts_with("`smooth_l1_loss_param.sigma` is "), "{text}");
        assert!(text.ends_with(", expected a positive number"), "{text}");
    }
    let check = |third: &[usize], want: &str| {
        assert_eq!(error("type: \"SmoothL1Loss\"", &[&[2, 4], &[2, 4, 1, 1], third], 1), want);
    };
    let want = "2 items and as many values as bottom 0, 2 4 (8)";
    check(&[2, 3], &format!("bottom 2 has shape 2 3 (6), expected {want}"));
    check(&[8], &format!("bottom 2 has shape 8 (8), expected {want}"));
}
