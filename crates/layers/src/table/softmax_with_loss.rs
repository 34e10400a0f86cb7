//! SoftmaxWithLoss: the negative log-likelihood of labels under a softmax of scores. Caffe type
//! `SoftmaxWithLoss`, `softmax_param`, `loss_param`.
//!
//! Bottom 0 has scores along `softmax_param.axis`, bottom 1 a label for every other position.
//! Positions labelled `ignore_label` count nothing. The sum is divided as `normalization` says
//! (default `VALID`: by the positions that count). Top 1, if there is one, holds the probabilities;
//! no gradient comes back through it.

use base::Shape;
use caffe_format::LossParameterNormalizationMode as Mode;
use kernels::{Unary, channel::Channels, elementwise, softmax};

use crate::axis::AxisOption;
use crate::loss::{Classes, Normalization, at_least, batch, rounded};
use crate::{Arity, Backward, Case, Fill, Forward, Layer, LayerError, LayerKind, Spec};

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
    let written = spec.layer.loss_param();
    Ok(Box::new(SoftmaxWithLoss {
        option: AxisOption::new("softmax_param.axis", spec.layer.softmax_param().axis()),
        ignore: written.ignore_label,
        normalization: Normalization::new(written, Mode::Valid),
        tops: spec.tops,
        classes: Classes::default(),
        probabilities: Vec::new(),
    }))
}

struct SoftmaxWithLoss {
    option: AxisOption,
    ignore: Option<i32>,
    normalization: Normalization,
    tops: usize,
    classes: Classes,
    /// Of the last forward.
    probabilities: Vec<f32>,
}

impl Layer for SoftmaxWithLoss {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let axis = self.option.of(&bottoms[0])?;
        batch(bottoms)?;
        self.classes = Classes::new(bottoms, axis)?;
        self.probabilities.resize(bottoms[0].count(), 0.0);
        let shapes = [Shape::scalar(), bottoms[0].clone()];
        Ok(shapes[..self.tops].to_vec())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let classes = self.classes;
        let dims = Channels { outer: classes.outer, c: classes.count, inner: classes.inner };
        let values = Unary::Apart { x: io.bottoms[0].data, y: &mut self.probabilities };
        softmax::forward(io.cpu, dims, values);
        let (mut loss, mut valid) = (0.0, 0);
        for (position, &label) in io.bottoms[1].data.iter().enumerate() {
            let Some(class) = classes.class(label, position, self.ignore)? else { continue };
            let p = self.probabilities[classes.start(position) + class * classes.inner];
            loss -= f64::from(at_least(f32::MIN_POSITIVE, p)).ln();
            valid += 1;
        }
        loss /= self.normalization.divisor(classes.outer, classes.inner, valid);
        io.tops[0].data()[0] = rounded(loss);
        if let Some(top) = io.tops.get_mut(1) {
            elementwise::copy(io.cpu, &self.probabilities, top.data());
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let classes = self.classes;
        let (weight, labels) = (io.tops[0].diff[0], io.bottoms[1].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        let mut valid = 0;
        for (position, &label) in labels.iter().enumerate() {
            valid += usize::from(classes.class(label, position, self.ignore)?.is_some());
        }
        let divisor = self.normalization.divisor(classes.outer, classes.inner, valid);
        let scale = rounded(f64::from(weight) / divisor);
        elementwise::scale(io.cpu, scale, Unary::Apart { x: &self.probabilities, y: &mut *dx });
        for (position, &label) in labels.iter().enumerate() {
            let start = classes.start(position);
            match classes.class(label, position, self.ignore)? {
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

    fn backward_to(&self, index: usize) -> bool {
        index == 0
    }

    fn workspace_bytes(&self) -> usize {
        size_of_val(&self.probabilities[..])
    }
}

#[cfg(test)]
mod tests;
