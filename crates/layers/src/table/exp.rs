//! Exp: `y = base ^ (shift + scale * x)`. Caffe type `Exp`, `exp_param`: `base` (-1, the default,
//! for e), `scale`, `shift`.
//!
//! Runs in place: backward needs only `y`.

use kernels::{Cpu, Unary, math};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain};
use crate::{GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Exp",
    options: "exp_param",
    formula: "y = base ^ (shift + scale * x)",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("exp_param { base: 2 }"),
        GradientCase::image("exp_param { base: 0.5 scale: 0.7 shift: 0.3 }"),
        GradientCase::image("exp_param { scale: -0.5 shift: 1 }"),
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.exp_param();
    let ln_base = ln_base("exp_param.base", written.base())?;
    let function = ExpFunction { ln_base, scale: written.scale(), shift: written.shift() };
    Ok(Elementwise::boxed(function, spec.in_place))
}

struct ExpFunction {
    ln_base: f32,
    scale: f32,
    shift: f32,
}

impl ElementFunction for ExpFunction {
    fn backward_needs_x(&self) -> bool {
        false
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        math::exp_scaled(cpu, self.ln_base, self.scale, self.shift, values);
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        let slope = self.ln_base * self.scale;
        chain(cpu, at, diffs, |_, y| slope * y);
    }
}

/// The natural logarithm of a base as written; -1 stands for e.
pub(super) fn ln_base(option: &'static str, base: f32) -> Result<f32, LayerError> {
    if base == -1.0 {
        return Ok(1.0);
    }
    if base > 0.0 && base.is_finite() {
        return Ok(base.ln());
    }
    Err(LayerError::Option { option, got: base.to_string(), want: "above 0, or -1 for e".into() })
}
