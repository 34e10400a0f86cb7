use crate::testing::{TestBlob, error, forward};

/// Checks both tops for four items with these labels.
#[track_caller]
fn check(options: &str, labels: &[f32], want: f32, by_class: [f32; 3]) {
    let scores: TestBlob<'_> = (
        &[4, 3],
        &[
            0.1, 0.7, 0.2, // 1, then 2, then 0
            0.5, 0.5, 0.0, // 0 and 1 equal
            0.3, 0.2, 0.5, // 2, then 0, then 1
            0.0, 0.1, 0.9, // 2, then 1, then 0
        ],
    );
    let text = format!("type: \"Accuracy\" accuracy_param {{ {options} }}");
    let tops = forward(&text, &[scores, (&[4], labels)], 2).unwrap();
    assert_eq!(tops[0].1, [want]);
    assert_eq!(tops[1].1, by_class);
}

#[test]
fn counts_labels_among_the_highest_scores() {
    // Item 1 is a tie, which goes against the label.
    check("", &[1.0, 1.0, 2.0, 0.0], 0.5, [0.0, 0.5, 1.0]);
    check("top_k: 2", &[1.0, 1.0, 2.0, 0.0], 0.75, [0.0, 1.0, 1.0]);
    check("top_k: 3", &[1.0, 1.0, 2.0, 0.0], 1.0, [1.0, 1.0, 1.0]);
    // Item 3 does not count, which leaves class 0 without labels.
    check("ignore_label: 0", &[1.0, 1.0, 2.0, 0.0], 2.0 / 3.0, [0.0, 0.5, 1.0]);
    check("ignore_label: 1", &[1.0, 1.0, 1.0, 1.0], 0.0, [0.0; 3]);
}

#[test]
fn a_score_of_nan_is_never_right() {
    let tops = forward(
        "type: \"Accuracy\"",
        &[(&[2, 2], &[f32::NAN, f32::NAN, 1.0, 0.0]), (&[2], &[0.0, 0.0])],
        1,
    );
    assert_eq!(tops.unwrap()[0].1, [0.5]);
}

#[test]
fn invalid_options_bottoms_and_labels_are_reported() {
    assert_eq!(
        error("type: \"Accuracy\" accuracy_param { top_k: 4 }", &[&[2, 3], &[2]], 1),
        "`accuracy_param.top_k` is 4, expected at most 3, the number of classes"
    );
    assert_eq!(
        error("type: \"Accuracy\"", &[&[2, 3, 4], &[2]], 1),
        "bottom 1 has shape 2 (2), \
         expected 8 labels, one for each position beside axis 1 of 2 3 4 (24)"
    );
    let label = forward("type: \"Accuracy\"", &[(&[2, 2], &[0.0; 4]), (&[2], &[0.0, 2.0])], 1);
    assert_eq!(label.unwrap_err().to_string(), "label 2 of item 1 is not one of the 2 classes");
}
