//! Power: `y = (shift + scale * x) ^ power`. Caffe type `Power`, `power_param`.
//!
//! With `scale` or `power` 0, `y` is a constant and no gradient flows. Runs in place; a power other than 1 then keeps a
//! copy of `x`.

use base::Shape;
use kernels::{elementwise, math};

use crate::elementwise::chain;
use crate::{
    Backward, Case, Fill, Forward, InPlace, Layer, LayerError, LayerKind, LayoutRule, Spec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Power",
    options: "power_param",
    formula: "y = (shift + scale * x) ^ power",
    in_place: InPlace::First,
    build,
    cases: &[
        Case::image(""),
        Case::image("power_param { scale: -2 shift: 1 }"),
        Case::image("power_param { power: 2 scale: 0.7 shift: 0.3 }"),
        Case::image("power_param { power: 3 }"),
        Case { options: "power_param { power: 0.5 }", bottoms: POSITIVE, tops: 1 },
        Case {
            options: "power_param { power: -1.5 scale: 2 shift: 0.5 }",
            bottoms: POSITIVE,
            tops: 1,
        },
        Case::image("power_param { power: 0 }"),
        Case::image("power_param { power: 2 scale: 0 shift: 3 }"),
    ],
    ..LayerKind::UNARY
};

const POSITIVE: &[(&[usize], Fill)] = &[(&[2, 3, 4, 5], Fill::Uniform(0.5, 2.0))];

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.power_param();
    let (power, scale, shift) = (written.power(), written.scale(), written.shift());
    let keeps = spec.in_place && power != 1.0 && power != 0.0 && scale != 0.0;
    Ok(Box::new(Power { power, scale, shift, keeps, kept: Vec::new() }))
}

struct Power {
    power: f32,
    scale: f32,
    shift: f32,
    /// Whether forward overwrites the `x` that backward needs.
    keeps: bool,
    kept: Vec<f32>,
}

impl Layer for Power {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        if self.keeps {
            self.kept.resize(bottoms[0].count(), 0.0);
        }
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        let &mut Self { power, scale, shift, .. } = self;
        if power * scale == 0.0 {
            // `x` does not matter, not even when it is not a number.
            elementwise::fill(cpu, shift.powf(power), io.tops[0].data());
            return Ok(());
        }
        if self.keeps {
            self.kept.copy_from_slice(io.tops[0].data());
        }
        math::pow_scaled(cpu, power, scale, shift, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        let &mut Self { power, scale, shift, .. } = self;
        let x = if self.keeps { &self.kept[..] } else { io.bottoms[0].data };
        let Some(diffs) = io.unary() else { return Ok(()) };
        let slope = power * scale;
        if power == 1.0 || slope == 0.0 {
            elementwise::scale(cpu, slope, diffs);
        } else if power == 2.0 {
            chain(cpu, (x, y), diffs, |x, _| slope * (shift + scale * x));
        } else {
            chain(cpu, (x, y), diffs, |x, y| slope * y / (shift + scale * x));
        }
        Ok(())
    }

    fn workspace_bytes(&self) -> usize {
        size_of_val(&self.kept[..])
    }
}
