//! BNLL: `y = ln(1 + e^x)`, the binomial normal log likelihood. Caffe type `BNLL`.
//!
//! Runs in place, keeping a copy of `x`.

use kernels::{Cpu, Unary};

use crate::elementwise::{Elementwise, Function, Points, chain, map};
use crate::{Case, InPlace, Layer, LayerError, LayerKind, Spec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "BNLL",
    formula: "y = ln(1 + exp(x))",
    in_place: InPlace::First,
    build,
    cases: &[Case::image("")],
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Elementwise::boxed(Bnll, spec.in_place))
}

struct Bnll;

impl Function for Bnll {
    fn backward_needs_x(&self) -> bool {
        true
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        // The exponent is never positive, so that nothing overflows.
        map(cpu, values, |x| (-x.abs()).exp().ln_1p() + x.max(0.0));
    }

    fn backward(&self, cpu: &Cpu, at: Points<'_>, diffs: Unary<'_>) {
        chain(cpu, at, diffs, |x, _| 1.0 / (1.0 + (-x).exp()));
    }
}
