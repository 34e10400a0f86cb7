//! ReLU6: `y = min(max(x, 0), 6)` (Krizhevsky 2010), for MobileNet. Not in Caffe; layer type
//! `ReLU6` of chuanqi305's SSD fork. Other forks write `relu_param { relu6: true }`, which
//! [`ReLU`](super::relu) takes. `relu6_param.engine` changes no result and is accepted.
//!
//! Runs in place: backward looks at `y` alone.

use super::relu::ReluLayer;
use crate::{BottomFill, GradientCase, InPlace, LayerKind};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ReLU6",
    fork: "SSD of chuanqi305",
    options: "relu6_param",
    formula: "y = min(max(x, 0), 6)",
    in_place: InPlace::First,
    build: |_| Ok(Box::new(ReluLayer { slope: 0.0, capped: true })),
    cases: &[
        GradientCase { options: "", bottoms: &[(&[2, 3, 4, 5], BottomFill::Away(0.0))], tops: 1 },
        GradientCase { options: "", bottoms: &[(&[4, 5], BottomFill::Away(6.0))], tops: 1 },
    ],
    ..LayerKind::UNARY
};
