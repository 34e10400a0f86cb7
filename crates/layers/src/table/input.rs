//! Input: tops of given shapes, whose values whoever uses the net writes. Caffe type `Input`,
//! `input_param`: `shape`, once for all tops or once per top.

use base::Shape;

use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, Spec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Input",
    options: "input_param",
    formula: "y_i = what was put there",
    bottoms: Arity::exactly(0),
    tops: Arity::at_least(1),
    build,
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = &spec.layer.input_param().shape;
    let shapes =
        written.iter().map(|shape| Shape::from_i64(&shape.dim)).collect::<Result<Vec<_>, _>>()?;
    let tops = match shapes.len() {
        0 => {
            let want = "the tops' shape, once or once per top";
            return Err(LayerError::Missing { option: "input_param.shape", want });
        }
        1 => vec![shapes[0].clone(); spec.tops],
        count if count == spec.tops => shapes,
        count => {
            return Err(LayerError::Option {
                option: "input_param.shape",
                got: format!("written {count} times"),
                want: format!("once, or once for each of the {} tops", spec.tops),
            });
        }
    };
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
