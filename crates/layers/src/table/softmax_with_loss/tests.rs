use crate::testing::{backward, error, forward};

const LN_2: f32 = std::f32::consts::LN_2;

#[test]
fn the_second_top_holds_the_probabilities() {
    let tops = forward(
        "type: \"SoftmaxWithLoss\"",
        &[(&[2, 2], &[0.0, 0.0, 3.0_f32.ln(), 0.0]), (&[2], &[0.0, 0.0])],
        2,
    )
    .unwrap();
    let close = |got: &[f32], want: &[f32]| {
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), "{got:?}, not {want:?}");
    };
    close(&tops[0].1, &[(LN_2 - 0.75_f32.ln()) / 2.0]);
    close(&tops[1].1, &[0.5, 0.5, 0.75, 0.25]);
}

#[test]
fn the_divisor_follows_from_normalization() {
    // Two items of two positions; one is ignored, each of the others costs ln 2.
    let check = |options: &str, want: f32| {
        let text = format!("type: \"SoftmaxWithLoss\" loss_param {{ ignore_label: -1 {options} }}");
        let bottoms = [(&[2, 2, 2][..], &[0.0; 8][..]), (&[2, 2][..], &[0.0, 1.0, -1.0, 1.0][..])];
        let loss = forward(&text, &bottoms, 1).unwrap()[0].1[0];
        assert!((loss - want).abs() < 1e-6, "{options}: {loss}, not {want}");
        // The gradient of a position's score is ±1/2 over the same divisor.
        let diffs = backward(&text, &bottoms, &[&[3.0]]).unwrap();
        let divisor = 3.0 * LN_2 / want;
        assert!((diffs[0][0] + 3.0 * 0.5 / divisor).abs() < 1e-6, "{options}: {:?}", diffs[0]);
        assert_eq!([diffs[0][4], diffs[0][6]], [0.0; 2], "an ignored position has no gradient");
    };
    check("", LN_2);
    check("normalization: VALID", LN_2);
    check("normalization: FULL", LN_2 * 3.0 / 4.0);
    check("normalization: BATCH_SIZE", LN_2 * 3.0 / 2.0);
    check("normalization: NONE", LN_2 * 3.0);
    check("normalize: true", LN_2);
    check("normalize: false", LN_2 * 3.0 / 2.0);
    check("normalize: false normalization: NONE", LN_2 * 3.0);
}

#[test]
fn a_batch_without_labels_has_no_loss() {
    let text = "type: \"SoftmaxWithLoss\" loss_param { ignore_label: 7 }";
    let bottoms = [(&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[2][..], &[7.0, 7.0][..])];
    assert_eq!(forward(text, &bottoms, 1).unwrap()[0].1, [0.0]);
    assert_eq!(backward(text, &bottoms, &[&[1.0]]).unwrap()[0], [0.0; 4]);
}

#[test]
fn a_probability_of_zero_has_a_finite_loss_and_nan_stays_nan() {
    let loss = |scores: &[f32]| {
        let tops = forward("type: \"SoftmaxWithLoss\"", &[(&[1, 2], scores), (&[1], &[0.0])], 1);
        tops.unwrap()[0].1[0]
    };
    assert!((loss(&[-1000.0, 0.0]) - 87.336_54).abs() < 1e-4);
    assert!(loss(&[f32::NAN, 0.0]).is_nan());
}

#[test]
fn a_label_out_of_range_names_its_item() {
    for (label, text) in [(3.0, "3"), (-1.0, "-1"), (f32::NAN, "NaN")] {
        let bottoms = [(&[2, 3][..], &[0.0; 6][..]), (&[2][..], &[0.0, label][..])];
        let error = forward("type: \"SoftmaxWithLoss\"", &bottoms, 1).unwrap_err();
        let want = format!("label {text} of item 1 is not one of the 3 classes");
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn classes_have_weights_if_they_are_asked_for() {
    // Two positions of two classes; each costs ln 2.
    let bottoms = [(&[2, 2][..], &[0.0; 4][..]), (&[2][..], &[0.0, 1.0][..])];
    let text = |on: bool, weights: &str| {
        let field = "weight_by_label_freqs";
        format!(
            "type: \"SoftmaxWithLoss\" loss_param {{ {field}: {on} class_weighting: {weights} }}"
        )
    };
    let loss = |text: &str| forward(text, &bottoms, 1).unwrap()[0].1[0];
    assert!((loss(&text(true, "[3, 0]")) - 1.5 * LN_2).abs() < 1e-6);
    assert!((loss(&text(false, "[3, 0]")) - LN_2).abs() < 1e-6);
    let diffs = backward(&text(true, "[3, 0]"), &bottoms, &[&[1.0]]).unwrap().remove(0);
    assert_eq!(diffs, [-0.75, 0.75, 0.0, 0.0]);
    assert_eq!(
        error(&text(true, "[1, 1, 1]"), &[&[2, 2], &[2]], 1),
        "`loss_param.class_weighting` is written 3 times, expected once for each of the 2 classes"
    );
}
