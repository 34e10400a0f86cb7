//! MultiBoxLoss: matches priors with true boxes, then location and confidence loss. Type of the
//! SSD fork, `multibox_loss_param`, `loss_param`. Shapes only: such a net can be checked, but not
//! trained here.
//!
//! Bottoms are locations, confidences, priors and true boxes, the last as (1, 1, boxes, 8). The top
//! is a single value.

use base::Shape;

use crate::shapes_only::{PriorPredictions, ShapesOnlyLayer};
use crate::{Arity, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "MultiBoxLoss",
    fork: "SSD",
    options: "multibox_loss_param, loss_param",
    formula: "y = location and confidence loss of x_0 and x_1, given x_2 and x_3 (shapes only)",
    bottoms: Arity::exactly(4),
    tops: Arity { min: 1, max: 2 },
    shapes_only: true,
    build,
    ..LayerKind::LOSS
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let (written, tops) = (spec.layer.multibox_loss_param(), spec.tops);
    let predictions = PriorPredictions {
        option: "multibox_loss_param.num_classes",
        classes: written.num_classes,
        share_location: written.share_location(),
    };
    Ok(ShapesOnlyLayer::boxed(move |bottoms| {
        predictions.check(bottoms)?;
        if bottoms[3].dims().last() != Some(&8) {
            return Err(LayerError::Bottom {
                index: 3,
                got: bottoms[3].clone(),
                want: "boxes of 8 values: image, class, instance, 4 edges, difficult".into(),
            });
        }
        Ok(vec![Shape::scalar(); tops])
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, shapes};

    const LAYER: &str = "type: \"MultiBoxLoss\" multibox_loss_param { num_classes: 21 }";

    #[test]
    fn the_loss_is_one_value_and_true_boxes_are_rows_of_eight() {
        let bottoms = |truth| -> [&[usize]; 4] { [&[2, 24], &[2, 126], &[1, 2, 24], truth] };
        let top = shapes(LAYER, &bottoms(&[1, 1, 5, 8]), 1).unwrap().remove(0);
        assert_eq!(top.count(), 1);
        assert_eq!(
            error(LAYER, &bottoms(&[1, 1, 5, 7]), 1),
            "bottom 3 has shape 1 1 5 7 (35), expected boxes of 8 values: image, class, instance, \
             4 edges, difficult"
        );
    }
}
