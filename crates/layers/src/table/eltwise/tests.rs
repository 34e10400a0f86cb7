use crate::testing::{backward, error, forward};

#[test]
fn on_a_tie_the_gradient_goes_to_the_bottom_that_caffe_chooses() {
    // Bottom 1 wins a tie with bottom 0; any later bottom loses a tie.
    let text = "type: \"Eltwise\" eltwise_param { operation: MAX }";
    let bottoms = [
        (&[3][..], &[0.0, 2.0, 0.0][..]),
        (&[3][..], &[0.0, 1.0, 5.0][..]),
        (&[3][..], &[0.0, 2.0, 5.0][..]),
    ];
    assert_eq!(forward(text, &bottoms, 1).unwrap()[0].1, [0.0, 2.0, 5.0]);
    let diffs = backward(text, &bottoms, &[&[1.0, 2.0, 3.0]]).unwrap();
    assert_eq!(diffs, [[0.0, 2.0, 0.0], [1.0, 0.0, 3.0], [0.0, 0.0, 0.0]]);
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    assert_eq!(
        error("type: \"Eltwise\" eltwise_param { coeff: 1 }", &[&[2], &[2]], 1),
        "`eltwise_param.coeff` is written 1 times, expected one for each of 2 bottoms, or none"
    );
    assert_eq!(
        error(
            "type: \"Eltwise\" eltwise_param { operation: PROD coeff: 1 coeff: 1 }",
            &[&[2], &[2]],
            1
        ),
        "`eltwise_param.coeff` and `eltwise_param.operation: PROD` exclude each other: \
         coefficients are for sums"
    );
    assert_eq!(
        error("type: \"Eltwise\"", &[&[2], &[2], &[1, 2]], 1),
        "bottom 2 has shape 1 2 (2), expected 2 (2), as bottom 0 has"
    );
}
