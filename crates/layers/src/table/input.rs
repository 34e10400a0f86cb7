//! Input: tops of given shapes, whose values the user of the net writes. Caffe type `Input`,
//! `input_param`: `shape`, once for all tops or once per top. Without one the tops are empty until
//! the user gives them a shape. Has no bottoms.

use base::Shape;

use crate::repeated::once_or_each;
use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, LayerSpec};

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

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let (option, written) = ("input_param.shape", &spec.layer.input_param().shape);
    if written.is_empty() {
        return Ok(Box::new(InputLayer { tops: vec![Shape::new(&[0])?; spec.tops] }));
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

#[cfg(test)]
mod tests {
    use crate::testing::{error, shapes};

    #[test]
    fn tops_are_empty_until_they_get_a_shape() {
        let dims = |text: &str, tops: usize| -> Vec<Vec<usize>> {
            let shapes = shapes(text, &[], tops).unwrap();
            shapes.iter().map(|shape| shape.dims().to_vec()).collect()
        };
        assert_eq!(dims("type: \"Input\"", 2), [[0], [0]]);
        let one = "type: \"Input\" input_param { shape { dim: 2 dim: 3 } }";
        assert_eq!(dims(one, 2), [[2, 3], [2, 3]]);
        let two = "type: \"Input\" input_param { shape { dim: 2 } shape { dim: 3 } }";
        assert_eq!(dims(two, 2), [[2], [3]]);
        assert_eq!(
            error(two, &[], 3),
            "`input_param.shape` is written 2 times, expected once, or once for each of the 3 tops"
        );
    }
}
