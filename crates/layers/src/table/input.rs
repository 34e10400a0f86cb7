//! Input: tops of given shapes, whose values the user of the net writes. Caffe type `Input`,
//! `input_param`: `shape`, once for all tops or once per top. Has no bottoms.

use base::Shape;

use crate::repeated::once_or_each;
use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, Spec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Input",
    options: "input_param",
    formula: "y_i = what the user of the net wrote there",
    bottoms: Arity::exactly(0),
    tops: Arity::at_least(1),
    build,
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let (option, written) = ("input_param.shape", &spec.layer.input_param().shape);
    if written.is_empty() {
        let want = "the tops' shape, once or once per top";
        return Err(LayerError::Missing { option, want });
    }
    let tops = once_or_each(option, written, spec.tops, "tops")?
        .iter()
        .map(|shape| Shape::from_i64(&shape.dim))
        .collect::<Result<_, _>>()?;
    Ok(Box::new(InputLayer { tops }))
}

struct InputLayer {
    tops: Vec<Shape>,
}

impl Layer for InputLayer {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(self.tops.clone())
    }

    fn forward(&mut self, _: &mut Forward<'_>) -> Result<(), LayerError> {
        Ok(())
    }

    fn backward(&mut self, _: &mut Backward<'_>) -> Result<(), LayerError> {
        Ok(())
    }
}
