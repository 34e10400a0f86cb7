//! MemoryData: items that the calling program supplies. Caffe type `MemoryData`,
//! `memory_data_param`, `transform_param`. Has no bottoms.
//!
//! The [`DataSource`](crate::DataSource) holds the items and returns them batch by batch.

use crate::{Arity, LayerKind, data_layer};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "MemoryData",
    options: "memory_data_param, transform_param",
    formula: "y_0 = the next items that the program supplied; y_1 = their labels",
    tops: Arity::exactly(2),
    build: data_layer::build,
    ..LayerKind::WITH_SOURCE
};
