//! BNLL: `y = ln(1 + e^x)`, the binomial normal log likelihood. Caffe type `BNLL`, no options.
//!
//! Runs in place, keeping a copy of `x`.

use kernels::{Cpu, Unary};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain, map};
use crate::{GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "BNLL",
    formula: "y = ln(1 + exp(x))",
    in_place: InPlace::First,
    build,
    cases: &[GradientCase::image("")],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Elementwise::boxed(BnllFunction, spec.in_place))
}

struct BnllFunction;

impl ElementFunction for BnllFunction {
    fn backward_needs_x(&self) -> bool {
        true
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        // An exponent of at most 0 cannot overflow.
        map(cpu, values, |x| (-x.abs()).exp().ln_1p() + x.max(0.0));
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        chain(cpu, at, diffs, |x, _| 1.0 / (1.0 + (-x).exp()));
    }
}
