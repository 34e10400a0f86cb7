//! SoftmaxWithLoss: the negative log-likelihood of labels under a softmax of scores,
//! `y = -sum log p[label] / divisor`. Caffe type `SoftmaxWithLoss`, `softmax_param`: `axis`;
//! `loss_param`: `ignore_label`, `normalization`, `normalize`. Never runs in place.
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
    Arity, Backward, Case, Fill, Forward, GradientBottoms, Layer, LayerError, LayerKind,
    LayerTraits, Spec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "SoftmaxWithLoss",
    options: "softmax_param, loss_param",
    formula: "y = -sum log softmax(x)[label] / divisor",
    tops: Arity { min: 1, max: 2 },
    build,
    cases: &[
        Case { options: "", bottoms: &[(&[6, 5], Fill::Gaussian), LABELS], tops: 1 },
        Case { options: "", bottoms: SPATIAL, tops: 1 },
        Case { options: "loss_param { ignore_label: 2 }", bottoms: SPATIAL, tops: 1 },
        Case {
            options: "loss_param { ignore_label: 2 normalization: FULL }",
            bottoms: SPATIAL,
            tops: 1,
        },
        Case {
            options: "loss_param { ignore_label: 2 normalization: BATCH_SIZE }",
            bottoms: SPATIAL,
            tops: 1,
        },
        Case { options: "loss_param { normalization: NONE }", bottoms: SPATIAL, tops: 1 },
        Case { options: "loss_param { normalize: false }", bottoms: SPATIAL, tops: 1 },
        Case {
            options: "softmax_param { axis: -1 }",
            bottoms: &[(&[2, 3, 4], Fill::Gaussian), (&[2, 3], Fill::Labels(4))],
            tops: 1,
        },
    ],
    ..LayerKind::LOSS
};

const LABELS: (&[usize], Fill) = (&[6], Fill::Labels(5));
const SPATIAL: &[(&[usize], Fill)] =
    &[(&[2, 4, 2, 3], Fill::Gaussian), (&[2, 1, 2, 3], Fill::Labels(4))];

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let axis = AxisOption::new("softmax_param.axis", spec.layer.softmax_param().axis());
    let loss = SoftmaxLoss::new(axis, spec.layer.loss_param(), spec.tops);
    Ok(Box::new(SoftmaxWithLossLayer { loss }))
}

struct SoftmaxWithLossLayer {
    loss: SoftmaxLoss,
}

impl Layer for SoftmaxWithLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.loss.reshape(bottoms)
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
            sum -= f64::from(at_least(f32::MIN_POSITIVE, p)).ln();
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
            match classes.class(label, position, ignore)? {
                Some(class) => dx[start + class * classes.inner] -= scale,
                None => dx[start..]
                    .iter_mut()
                    .step_by(classes.inner)
                    .take(classes.count)
                    .for_each(|d| *d = 0.0),
            }
        }
        Ok(())
    }

    fn workspace_bytes(&self) -> usize {
        self.loss.workspace_bytes()
    }
}

#[cfg(test)]
mod tests;
