//! SoftmaxWithLoss: the negative log-likelihood of labels under a softmax of scores,
//! `y = -sum log p[label] / divisor`. Caffe type `SoftmaxWithLoss`, `softmax_param`: `axis`;
//! `loss_param`: `ignore_label`, `normalization`, `normalize`. Never runs in place.
//!
//! Two fields of Caffe-SegNet (alexgkendall): with `weight_by_label_freqs` the terms of a position
//! are multiplied by the number that `class_weighting` lists for its label. The divisor does not
//! change.
//!
//! Positions labelled `ignore_label` do not count. The divisor follows from `normalization`
//! (default `VALID`: the number of positions that count). Bottoms and tops:
//! [`crate::softmax_loss`].

use base::Shape;
use kernels::{Unary, elementwise};

use crate::axis::AxisOption;
use crate::loss::{at_least, rounded};
use crate::softmax_loss::SoftmaxLoss;
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "SoftmaxWithLoss",
    options: "softmax_param, loss_param",
    formula: "y = -sum log softmax(x)[label] / divisor",
    tops: Arity { min: 1, max: 2 },
    build,
    cases: &[
        GradientCase { options: "", bottoms: &[(&[6, 5], BottomFill::Gaussian), LABELS], tops: 1 },
        GradientCase { options: "", bottoms: SPATIAL, tops: 1 },
        GradientCase { options: "loss_param { ignore_label: 2 }", bottoms: SPATIAL, tops: 1 },
        GradientCase {
            options: "loss_param { ignore_label: 2 normalization: FULL }",
            bottoms: SPATIAL,
            tops: 1,
        },
        GradientCase {
            options: "loss_param { ignore_label: 2 normalization: BATCH_SIZE }",
            bottoms: SPATIAL,
            tops: 1,
        },
        GradientCase { options: "loss_param { normalization: NONE }", bottoms: SPATIAL, tops: 1 },
        GradientCase { options: "loss_param { normalize: false }", bottoms: SPATIAL, tops: 1 },
        GradientCase {
            options: "loss_param { ignore_label: 2 weight_by_label_freqs: true class_weighting: \
                      [0.5, 2, 3, 0.1] }",
            bottoms: SPATIAL,
            tops: 1,
        },
        GradientCase {
            options: "softmax_param { axis: -1 }",
            bottoms: &[(&[2, 3, 4], BottomFill::Gaussian), (&[2, 3], BottomFill::Labels(4))],
            tops: 1,
        },
    ],
    ..LayerKind::LOSS
};

const LABELS: (&[usize], BottomFill) = (&[6], BottomFill::Labels(5));
const SPATIAL: &[(&[usize], BottomFill)] =
    &[(&[2, 4, 2, 3], BottomFill::Gaussian), (&[2, 1, 2, 3], BottomFill::Labels(4))];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let axis = AxisOption::new("softmax_param.axis", spec.layer.softmax_param().axis());
    let written = spec.layer.loss_param();
    let loss = SoftmaxLoss::new(axis, written, spec.tops);
    let class_weights = written.weight_by_label_freqs().then(|| written.class_weighting.clone());
    Ok(Box::new(SoftmaxWithLossLayer { loss, class_weights }))
}

struct SoftmaxWithLossLayer {
    loss: SoftmaxLoss,
    class_weights: Option<Vec<f32>>,
}

impl SoftmaxWithLossLayer {
    /// What the terms of a position with this label are multiplied by; 1 changes no bit.
    fn weight(&self, class: usize) -> f32 {
        self.class_weights.as_ref().map_or(1.0, |weights| weights[class])
    }
}

impl Layer for SoftmaxWithLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let tops = self.loss.reshape(bottoms)?;
        let classes = self.loss.classes.count;
        if let Some(weights) = self.class_weights.as_ref().filter(|w| w.len() != classes) {
            return Err(LayerError::Option {
                option: "loss_param.class_weighting",
                got: format!("written {} times", weights.len()),
                want: format!("once for each of the {classes} classes"),
            });
        }
        Ok(tops)
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        self.loss.softmax(io.cpu, io.bottoms[0].data());
        let (p, inner) = (&self.loss.probabilities, self.loss.classes.inner);
        let mut sum = 0.0;
        let divisor = self.loss.each_label(io.bottoms[1].data(), |start, class| {
            let p = p[start + class * inner];
            let log = f64::from(at_least(f32::MIN_POSITIVE, p)).ln();
            sum -= log * f64::from(self.weight(class));
        })?;
        self.loss.finish(io.cpu, sum / divisor, &mut io.tops);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let (weight, labels) = (io.tops[0].diff()[0], io.bottoms[1].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        let divisor = self.loss.each_label(labels, |_, _| {})?;
        let scale = rounded(f64::from(weight) / divisor);
        let SoftmaxLoss { classes, ignore, ref probabilities, .. } = self.loss;
        elementwise::scale(io.cpu, scale, Unary::OutOfPlace { x: probabilities, y: &mut *dx });
        for (position, &label) in labels.iter().enumerate() {
            let start = classes.start(position);
            let class = classes.class(label, position, ignore)?;
            if let Some(class) = class {
                let at = start + class * classes.inner;
                // Not `scale · p - scale`: near `p = 1` the product is rounded before they cancel.
                dx[at] = scale * (probabilities[at] - 1.0);
            }
            let weight = class.map_or(0.0, |class| self.weight(class));
            if weight != 1.0 {
                let scores = dx[start..].iter_mut().step_by(classes.inner).take(classes.count);
                scores.for_each(|d| *d = if weight == 0.0 { 0.0 } else { *d * weight });
            }
        }
        Ok(())
    }

    fn allocate(&mut self) {
        self.loss.probabilities.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.loss.workspace_bytes()
    }
}

#[cfg(test)]
mod tests;
