//! WindowData: windows cut out of images, foreground and background. Caffe type `WindowData`,
//! `window_data_param`, `transform_param`.
//!
//! Sampling, reading and warping are the source's work.

use crate::{Arity, LayerKind, data_layer};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "WindowData",
    options: "window_data_param, transform_param",
    formula: "y_0 = the next windows; y_1 = their labels",
    tops: Arity::exactly(2),
    build: data_layer::build,
    ..LayerKind::WITH_SOURCE
};
