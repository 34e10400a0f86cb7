//! TanH: `y = tanh(x)`. Caffe type `TanH`, no options used (`engine` is accepted).
//!
//! Runs in place: backward needs only `y`.

use kernels::{Cpu, Unary, math};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise};
use crate::{GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "TanH",
    formula: "y = tanh(x)",
    in_place: InPlace::First,
    build,
    cases: &[GradientCase::image("")],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Elementwise::boxed(TanHFunction, spec.in_place))
}

struct TanHFunction;

impl ElementFunction for TanHFunction {
    fn backward_needs_x(&self) -> bool {
        false
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        math::tanh(cpu, values);
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        math::tanh_backward(cpu, at.y, diffs);
    }
}
