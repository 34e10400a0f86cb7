//! InfogainLoss: the log-likelihood of every class, weighted by a row of a matrix. Caffe type
//! `InfogainLoss`, `infogain_loss_param`, `loss_param`.
//!
//! As SoftmaxWithLoss, but a label picks a row of `H` (classes, classes) in place of one class;
//! with the identity both are the same. `H` is bottom 2, or else the file
//! `infogain_loss_param.source`. Layers read no files: whoever does puts the file's blob into the
//! layer's `blobs`, which this type has no other use for.

use base::Shape;
use caffe_format::LossParameterNormalizationMode as Mode;
use kernels::{Unary, channel::Channels, elementwise, softmax};

use crate::axis::AxisOption;
use crate::loss::{Classes, Normalization, PROBABILITY_MIN, at_least, batch, rounded};
use crate::{Arity, Backward, Case, Fill, Forward, Layer, LayerError, LayerKind, Spec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "InfogainLoss",
    options: "infogain_loss_param, loss_param",
    formula: "y = -sum_k H[label, k] * log softmax(x)[k] / divisor",
    bottoms: Arity { min: 2, max: 3 },
    tops: Arity { min: 1, max: 2 },
    build,
    cases: &[
        Case {
            options: "",
            bottoms: &[(&[5, 3], Fill::Gaussian), (&[5], Fill::Labels(3)), MATRIX],
            tops: 1,
        },
        Case { options: "loss_param { ignore_label: 1 }", bottoms: SPATIAL, tops: 1 },
        Case {
            options: "loss_param { ignore_label: 1 normalization: BATCH_SIZE }",
            bottoms: SPATIAL,
            tops: 1,
        },
        Case {
            options: "infogain_loss_param { axis: -1 } loss_param { normalization: FULL }",
            bottoms: &[(&[2, 2, 3], Fill::Gaussian), (&[2, 2], Fill::Labels(3)), MATRIX],
            tops: 1,
        },
        Case {
            options: "infogain_loss_param { source: \"h\" }
                blobs { shape { dim: 2 dim: 2 } data: 1 data: 0.5 data: 0.2 data: 2 }",
            bottoms: &[(&[4, 2], Fill::Gaussian), (&[4], Fill::Labels(2))],
            tops: 1,
        },
    ],
    ..LayerKind::LOSS
};

/// Whole numbers: no gradient is asked for.
const MATRIX: (&[usize], Fill) = (&[1, 1, 3, 3], Fill::Labels(4));
const SPATIAL: &[(&[usize], Fill)] =
    &[(&[2, 3, 2, 2], Fill::Gaussian), (&[2, 2, 2], Fill::Labels(3)), MATRIX];

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
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
    Ok(Box::new(InfogainLoss {
        option: AxisOption::new("infogain_loss_param.axis", written.axis()),
        ignore: loss.ignore_label,
        normalization: Normalization::new(loss, Mode::Valid),
        matrix,
        tops: spec.tops,
        classes: Classes::default(),
        probabilities: Vec::new(),
    }))
}

struct InfogainLoss {
    option: AxisOption,
    ignore: Option<i32>,
    normalization: Normalization,
    /// From the file; `None` when it is a bottom.
    matrix: Option<Vec<f32>>,
    tops: usize,
    classes: Classes,
    /// Of the last forward.
    probabilities: Vec<f32>,
}

impl InfogainLoss {
    fn check_matrix(&self, bottoms: &[Shape]) -> Result<(), LayerError> {
        let count = self.classes.count;
        let want = || format!("{count} rows of {count} values, one a class");
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

impl Layer for InfogainLoss {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let axis = self.option.of(&bottoms[0])?;
        batch(bottoms)?;
        self.classes = Classes::new(bottoms, axis)?;
        self.check_matrix(bottoms)?;
        self.probabilities.resize(bottoms[0].count(), 0.0);
        let shapes = [Shape::scalar(), bottoms[0].clone()];
        Ok(shapes[..self.tops].to_vec())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let classes = self.classes;
        let dims = Channels { outer: classes.outer, c: classes.count, inner: classes.inner };
        let values = Unary::Apart { x: io.bottoms[0].data, y: &mut self.probabilities };
        softmax::forward(io.cpu, dims, values);
        let matrix = self.matrix.as_deref().unwrap_or_else(|| io.bottoms[2].data);
        let (mut loss, mut valid) = (0.0, 0);
        for (position, &label) in io.bottoms[1].data.iter().enumerate() {
            let Some(class) = classes.class(label, position, self.ignore)? else { continue };
            let row = &matrix[class * classes.count..][..classes.count];
            let p = self.probabilities[classes.start(position)..].iter().step_by(classes.inner);
            for (&h, &p) in row.iter().zip(p) {
                loss -= f64::from(h) * f64::from(at_least(PROBABILITY_MIN, p)).ln();
            }
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
        io.no_gradient(0);
        let classes = self.classes;
        let (weight, labels) = (io.tops[0].diff[0], io.bottoms[1].data);
        let matrix = self.matrix.as_deref().unwrap_or_else(|| io.bottoms[2].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        let mut valid = 0;
        for (position, &label) in labels.iter().enumerate() {
            let Some(class) = classes.class(label, position, self.ignore)? else { continue };
            let row = &matrix[class * classes.count..][..classes.count];
            let sum = row.iter().sum::<f32>();
            let start = classes.start(position);
            let p = self.probabilities[start..].iter().step_by(classes.inner);
            let dx = dx[start..].iter_mut().step_by(classes.inner);
            for (dx, (&h, &p)) in dx.zip(row.iter().zip(p)) {
                *dx = p * sum - h;
            }
            valid += 1;
        }
        let divisor = self.normalization.divisor(classes.outer, classes.inner, valid);
        let scale = rounded(f64::from(weight) / divisor);
        elementwise::scale(io.cpu, scale, Unary::InPlace(dx));
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
