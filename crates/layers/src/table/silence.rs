//! Silence: consumes blobs so that they are not outputs of the net; `dx = 0`. Caffe type `Silence`,
//! no options. Has no tops.

use base::Shape;

use crate::{
    Arity, Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec,
    LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Silence",
    formula: "dx_i = 0",
    bottoms: Arity::at_least(1),
    tops: Arity::exactly(0),
    build,
    cases: &[GradientCase {
        options: "",
        bottoms: &[(&[2, 3], BottomFill::Gaussian), (&[4], BottomFill::Gaussian)],
        tops: 0,
    }],
    ..LayerKind::UNARY
};

fn build(_: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(SilenceLayer))
}

struct SilenceLayer;

impl Layer for SilenceLayer {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(Vec::new())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, _: &mut Forward<'_>) -> Result<(), LayerError> {
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        Ok(())
    }
}
