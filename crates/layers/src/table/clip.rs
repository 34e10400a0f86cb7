//! Clip: `y = x` from `min` to `max`, else the nearer bound. Caffe type `Clip`, `clip_param`:
//! `min`, `max`.
//!
//! Runs in place, keeping a copy of `x`: gradient flows only where `x` is within the bounds.

use kernels::{Cpu, Unary};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain, map};
use crate::{BottomFill, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Clip",
    options: "clip_param",
    formula: "y = min(max(x, min), max)",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase {
            options: "clip_param { min: -0.3 max: 0.5 }",
            bottoms: &[(&[2, 3, 4, 5], BottomFill::Uniform(-0.28, 0.48))],
            tops: 1,
        },
        GradientCase {
            options: "clip_param { min: -0.225 max: 0.225 }",
            bottoms: &[(&[2, 3, 1, 4], BottomFill::Spread)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.clip_param();
    let (Some(min), Some(max)) = (written.min, written.max) else {
        let option = if written.min.is_none() { "clip_param.min" } else { "clip_param.max" };
        return Err(LayerError::Missing { option, want: "both bounds are needed" });
    };
    if min.is_nan() || max.is_nan() || min > max {
        return Err(LayerError::Option {
            option: "clip_param.max",
            got: max.to_string(),
            want: format!("at least `clip_param.min`, {min}"),
        });
    }
    Ok(Elementwise::boxed(ClipFunction { min, max }, spec.in_place))
}

struct ClipFunction {
    min: f32,
    max: f32,
}

impl ElementFunction for ClipFunction {
    fn backward_needs_x(&self) -> bool {
        true
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        let &Self { min, max } = self;
        // NaN fails both comparisons and stays.
        map(cpu, values, |x| {
            if x < min {
                min
            } else if x > max {
                max
            } else {
                x
            }
        });
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        let bounds = self.min..=self.max;
        chain(cpu, at, diffs, |x, _| if bounds.contains(&x) { 1.0 } else { 0.0 });
    }
}
