//! What can be wrong with one record; the error around it names the record.

use std::io;

use caffe_format::binary::BinaryError;

use crate::{image::ImageError, transform::Chw};

/// What is wrong with one record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleProblem {
    /// Not a `Datum`.
    #[error("is not a Datum")]
    Datum(#[source] BinaryError),
    /// A damaged image.
    #[error("the image")]
    Image(#[source] ImageError),
    /// An image file that cannot be read.
    #[error("cannot be read")]
    Read(#[source] io::Error),
    /// A name that does not say what kind of image it is.
    #[error("has neither the extension of a JPEG nor of a PNG file")]
    Extension,
    /// A box outside its image.
    #[error("a box lies outside the image")]
    Window,
    /// Negative, zero or overflowing sizes.
    #[error("has the size {stored:?} (channels, height, width)")]
    BadSize {
        /// As stored.
        stored: [i32; 3],
    },
    /// More or fewer values than the size says.
    #[error("holds {got} values, its size {size:?} asks for {}", size.iter().product::<usize>())]
    Length {
        /// Channels, height, width.
        size: Chw,
        /// Values there are.
        got: usize,
    },
    /// Nothing in it.
    #[error("is empty: {size:?} (channels, height, width)")]
    Empty {
        /// Channels, height, width.
        size: Chw,
    },
    /// Only bytes are resized or recoloured.
    #[error("holds floats, which `transform_param` can neither resize nor recolour")]
    ResizeFloats,
    /// Only blue, green and red are changed.
    #[error(
        "has {} channels: `color_jitter` and `lighting` of `transform_param` are for 3", size[0]
    )]
    Colors {
        /// Channels, height, width.
        size: Chw,
    },
    /// Too small to be cropped.
    #[error("is {size:?} (channels, height, width), smaller than `crop_size: {crop}`")]
    SmallerThanCrop {
        /// Channels, height, width.
        size: Chw,
        /// As written.
        crop: usize,
    },
    /// The mean image is of another size.
    #[error("is {size:?} (channels, height, width), the mean image is {mean:?}")]
    MeanSize {
        /// Channels, height, width.
        size: Chw,
        /// Those of the mean.
        mean: Chw,
    },
    /// Neither one mean value nor one per channel.
    #[error("has {} channels, but there are {values} mean values", size[0])]
    MeanValues {
        /// Channels, height, width.
        size: Chw,
        /// How many were written.
        values: usize,
    },
    /// The blob would be too large.
    #[error("a batch of records like it does not fit a blob")]
    Batch(#[source] base::ShapeError),
    /// Records of a batch are of one size.
    #[error(
        "is {size:?} (channels, height, width) where {want:?} came before; `crop_size` or resizing makes sizes equal"
    )]
    OtherSize {
        /// Channels, height, width.
        size: Chw,
        /// Of the first record of the batch.
        want: Chw,
    },
}
