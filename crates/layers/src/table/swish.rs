//! Swish: `y = x / (1 + e^(-beta * x))` (Ramachandran et al. 2017). Caffe type `Swish`,
//! `swish_param`: `beta`.
//!
//! Runs in place, keeping a copy of `x`.

use kernels::{Cpu, Unary};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain, map};
use crate::{GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Swish",
    options: "swish_param",
    formula: "y = x * sigmoid(beta * x)",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("swish_param { beta: 1.7 }"),
        GradientCase::image("swish_param { beta: -0.5 }"),
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let beta = spec.layer.swish_param().beta();
    Ok(Elementwise::boxed(SwishFunction { beta }, spec.in_place))
}

struct SwishFunction {
    beta: f32,
}

impl ElementFunction for SwishFunction {
    fn backward_needs_x(&self) -> bool {
        true
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        let beta = self.beta;
        map(cpu, values, |x| x * sigmoid(beta * x));
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        let beta = self.beta;
        chain(cpu, at, diffs, |x, _| {
            let s = sigmoid(beta * x);
            s + beta * x * s * (1.0 - s)
        });
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
