//! ReLU: `y = x` where `x > 0`, `y = slope * x` elsewhere. Caffe type `ReLU`, `relu_param`:
//! `negative_slope`. `engine` changes no result and is accepted.
//!
//! Runs in place when `slope >= 0`: backward tests only `x > 0`, which then equals `y > 0`. A
//! negative slope in place is an error.

use base::Shape;

use crate::{
    Backward, Case, Fill, Follower, Forward, InPlace, Layer, LayerError, LayerKind, LayerTraits,
    LayoutRule, Spec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ReLU",
    options: "relu_param",
    formula: "y = x if x > 0, else negative_slope * x",
    in_place: InPlace::First,
    build,
    cases: &[
        Case { options: "", bottoms: &[(&[2, 3, 4, 5], Fill::Away(0.0))], tops: 1 },
        Case {
            options: "relu_param { negative_slope: 0.3 }",
            bottoms: &[(&[7, 5], Fill::Away(0.0))],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let slope = spec.layer.relu_param().negative_slope();
    if spec.in_place && slope < 0.0 {
        return Err(LayerError::Option {
            option: "relu_param.negative_slope",
            got: slope.to_string(),
            want: "0 or more in place; give the layer a top of its own".into(),
        });
    }
    Ok(Box::new(ReluLayer { slope }))
}

struct ReluLayer {
    slope: f32,
}

impl Layer for ReluLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn traits(&self) -> LayerTraits {
        let follower = (self.slope >= 0.0).then_some(Follower::Relu { slope: self.slope });
        LayerTraits { follower, ..LayerTraits::default() }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        kernels::relu::forward(cpu, self.slope, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        if let Some(diffs) = io.unary() {
            kernels::relu::backward(cpu, self.slope, y, diffs);
        }
        Ok(())
    }
}
