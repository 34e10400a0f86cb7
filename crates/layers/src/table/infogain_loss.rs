//! InfogainLoss: the negative log-likelihood of every class, weighted by the label's row of a
//! matrix, `y = -sum_k H[label, k] log p[k] / divisor`. Caffe type `InfogainLoss`,
//! `infogain_loss_param`: `source`, `axis`; `loss_param`: `ignore_label`, `normalization`. Never
//! runs in place.
//!
//! With the identity as `H` (classes, classes) this is SoftmaxWithLoss. `H` is bottom 2, or the
//! file `infogain_loss_param.source`. Layers read no files: `train` reads it into the
//! layer's `blobs`, which this type does not use otherwise. Other bottoms, tops and the divisor:
//! [`crate::softmax_loss`].

use base::Shape;
use kernels::{Unary, elementwise};

use crate::axis::AxisOption;
use crate::loss::{PROBABILITY_MIN, at_least, rounded};
use crate::softmax_loss::SoftmaxLoss;
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "InfogainLoss",
    options: "infogain_loss_param, loss_param",
    formula: "y = -sum_k H[label, k] * log softmax(x)[k] / divisor",
    bottoms: Arity { min: 2, max: 3 },
    tops: Arity { min: 1, max: 2 },
    build,
    cases: &[
        GradientCase {
            options: "",
            bottoms: &[(&[5, 3], BottomFill::Gaussian), (&[5], BottomFill::Labels(3)), MATRIX],
            tops: 1,
        },
        GradientCase { options: "loss_param { ignore_label: 1 }", bottoms: SPATIAL, tops: 1 },
        GradientCase {
            options: "loss_param { ignore_label: 1 normalization: BATCH_SIZE }",
            bottoms: SPATIAL,
            tops: 1,
        },
        GradientCase {
            options: "infogain_loss_param { axis: -1 } loss_param { normalization: FULL }",
            bottoms: &[
                (&[2, 2, 3], BottomFill::Gaussian),
                (&[2, 2], BottomFill::Labels(3)),
                MATRIX,
            ],
            tops: 1,
        },
        GradientCase {
            options: "infogain_loss_param { source: \"h\" }
                blobs { shape { dim: 2 dim: 2 } data: 1 data: 0.5 data: 0.2 data: 2 }",
            bottoms: &[(&[4, 2], BottomFill::Gaussian), (&[4], BottomFill::Labels(2))],
            tops: 1,
        },
    ],
    ..LayerKind::LOSS
};

/// `BottomFill::Labels` because the matrix has no gradient.
const MATRIX: (&[usize], BottomFill) = (&[1, 1, 3, 3], BottomFill::Labels(4));
const SPATIAL: &[(&[usize], BottomFill)] =
    &[(&[2, 3, 2, 2], BottomFill::Gaussian), (&[2, 2, 2], BottomFill::Labels(3)), MATRIX];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let (written, loss) = (spec.layer.infogain_loss_param(), spec.layer.loss_param());
    if let Some(normalize) = loss.normalize {
        return Err(LayerError::Option {
            option: "loss_param.normalize",
            got: normalize.to_string(),
            want: "`loss_param.normalization` in its place".into(),
        });
    }
    let matrix = match (spec.bottoms, spec.layer.blobs.first()) {
        (3, _) => None,
        (_, Some(blob)) => Some(blob.data.clone()),
        (_, None) => {
            return Err(LayerError::Missing {
                option: "infogain_loss_param.source",
                want: "a file with the matrix, or a third bottom",
            });
        }
    };
    let axis = AxisOption::new("infogain_loss_param.axis", written.axis());
    Ok(Box::new(InfogainLossLayer { loss: SoftmaxLoss::new(axis, loss, spec.tops), matrix }))
}

struct InfogainLossLayer {
    loss: SoftmaxLoss,
    /// From the file; `None` when it is a bottom.
    matrix: Option<Vec<f32>>,
}

impl InfogainLossLayer {
    fn check_matrix(&self, bottoms: &[Shape]) -> Result<(), LayerError> {
        let count = self.loss.classes.count;
        let want = || format!("{count} rows of {count} values");
        match &self.matrix {
            Some(matrix) if matrix.len() != count * count => Err(LayerError::Option {
                option: "infogain_loss_param.source",
                got: format!("a blob of {} values", matrix.len()),
                want: want(),
            }),
            None if bottoms[2].count() != count * count => {
                Err(LayerError::Bottom { index: 2, got: bottoms[2].clone(), want: want() })
            }
            _ => Ok(()),
        }
    }
}

impl Layer for InfogainLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let tops = self.loss.reshape(bottoms)?;
        self.check_matrix(bottoms)?;
        Ok(tops)
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        self.loss.softmax(io.cpu, io.bottoms[0].data());
        let (p, classes) = (&self.loss.probabilities, self.loss.classes);
        let matrix = self.matrix.as_deref().unwrap_or_else(|| io.bottoms[2].data());
        let mut sum = 0.0;
        let divisor = self.loss.each_label(io.bottoms[1].data(), |start, class| {
            let row = &matrix[class * classes.count..][..classes.count];
            for (&h, &p) in row.iter().zip(p[start..].iter().step_by(classes.inner)) {
                sum -= f64::from(h) * f64::from(at_least(PROBABILITY_MIN, p)).ln();
            }
        })?;
        self.loss.finish(io.cpu, sum / divisor, &mut io.tops);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        let (p, classes) = (&self.loss.probabilities, self.loss.classes);
        let (weight, labels) = (io.tops[0].diff()[0], io.bottoms[1].data);
        let matrix = self.matrix.as_deref().unwrap_or_else(|| io.bottoms[2].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        let divisor = self.loss.each_label(labels, |start, class| {
            let row = &matrix[class * classes.count..][..classes.count];
            let sum = row.iter().sum::<f32>();
            let p = p[start..].iter().step_by(classes.inner);
            let dx = dx[start..].iter_mut().step_by(classes.inner);
            for (dx, (&h, &p)) in dx.zip(row.iter().zip(p)) {
                *dx = p * sum - h;
            }
        })?;
        let scale = rounded(f64::from(weight) / divisor);
        elementwise::scale(io.cpu, scale, Unary::InPlace(dx));
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
