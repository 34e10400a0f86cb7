use crate::testing::{error, forward};

#[test]
fn with_the_identity_it_equals_softmax_with_loss() {
    let scores = (&[2, 2][..], &[0.3, -1.0, 2.0, 0.5][..]);
    let labels = (&[2][..], &[1.0, 0.0][..]);
    let identity = (&[2, 2][..], &[1.0, 0.0, 0.0, 1.0][..]);
    let infogain = forward("type: \"InfogainLoss\"", &[scores, labels, identity], 2).unwrap();
    let softmax = forward("type: \"SoftmaxWithLoss\"", &[scores, labels], 2).unwrap();
    assert_eq!(infogain, softmax);
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let check = |options: &str, bottoms: &[&[usize]], want: &str| {
        assert_eq!(error(&format!("type: \"InfogainLoss\" {options}"), bottoms, 1), want);
    };
    check(
        "",
        &[&[2, 3], &[2]],
        "`infogain_loss_param.source` is missing: a file with the matrix, or a third bottom",
    );
    check(
        "blobs { data: 1 data: 2 }",
        &[&[2, 3], &[2]],
        "`infogain_loss_param.source` is a blob of 2 values, expected 3 rows of 3 values",
    );
    check("", &[&[2, 3], &[2], &[2, 2]], "bottom 2 has shape 2 2 (4), expected 3 rows of 3 values");
    check(
        "loss_param { normalize: true }",
        &[&[2, 3], &[2], &[3, 3]],
        "`loss_param.normalize` is true, expected `loss_param.normalization` in its place",
    );
}
