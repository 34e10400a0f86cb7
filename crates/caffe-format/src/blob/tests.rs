//! Shapes and values of blobs and datums, good and bad.

use expect_test::{Expect, expect};

use crate::{BlobProto, Datum, text};

/// Reads a blob and prints shape and values, or what is wrong.
#[track_caller]
fn check(source: &str, want: Expect) {
    let blob: BlobProto = text::read("b", source).unwrap();
    let described = blob.dims().and_then(|dims| {
        let values = blob.values()?;
        Ok(format!("{dims:?} {values:?}"))
    });
    want.assert_eq(&described.unwrap_or_else(|error| error.to_string()));
}

#[test]
fn shapes_new_and_old() {
    check("shape { dim: [1, 2] } data: [3, 4]", expect!["[1, 2] [3.0, 4.0]"]);
    check(
        "num: 1 channels: 1 height: 1 width: 2 data: [3, 4] diff: [5, 6]",
        expect!["[1, 1, 1, 2] [3.0, 4.0]"],
    );
    check("shape { dim: 2 } double_data: [0.1, 4] double_diff: [1, 2]", expect!["[2] [0.1, 4.0]"]);
    check("shape { } data: 7", expect!["[] [7.0]"]);
    check("shape { dim: [0, 5] }", expect!["[0, 5] []"]);
}

#[test]
fn bad_shapes() {
    check("data: [1, 2]", expect!["shape [] has 1 values, but 2 are given"]);
    check("shape { dim: [2, -3] }", expect!["axis 1 has -3 values"]);
    check(
        "shape { dim: [65536, 65536] }",
        expect!["shape [65536, 65536] has more than 2147483647 values"],
    );
    check(
        "shape { dim: [9223372036854775807, 9223372036854775807, 4] }",
        expect![
            "shape [9223372036854775807, 9223372036854775807, 4] has more than 2147483647 values"
        ],
    );
    check("shape { dim: 3 } data: [1, 2]", expect!["shape [3] has 3 values, but 2 are given"]);
    check("num: 5 data: 1", expect!["shape [5, 0, 0, 0] has 0 values, but 1 are given"]);
    check(
        &format!("shape {{ dim: [{}1] }}", "1, ".repeat(40)),
        expect!["41 axes, but a blob has at most 32"],
    );
}

#[test]
fn outer_axes_of_one_may_be_missing_or_more() {
    let old = |dims: [usize; 4]| {
        let [n, c, h, w] = dims;
        format!("num: {n} channels: {c} height: {h} width: {w}")
    };
    let new = |dims: &[usize]| format!("shape {{ dim: {dims:?} }}");
    let cases: [(String, &[usize], bool); 18] = [
        // Biases and weights of inner products in Caffe's old models.
        (old([1, 1, 1, 10]), &[10], true),
        (old([1, 1, 10, 3]), &[10, 3], true),
        (old([1, 1, 10, 3]), &[1, 10, 3], true),
        (old([1, 1, 1, 1]), &[], true),
        (old([1, 1, 10, 3]), &[3], false),
        (old([1, 1, 10, 3]), &[30], false),
        (old([1, 1, 10, 3]), &[3, 10], false),
        // Scales and shifts of the forks' BN, for Caffe's Scale and Bias.
        (old([1, 10, 1, 1]), &[10], true),
        (new(&[1, 10, 1, 1]), &[10], true),
        (new(&[10]), &[1, 10, 1, 1], true),
        (new(&[1, 1, 1, 10]), &[10], true),
        // Inner products as 1x1 convolutions, and back.
        (new(&[10, 3]), &[10, 3, 1, 1], true),
        (new(&[10, 3, 1, 1]), &[10, 3], true),
        // Inner ones and other sizes count.
        (new(&[10, 1, 3]), &[10, 3], false),
        (new(&[10, 3, 3, 3]), &[10, 27], false),
        (new(&[0]), &[0, 1], true),
        (new(&[0]), &[], false),
        ("shape { dim: -1 }".into(), &[1], false),
    ];
    for (source, dims, want) in cases {
        let blob: BlobProto = text::read("b", &source).unwrap();
        assert_eq!(blob.fits(dims), want, "{source} for {dims:?}");
    }
    assert!(BlobProto::default().fits(&[]));
}

#[test]
fn datums() {
    let datum = Datum::raw([1, 2, 2], vec![1, 2, 3, 4], 7);
    assert_eq!((datum.dims(), datum.label()), (Ok([1, 2, 2]), 7));
    for (source, want) in [
        ("channels: 1 height: 2 width: 2 float_data: [1, 2, 3, 4]", "[1, 2, 2]"),
        (
            "channels: 1 height: 2 width: 2 data: 'abc'",
            "shape [1, 2, 2] has 4 values, but 3 are given",
        ),
        ("channels: -1 height: 2 width: 2 data: 'abc'", "axis 0 has -1 values"),
        (
            "channels: 70000 height: 70000 width: 2",
            "shape [70000, 70000, 2] has more than 2147483647 values",
        ),
    ] {
        let datum: Datum = text::read("d", source).unwrap();
        assert_eq!(
            datum.dims().map_or_else(|error| error.to_string(), |dims| format!("{dims:?}")),
            want
        );
    }
}
