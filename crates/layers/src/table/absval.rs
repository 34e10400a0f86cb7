//! AbsVal: `y = |x|`. Caffe type `AbsVal`, no options.
//!
//! Runs in place, keeping a copy of `x` for its sign. The derivative at 0 is 0.

use kernels::{Cpu, Unary, math};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain, sign};
use crate::{BottomFill, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "AbsVal",
    formula: "y = |x|",
    in_place: InPlace::First,
    build,
    cases: &[GradientCase {
        options: "",
        bottoms: &[(&[2, 3, 4, 5], BottomFill::Away(0.0))],
        tops: 1,
    }],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Elementwise::boxed(AbsValFunction, spec.in_place))
}

struct AbsValFunction;

impl ElementFunction for AbsValFunction {
    fn backward_needs_x(&self) -> bool {
        true
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        math::abs(cpu, values);
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        chain(cpu, at, diffs, |x, _| sign(x));
    }
}
