//! WindowData: foreground and background windows cropped from images. Caffe type `WindowData`,
//! `window_data_param`, `transform_param`. Has no bottoms.
//!
//! The [`DataSource`](crate::DataSource) samples, reads and warps.

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
