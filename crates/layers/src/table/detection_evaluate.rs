//! DetectionEvaluate: compares detections with true boxes. Type of the SSD fork,
//! `detection_evaluate_param`. Shapes only: such a net can be checked, but not run here.
//!
//! The top is (1, 1, rows, 5): a row per class other than the background, and one per detection, of
//! which there is one until DetectionOutput has run.

use base::Shape;

use crate::shapes_only::{ShapesOnlyLayer, legacy_axis};
use crate::{Arity, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "DetectionEvaluate",
    fork: "SSD",
    options: "detection_evaluate_param",
    formula: "y = true and false positives of x_0, given x_1 (shapes only)",
    bottoms: Arity::exactly(2),
    shapes_only: true,
    build,
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let option = "detection_evaluate_param.num_classes";
    let want = "the number of classes, the background included";
    let classes = match spec.layer.detection_evaluate_param().num_classes {
        None | Some(0) => return Err(LayerError::Missing { option, want }),
        Some(classes) => classes as usize,
    };
    Ok(ShapesOnlyLayer::boxed(move |bottoms| {
        for (index, values) in [(0, 7), (1, 8)] {
            if legacy_axis(&bottoms[index], 3) != values {
                return Err(LayerError::Bottom {
                    index,
                    got: bottoms[index].clone(),
                    want: format!("4 axes, the last of {values} values per box"),
                });
            }
        }
        Ok(vec![Shape::new(&[1, 1, classes - 1 + legacy_axis(&bottoms[0], 2), 5])?])
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, shapes};

    #[test]
    fn there_is_a_row_per_class_and_detection() {
        let layer = "type: \"DetectionEvaluate\" detection_evaluate_param { num_classes: 21 }";
        let top = shapes(layer, &[&[1, 1, 1, 7], &[1, 1, 3, 8]], 1).unwrap().remove(0);
        assert_eq!(top.dims(), [1, 1, 21, 5]);
        assert_eq!(
            error(layer, &[&[1, 1, 1, 7], &[1, 1, 3, 7]], 1),
            "bottom 1 has shape 1 1 3 7 (21), expected 4 axes, the last of 8 values per box"
        );
    }
}
