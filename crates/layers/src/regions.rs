//! Boxes that a blob holds: per row the image, then left, top, right and bottom edge.
//!
//! Boxes are values, made by other layers or by a program, so anything may be wrong with them. An
//! image that does not exist and numbers that are not finite are errors. Everything else has a
//! meaning: boxes may leave the image, and where left and right are exchanged the layer decides.

use base::Shape;

use crate::LayerError;
use crate::loss::truncated;

/// Values per box.
const BOX_LEN: usize = 5;

/// Edges are clipped here, far beyond any image, so that sums of them do not overflow.
const EDGE_MAX: f32 = (1_u64 << 40) as f32;

/// A box; pairs are (vertical, horizontal).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RegionBox {
    pub(crate) image: usize,
    /// Top and left edge, in pixels of the input image.
    pub(crate) start: [f32; 2],
    /// Bottom and right edge.
    pub(crate) end: [f32; 2],
}

/// Number of boxes in a bottom of this shape.
pub(crate) fn count(index: usize, bottom: &Shape) -> Result<usize, LayerError> {
    match bottom.dims() {
        [count, ..] if bottom.count_from(1) == BOX_LEN => Ok(*count),
        _ => Err(LayerError::Bottom {
            index,
            got: bottom.clone(),
            want: "boxes of 5 values: image, left, top, right, bottom".into(),
        }),
    }
}

/// The boxes in `values`, which lie in `images` images.
pub(crate) fn boxes(
    values: &[f32],
    images: usize,
) -> impl Iterator<Item = Result<RegionBox, LayerError>> {
    let (rows, _) = values.as_chunks::<BOX_LEN>();
    rows.iter().enumerate().map(move |(index, row)| {
        let &[image, left, top, right, bottom] = row;
        let wrong = |want: String| LayerError::Region { index, values: *row, want };
        if ![left, top, right, bottom].iter().all(|edge| edge.is_finite()) {
            return Err(wrong("finite edges".into()));
        }
        let image = truncated(image).and_then(|image| usize::try_from(image).ok());
        match image.filter(|&image| image < images) {
            Some(image) => {
                let [left, top, right, bottom] =
                    [left, top, right, bottom].map(|edge| edge.clamp(-EDGE_MAX, EDGE_MAX));
                Ok(RegionBox { image, start: [top, left], end: [bottom, right] })
            }
            None => Err(wrong(format!("an image index below {images}"))),
        }
    })
}

/// A coordinate as an integer, of which two can be added; 0 for what is not a number.
#[expect(clippy::cast_possible_truncation, reason = "clipped first")]
pub(crate) fn whole(coordinate: f32) -> i64 {
    const LIMIT: f32 = (1_u64 << 60) as f32;
    coordinate.clamp(-LIMIT, LIMIT) as i64
}

/// The part of `start..end` that is inside an axis of `size` pixels.
pub(crate) fn clip(start: i64, end: i64, size: usize) -> std::ops::Range<usize> {
    let inside = |at: i64| usize::try_from(at.max(0)).unwrap_or(size).min(size);
    inside(start)..inside(end)
}

#[cfg(test)]
mod tests {
    use super::{EDGE_MAX, RegionBox, boxes, clip, whole};

    #[test]
    fn rows_become_boxes_or_errors() {
        let values = [1.9, 2.0, 1.0, -4.0, 1e30];
        let first = boxes(&values, 2).next().unwrap().unwrap();
        assert_eq!(first, RegionBox { image: 1, start: [1.0, 2.0], end: [EDGE_MAX, -4.0] });
        let error = |values: [f32; 5]| {
            let all = [[0.0; 5], values].concat();
            boxes(&all, 2).nth(1).unwrap().unwrap_err().to_string()
        };
        assert_eq!(
            error([2.0, 0.0, 0.0, 5.0, 5.0]),
            "box 1 is [2, 0, 0, 5, 5], expected an image index below 2"
        );
        assert_eq!(
            error([0.0, 0.0, f32::NAN, 5.0, 5.0]),
            "box 1 is [0, 0, NaN, 5, 5], expected finite edges"
        );
        for image in [-1.0, f32::NAN, 1e20, f32::NEG_INFINITY] {
            assert!(
                error([image, 0.0, 0.0, 1.0, 1.0]).contains("an image index below 2"),
                "{image}"
            );
        }
    }

    #[test]
    fn ranges_are_clipped() {
        assert_eq!(clip(-3, 2, 5), 0..2);
        assert_eq!(clip(whole(-1e38), whole(f32::MAX), 5), 0..5);
        assert_eq!(clip(7, 9, 5), 5..5);
        let reversed = clip(4, 1, 5);
        assert_eq!((reversed.start, reversed.end), (4, 1));
    }
}
