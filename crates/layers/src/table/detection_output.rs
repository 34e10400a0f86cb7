//! DetectionOutput: boxes that survive non-maximum suppression. Type of the SSD fork,
//! `detection_output_param`. Shapes only: such a net can be checked, but not run here.
//!
//! Bottoms are locations, confidences and priors. How many boxes remain is known only after the
//! suppression; as in the fork the top is (1, 1, 1, 7) until then: image, class, confidence, left,
//! top, right, bottom.

use base::Shape;

use crate::shapes_only::{PriorPredictions, ShapesOnlyLayer};
use crate::{Arity, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "DetectionOutput",
    fork: "SSD",
    options: "detection_output_param",
    formula: "y = boxes that remain of x_0, x_1 and x_2 (shapes only)",
    bottoms: Arity { min: 3, max: 4 },
    shapes_only: true,
    build,
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.detection_output_param();
    let predictions = PriorPredictions {
        option: "detection_output_param.num_classes",
        classes: written.num_classes,
        share_location: written.share_location(),
    };
    Ok(ShapesOnlyLayer::boxed(move |bottoms| {
        predictions.check(bottoms)?;
        Ok(vec![Shape::new(&[1, 1, 1, 7])?])
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, shapes};

    const LAYER: &str = "type: \"DetectionOutput\" detection_output_param { num_classes: 21";

    #[test]
    fn predictions_fit_the_priors() {
        let priors: &[usize] = &[1, 2, 8732 * 4];
        let fit: [&[usize]; 3] = [&[8, 8732 * 4], &[8, 8732 * 21], priors];
        let top = shapes(&format!("{LAYER} }}"), &fit, 1).unwrap().remove(0);
        assert_eq!(top.dims(), [1, 1, 1, 7]);
        assert_eq!(
            error(&format!("{LAYER} share_location: false }}"), &fit, 1),
            "bottom 0 has shape 8 34928 (279424), expected 8 images of 733488 values, 84 for each \
             of 8732 priors"
        );
        assert_eq!(
            error(&format!("{LAYER} }}"), &[&[8, 8732 * 4], &[8, 8732 * 20], priors], 1),
            "bottom 1 has shape 8 174640 (1397120), expected 8 images of 183372 values, 21 for \
             each of 8732 priors"
        );
        assert_eq!(
            error("type: \"DetectionOutput\"", &fit, 1),
            "`detection_output_param.num_classes` is missing: the number of classes, the \
             background included"
        );
    }
}
