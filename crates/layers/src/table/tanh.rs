//! TanH: `y = tanh x`. Caffe type `TanH`.
//!
//! Runs in place: backward needs only `y`.

use base::Shape;
use kernels::math;

use crate::{Backward, Case, Forward, InPlace, Layer, LayerError, LayerKind, LayoutRule, Spec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "TanH",
    formula: "y = tanh(x)",
    in_place: InPlace::First,
    build,
    cases: &[Case::image("")],
    ..LayerKind::UNARY
};

fn build(_: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(TanH))
}

struct TanH;

impl Layer for TanH {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        math::tanh(cpu, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        if let Some(diffs) = io.unary() {
            math::tanh_backward(cpu, y, diffs);
        }
        Ok(())
    }
}
