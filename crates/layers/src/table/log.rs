//! Log: `y = log_base(shift + scale * x)`. Caffe type `Log`, `log_param`: `base` (-1, the default,
//! for e), `scale`, `shift`.
//!
//! Runs in place, keeping a copy of `x`.

use kernels::{Cpu, Unary, math};

use super::exp::ln_base;
use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain};
use crate::{BottomFill, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Log",
    options: "log_param",
    formula: "y = log(shift + scale * x) / log(base)",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase { options: "", bottoms: POSITIVE, tops: 1 },
        GradientCase { options: "log_param { base: 2 }", bottoms: POSITIVE, tops: 1 },
        GradientCase {
            options: "log_param { base: 3 scale: 0.7 shift: 0.3 }",
            bottoms: POSITIVE,
            tops: 1,
        },
        GradientCase { options: "log_param { scale: -1 shift: 3 }", bottoms: POSITIVE, tops: 1 },
    ],
    ..LayerKind::UNARY
};

const POSITIVE: &[(&[usize], BottomFill)] = &[(&[2, 3, 4, 5], BottomFill::Uniform(0.5, 2.0))];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.log_param();
    let ln_base = ln_base("log_param.base", written.base())?;
    if ln_base == 0.0 {
        return Err(LayerError::Option {
            option: "log_param.base",
            got: written.base().to_string(),
            want: "a base other than 1".into(),
        });
    }
    let function = LogFunction { ln_base, scale: written.scale(), shift: written.shift() };
    Ok(Elementwise::boxed(function, spec.in_place))
}

struct LogFunction {
    ln_base: f32,
    scale: f32,
    shift: f32,
}

impl ElementFunction for LogFunction {
    fn backward_needs_x(&self) -> bool {
        true
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        math::ln_scaled(cpu, self.ln_base, self.scale, self.shift, values);
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        let &Self { ln_base, scale, shift } = self;
        chain(cpu, at, diffs, |x, _| scale / (ln_base * (shift + scale * x)));
    }
}
