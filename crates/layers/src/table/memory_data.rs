//! MemoryData: what the calling program hands in. Caffe type `MemoryData`, `memory_data_param`,
//! `transform_param`.
//!
//! Keeping it, batch by batch, is the source's work.

use crate::{Arity, LayerKind, data_layer};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "MemoryData",
    options: "memory_data_param, transform_param",
    formula: "y_0 = the next items handed in; y_1 = their labels",
    tops: Arity::exactly(2),
    build: data_layer::build,
    ..LayerKind::WITH_SOURCE
};
