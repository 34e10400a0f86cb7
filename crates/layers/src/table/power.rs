//! Power: `y = (shift + scale * x) ^ power`. Caffe type `Power`, `power_param`: `power`, `scale`,
//! `shift`.
//!
//! With `scale` or `power` 0, `y` is a constant and no gradient flows. Runs in place; a power other
//! than 1 then keeps a copy of `x`.

use kernels::{Cpu, Unary, elementwise, math};

use crate::elementwise::{ElementFunction, ElementPoints, Elementwise, chain};
use crate::{BottomFill, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Power",
    options: "power_param",
    formula: "y = (shift + scale * x) ^ power",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("power_param { scale: -2 shift: 1 }"),
        GradientCase::image("power_param { power: 2 scale: 0.7 shift: 0.3 }"),
        GradientCase::image("power_param { power: 3 }"),
        GradientCase { options: "power_param { power: 0.5 }", bottoms: POSITIVE, tops: 1 },
        GradientCase {
            options: "power_param { power: -1.5 scale: 2 shift: 0.5 }",
            bottoms: POSITIVE,
            tops: 1,
        },
        GradientCase::image("power_param { power: 0 }"),
        GradientCase::image("power_param { power: 2 scale: 0 shift: 3 }"),
    ],
    ..LayerKind::UNARY
};

const POSITIVE: &[(&[usize], BottomFill)] = &[(&[2, 3, 4, 5], BottomFill::Uniform(0.5, 2.0))];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.power_param();
    let (power, scale, shift) = (written.power(), written.scale(), written.shift());
    Ok(Elementwise::boxed(PowerFunction { power, scale, shift }, spec.in_place))
}

struct PowerFunction {
    power: f32,
    scale: f32,
    shift: f32,
}

impl ElementFunction for PowerFunction {
    fn backward_needs_x(&self) -> bool {
        self.power != 1.0 && self.power * self.scale != 0.0
    }

    fn forward(&self, cpu: &Cpu, values: Unary<'_>) {
        let &Self { power, scale, shift } = self;
        if power * scale != 0.0 {
            return math::pow_scaled(cpu, power, scale, shift, values);
        }
        // `y` does not depend on `x`, not even where that is NaN.
        let (Unary::InPlace(y) | Unary::OutOfPlace { y, .. }) = values;
        elementwise::fill(cpu, shift.powf(power), y);
    }

    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>) {
        let &Self { power, scale, shift } = self;
        let slope = power * scale;
        if power == 1.0 || slope == 0.0 {
            elementwise::scale(cpu, slope, diffs);
        } else if power == 2.0 {
            chain(cpu, at, diffs, |x, _| slope * (shift + scale * x));
        } else {
            chain(cpu, at, diffs, |x, y| slope * y / (shift + scale * x));
        }
    }
}
