//! ELU: `y = x` where `x > 0`, `y = alpha * (e^x - 1)` elsewhere (Clevert et al., ICLR 2016). Caffe
//! type `ELU`, `elu_param`: `alpha`.
//!
//! Runs in place. If `alpha >= 0`, `y > 0` exactly where `x > 0`; else a copy of `x` is kept.

use kernels::{Cpu, Unary};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain, map};
use crate::{BottomFill, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ELU",
    options: "elu_param",
    formula: "y = x if x > 0, else alpha * (exp(x) - 1)",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase { options: "", bottoms: POINTS, tops: 1 },
        GradientCase { options: "elu_param { alpha: 0.3 }", bottoms: POINTS, tops: 1 },
        GradientCase { options: "elu_param { alpha: -0.4 }", bottoms: POINTS, tops: 1 },
    ],
    ..LayerKind::UNARY
};

const POINTS: &[(&[usize], BottomFill)] = &[(&[2, 3, 4, 5], BottomFill::Away(0.0))];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let alpha = spec.layer.elu_param().alpha();
    Ok(Elementwise::boxed(EluFunction { alpha }, spec.in_place))
}

struct EluFunction {
    alpha: f32,
}

impl ElementFunction for EluFunction {
    fn backward_needs_x(&self) -> bool {
        self.alpha < 0.0
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        let alpha = self.alpha;
        map(cpu, values, |x| if x > 0.0 { x } else { alpha * x.exp_m1() });
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        let alpha = self.alpha;
        chain(cpu, at, diffs, |x, y| if x > 0.0 { 1.0 } else { alpha + y });
    }
}
