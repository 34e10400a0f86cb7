use crate::testing::{error, forward};

#[test]
fn an_index_out_of_range_is_reported() {
    for (index, text) in [(2.0, "2"), (-0.5, "-0.5"), (f32::NAN, "NaN")] {
        let bottoms = [(&[2, 1][..], &[7.0, 8.0][..]), (&[2][..], &[1.0, index][..])];
        let error = forward("type: \"BatchReindex\"", &bottoms, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("index {text} at position 1 is not one of the 2 items")
        );
    }
}

#[test]
fn no_index_gives_an_empty_top() {
    let tops = forward("type: \"BatchReindex\"", &[(&[2, 3], &[0.0; 6]), (&[0], &[])], 1).unwrap();
    assert_eq!(tops[0].0.dims(), [0, 3]);
}

#[test]
fn mismatched_bottoms_are_reported() {
    assert_eq!(
        error("type: \"BatchReindex\"", &[&[2, 3], &[2, 1]], 1),
        "bottom 1 has shape 2 1 (2), expected one axis"
    );
    assert_eq!(
        error("type: \"BatchReindex\"", &[&[], &[2]], 1),
        "bottom 0 has shape (1), expected a batch axis"
    );
}
