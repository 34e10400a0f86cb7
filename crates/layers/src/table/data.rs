//! Data: images and labels from an LMDB or LevelDB database. Caffe type `Data`, `data_param`,
//! `transform_param`. Has no bottoms.
//!
//! Top 0 is the batch of images after cropping, mirroring, mean and scale; top 1, if there is one,
//! their labels. The [`DataSource`](crate::DataSource) reads and transforms.

use crate::{Arity, LayerKind, data_layer};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Data",
    options: "data_param, transform_param",
    formula: "y_0 = images of the next batch; y_1 = their labels",
    tops: Arity { min: 1, max: 2 },
    build: data_layer::build,
    ..LayerKind::WITH_SOURCE
};
