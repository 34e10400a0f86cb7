//! `BlobProto`: shapes of today and of old Caffe, values in single and double precision.

use std::borrow::Cow;

use base::{Shape, ShapeError};
use caffe_format::BlobProto;

/// Why a blob of a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// The shape is impossible.
    #[error("impossible shape")]
    Shape(#[source] ShapeError),
    /// Shape and values disagree.
    #[error("holds {got} values, its shape {shape} asks for {}", shape.count())]
    Count {
        /// As the file states it.
        shape: Shape,
        /// Values in the file.
        got: usize,
    },
}

/// The shape that a file states. A blob with any of the old fields has four axes.
pub fn shape(blob: &BlobProto) -> Result<Shape, BlobError> {
    let shape = if has_old_shape(blob) {
        Shape::from_i64(&old_shape(blob))
    } else {
        Shape::from_i64(blob.shape.as_ref().map_or(&[], |shape| &shape.dim))
    };
    shape.map_err(BlobError::Shape)
}

/// The values, as many as the shape asks for; doubles are rounded.
pub fn values(blob: &BlobProto) -> Result<Cow<'_, [f32]>, BlobError> {
    #[expect(clippy::cast_possible_truncation, reason = "values are f32 here")]
    let values: Cow<'_, [f32]> = if blob.double_data.is_empty() {
        Cow::Borrowed(&blob.data)
    } else {
        Cow::Owned(blob.double_data.iter().map(|&value| value as f32).collect())
    };
    let shape = shape(blob)?;
    if shape.count() == values.len() {
        Ok(values)
    } else {
        Err(BlobError::Count { shape, got: values.len() })
    }
}

/// A blob as Caffe writes it.
///
/// # Panics
///
/// If there are more or fewer values than the shape asks for: both are the caller's.
#[must_use]
pub fn pack(shape: &Shape, values: Vec<f32>) -> BlobProto {
    BlobProto::from_values(shape.dims(), values)
}

/// Whether a blob of a file can be copied to `target`: equal shapes. Old blobs had four axes always,
/// their own counted from the end and the others 1.
#[must_use]
pub fn fits(blob: &BlobProto, target: &Shape) -> bool {
    if !has_old_shape(blob) {
        return shape(blob).is_ok_and(|shape| shape == *target);
    }
    let Some(missing) = 4_usize.checked_sub(target.axes()) else { return false };
    let wanted = std::iter::repeat_n(1, missing).chain(target.dims().iter().copied());
    old_shape(blob).iter().copied().eq(wanted.map(|dim| i64::try_from(dim).unwrap_or(i64::MAX)))
}

fn has_old_shape(blob: &BlobProto) -> bool {
    [blob.num, blob.channels, blob.height, blob.width].iter().any(Option::is_some)
}

fn old_shape(blob: &BlobProto) -> [i64; 4] {
    [blob.num(), blob.channels(), blob.height(), blob.width()].map(i64::from)
}

#[cfg(test)]
mod tests;
