use crate::testing::{backward, error, forward};

#[test]
fn items_that_are_not_selected_get_no_gradient() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let bottoms = [(&[3, 2][..], &x[..]), (&[3][..], &[1.0, 0.0, -2.0][..])];
    let tops = forward("type: \"Filter\"", &bottoms, 1).unwrap();
    assert_eq!(tops[0].0.dims(), [2, 2]);
    assert_eq!(tops[0].1, [1.0, 2.0, 5.0, 6.0]);
    let diffs = backward("type: \"Filter\"", &bottoms, &[&[10.0, 20.0, 30.0, 40.0]]).unwrap();
    assert_eq!(diffs[0], [10.0, 20.0, 0.0, 0.0, 30.0, 40.0]);
}

#[test]
fn when_nothing_is_selected_the_top_is_empty() {
    let bottoms = [(&[2, 3][..], &[1.0; 6][..]), (&[2, 1][..], &[0.0, 0.0][..])];
    assert_eq!(forward("type: \"Filter\"", &bottoms, 1).unwrap()[0].0.dims(), [0, 3]);
    assert_eq!(backward("type: \"Filter\"", &bottoms, &[&[]]).unwrap()[0], [0.0; 6]);
}

#[test]
fn mismatched_bottoms_and_tops_are_reported() {
    let check = |bottoms: &[&[usize]], tops: usize, want: &str| {
        assert_eq!(error("type: \"Filter\"", bottoms, tops), want);
    };
    check(
        &[&[2], &[2], &[2]],
        1,
        "`top` is written 1 times, expected 2 times, once for each bottom but the selector",
    );
    check(&[&[2], &[2, 2]], 1, "bottom 1 has shape 2 2 (4), expected one value per item");
    check(
        &[&[2], &[3, 4], &[2, 1]],
        2,
        "bottom 1 has shape 3 4 (12), expected 2 items, as the selector has",
    );
}
