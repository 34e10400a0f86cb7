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

    /// An option has a value that cannot be.
    #[error("`{option}` is {got}, expected {want}")]
    Option {
        /// The field.
        option: &'static str,
        /// What is written.
        got: String,
        /// What would do.
        want: String,
    },

    /// Two options exclude each other.
    #[error("`{first}` and `{second}` exclude each other: {remedy}")]
    Conflict {
        /// One field.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// Which to keep.
        remedy: &'static str,
    },

    /// A bottom's shape does not fit.
    #[error("bottom {index} has shape {got}, expected {want}")]
    Bottom {
        /// Which bottom.
        index: usize,
        /// Its shape.
        got: Shape,
        /// What would do.
        want: String,
    },

    /// A label names no class.
    #[error("label {value} of item {item} is not one of the {classes} classes")]
    Label {
        /// Position in the batch.
        item: usize,
        /// The label.
        value: f32,
        /// How many classes there are; labels are `0..classes`.
        classes: usize,
    },

    /// A value that picks an item of the batch picks none.
    #[error("index {value} at {position} is not one of the {count} items")]
    Index {
        /// Which of the indices.
        position: usize,
        /// The index.
        value: f32,
        /// How many items there are; indices are `0..count`.
        count: usize,
    },

    /// A top would be too large.
    #[error(transparent)]
    Shape(#[from] ShapeError),

    /// A parameter cannot be filled.
    #[error(transparent)]
    Filler(#[from] FillerError),

    /// The source of a data layer failed.
    #[error(transparent)]
    Source(#[from] DataSourceError),
}
