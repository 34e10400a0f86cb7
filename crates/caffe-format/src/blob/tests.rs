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
fn old_weights_fit_shapes_with_fewer_axes() {
    let old: BlobProto = text::read("b", "num: 1 channels: 1 height: 10 width: 3").unwrap();
    let new: BlobProto = text::read("b", "shape { dim: [1, 1, 10, 3] }").unwrap();
    for (dims, old_fits, new_fits) in [
        (vec![10, 3], true, false),
        (vec![1, 10, 3], true, false),
        (vec![1, 1, 10, 3], true, true),
        (vec![3], false, false),
        (vec![30], false, false),
        (vec![1, 1, 1, 10, 3], false, false),
    ] {
        assert_eq!((old.fits(&dims), new.fits(&dims)), (old_fits, new_fits), "{dims:?}");
    }
    let column: BlobProto = text::read("b", "num: 10 channels: 1 height: 1 width: 1").unwrap();
    assert!(!column.fits(&[10]), "only leading ones may be missing");
    let ones: BlobProto = text::read("b", "num: 1 channels: 1 height: 1 width: 1").unwrap();
    assert!(ones.fits(&[]) && BlobProto::default().fits(&[]));
    let bad: BlobProto = text::read("b", "shape { dim: -1 }").unwrap();
    assert!(!bad.fits(&[1]));
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
