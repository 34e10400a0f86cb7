//! Threshold: `y = 1` where `x > threshold`, else 0. Caffe type `Threshold`, `threshold_param`:
//! `threshold`.
//!
//! Runs in place. The gradient is 0.

use kernels::{Cpu, Unary, elementwise};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, map};
use crate::{BottomFill, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Threshold",
    options: "threshold_param",
    formula: "y = 1 if x > threshold, else 0",
    in_place: InPlace::First,
    build,
    cases: &[GradientCase {
        options: "threshold_param { threshold: 0.2 }",
        bottoms: &[(&[2, 3, 4, 5], BottomFill::Away(0.2))],
        tops: 1,
    }],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let threshold = spec.layer.threshold_param().threshold();
    Ok(Elementwise::boxed(ThresholdFunction { threshold }, spec.in_place))
}

struct ThresholdFunction {
    threshold: f32,
}

impl ElementFunction for ThresholdFunction {
    fn backward_needs_x(&self) -> bool {
        false
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        let threshold = self.threshold;
        map(cpu, values, |x| f32::from(u8::from(x > threshold)));
    }

    fn backward(&self, cpu: &Cpu, _: ElementPoints<'_>, diffs: Unary<'_>) {
        let (Unary::InPlace(dx) | Unary::OutOfPlace { y: dx, .. }) = diffs;
        elementwise::fill(cpu, 0.0, dx);
    }
}
