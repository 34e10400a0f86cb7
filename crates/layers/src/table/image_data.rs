//! ImageData: image files and labels from a list. Caffe type `ImageData`, `image_data_param`,
//! `transform_param`. Has no bottoms.
//!
//! Without a fixed size the top has the size of the image, which requires a batch of one. The
//! [`DataSource`](crate::DataSource) reads, shuffles and transforms.

use crate::{Arity, LayerKind, data_layer};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ImageData",
    options: "image_data_param, transform_param",
    formula: "y_0 = the next images; y_1 = their labels",
    tops: Arity::exactly(2),
    build: data_layer::build,
    ..LayerKind::WITH_SOURCE
};
