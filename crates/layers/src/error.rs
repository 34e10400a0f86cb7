//! Why a layer cannot be built, shaped or run.

use base::{Shape, ShapeError};

use crate::{DataSourceError, FillerError};

/// What is wrong with one layer; the net adds the layer's name and type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// A required option is missing.
    #[error("`{option}` is missing: {want}")]
    Missing {
        /// The field, with its message: `convolution_param.num_output`.
        option: &'static str,
        /// What to write.
        want: &'static str,
    },

    /// An option has an invalid value.
    #[error("`{option}` is {got}, expected {want}")]
    Option {
        /// The field, with its message.
        option: &'static str,
        /// The value as written.
        got: String,
        /// Which values are valid.
        want: String,
    },

    /// Two options exclude each other.
    #[error("`{first}` and `{second}` exclude each other: {remedy}")]
    Conflict {
        /// A field, with its message.
        first: &'static str,
        /// A field that it excludes.
        second: &'static str,
        /// Which of them to keep.
        remedy: &'static str,
    },

    /// A bottom's shape does not fit.
    #[error("bottom {index} has shape {got}, expected {want}")]
    Bottom {
        /// Counts from 0.
        index: usize,
        /// The bottom's shape.
        got: Shape,
        /// Which shapes fit.
        want: String,
    },

    /// A label names no class.
    #[error("label {value} of item {item} is not one of the {classes} classes")]
    Label {
        /// Position in the batch.
        item: usize,
        /// As the blob holds it.
        value: f32,
        /// Valid labels are `0..classes`.
        classes: usize,
    },

    /// An index into the batch is out of range.
    #[error("index {value} at position {position} is not one of the {count} items")]
    Index {
        /// Position in the list of indices.
        position: usize,
        /// As the blob holds it.
        value: f32,
        /// Valid indices are `0..count`.
        count: usize,
    },

    /// A box is not one.
    #[error("box {index} is [{}], expected {want}", values.map(|v| v.to_string()).join(", "))]
    Region {
        /// Counts from 0.
        index: usize,
        /// Image, left, top, right, bottom, as the blob holds them.
        values: [f32; 5],
        /// Which boxes are valid.
        want: String,
    },

    /// A mask names a pixel that the top does not have.
    #[error(
        "mask value {value} is not one of the {pixels} pixels of the top: \
         give the layer the size of the blob that was pooled"
    )]
    Mask {
        /// As the blob holds it.
        value: f32,
        /// Valid values are `0..pixels`, and -1 for none.
        pixels: usize,
    },

    /// A top would be too large.
    #[error(transparent)]
    Shape(#[from] ShapeError),

    /// A parameter cannot be filled.
    #[error(transparent)]
    Filler(#[from] FillerError),

    /// Code of the program that embeds us failed, in a layer whose row it
    /// [added](crate::AddedLayers).
    #[error(transparent)]
    Program(Box<dyn std::error::Error + Send + Sync>),

    /// The source of a data layer failed.
    #[error(transparent)]
    Source(#[from] DataSourceError),
}
