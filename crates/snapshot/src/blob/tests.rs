use base::Shape;
use caffe_format::{BlobProto, BlobShape};

use super::{BlobError, fits, pack, shape, values};

fn new(dim: &[i64], data: &[f32]) -> BlobProto {
    let shape = Some(BlobShape { dim: dim.to_vec(), ..BlobShape::default() });
    BlobProto { shape, data: data.to_vec(), ..BlobProto::default() }
}

fn old(dims: [i32; 4]) -> BlobProto {
    let [num, channels, height, width] = dims.map(Some);
    BlobProto { num, channels, height, width, ..BlobProto::default() }
}

fn target(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap()
}

#[test]
fn old_blobs_fit_targets_that_lack_their_leading_ones() {
    for (blob, dims, want) in [
        (old([1, 1, 1, 10]), &[10][..], true),
        (old([1, 1, 5, 10]), &[5, 10], true),
        (old([2, 3, 5, 10]), &[2, 3, 5, 10], true),
        (old([1, 1, 1, 1]), &[], true),
        (old([2, 1, 1, 10]), &[10], false),
        (old([10, 1, 1, 1]), &[10], false),
        (old([1, 1, 1, 10]), &[1, 1, 1, 1, 10], false),
        (new(&[10], &[]), &[10], true),
        (new(&[1, 10], &[]), &[10], false),
        (new(&[-1], &[]), &[10], false),
        (BlobProto::default(), &[], true),
    ] {
        assert_eq!(fits(&blob, &target(dims)), want, "{blob:?} in {dims:?}");
    }
}

#[test]
fn values_fill_the_shape_or_are_refused() {
    assert_eq!(*values(&new(&[2], &[1.0, 2.0])).unwrap(), [1.0, 2.0]);
    let doubles = BlobProto { double_data: vec![0.1, 0.2], ..new(&[2], &[]) };
    assert_eq!(*values(&doubles).unwrap(), [0.1, 0.2]);
    let short = values(&new(&[2, 2], &[1.0])).unwrap_err();
    assert_eq!(short.to_string(), "holds 1 values, its shape 2 2 (4) asks for 4");
    assert!(matches!(values(&new(&[-3], &[])), Err(BlobError::Shape(_))));
    assert!(matches!(shape(&new(&[1 << 20, 1 << 20], &[])), Err(BlobError::Shape(_))));
    let packed = pack(&target(&[1, 2]), vec![3.0, 4.0]);
    assert_eq!(packed, new(&[1, 2], &[3.0, 4.0]));
}
