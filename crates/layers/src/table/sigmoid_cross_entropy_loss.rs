//! SigmoidCrossEntropyLoss: the cross entropy of targets `t` and probabilities `p = sigmoid(x)`,
//! `y = -sum (t log p + (1 - t) log(1 - p)) / divisor`. Caffe type `SigmoidCrossEntropyLoss`,
//! `loss_param`: `ignore_label`, `normalization` (default `BATCH_SIZE`), `normalize`. Never runs in
//! place.
//!
//! Bottom 1 has a target from 0 to 1 for each score. Targets equal to `ignore_label` do not count.

use base::Shape;
use caffe_format::LossParameterNormalizationMode as Mode;
use kernels::math;

use crate::loss::{LossNormalization, batch, rounded, truncated};
use crate::{
    Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError, LayerKind,
    LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "SigmoidCrossEntropyLoss",
    options: "loss_param",
    formula: "y = -sum (t * log p + (1 - t) * log(1 - p)) / divisor, p = sigmoid(x), t = x_1",
    build,
    cases: &[
        GradientCase { options: "", bottoms: BINARY, tops: 1 },
        GradientCase { options: "loss_param { normalization: FULL }", bottoms: BINARY, tops: 1 },
        GradientCase {
            options: "loss_param { ignore_label: 0 normalize: true }",
            bottoms: BINARY,
            tops: 1,
        },
        GradientCase { options: "loss_param { ignore_label: 1 }", bottoms: BINARY, tops: 1 },
        GradientCase { options: "loss_param { normalization: NONE }", bottoms: BINARY, tops: 1 },
    ],
    ..LayerKind::LOSS
};

const BINARY: &[(&[usize], BottomFill)] =
    &[(&[3, 2, 2], BottomFill::Gaussian), (&[3, 4], BottomFill::Binary)];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.loss_param();
    Ok(Box::new(SigmoidCrossEntropyLossLayer {
        ignore: written.ignore_label,
        normalization: LossNormalization::new(written, Mode::BatchSize),
        batch: 0,
        len: 0,
    }))
}

struct SigmoidCrossEntropyLossLayer {
    ignore: Option<i32>,
    normalization: LossNormalization,
    batch: usize,
    /// Scores per item.
    len: usize,
}

impl SigmoidCrossEntropyLossLayer {
    fn counts(&self, target: f32) -> bool {
        self.ignore.is_none() || truncated(target) != self.ignore
    }

    fn divisor(&self, targets: &[f32]) -> f64 {
        let valid = targets.iter().filter(|&&target| self.counts(target)).count();
        self.normalization.divisor(self.batch, self.len, valid)
    }
}

impl Layer for SigmoidCrossEntropyLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        (self.batch, self.len) = (batch(bottoms)?, bottoms[0].count_from(1));
        if bottoms[0].count() != bottoms[1].count() {
            return Err(LayerError::Bottom {
                index: 1,
                got: bottoms[1].clone(),
                want: format!("a target for each score of bottom 0, {}", bottoms[0]),
            });
        }
        Ok(vec![Shape::scalar()])
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (scores, targets) = (io.bottoms[0].data(), io.bottoms[1].data());
        let mut loss = 0.0;
        for (&x, &t) in scores.iter().zip(targets).filter(|&(_, &t)| self.counts(t)) {
            let (x, t) = (f64::from(x), f64::from(t));
            // -t x + ln(1 + e^x), with an exponent of at most 0, which cannot overflow.
            let positive = if x >= 0.0 { 1.0 } else { 0.0 };
            loss += (-x.abs()).exp().ln_1p() - x * (t - positive);
        }
        io.tops[0].data()[0] = rounded(loss / self.divisor(targets));
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let (cpu, weight) = (io.cpu, io.tops[0].diff()[0]);
        let (scores, targets) = (io.bottoms[0].data, io.bottoms[1].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        let scale = rounded(f64::from(weight) / self.divisor(targets));
        math::sigmoid_difference(cpu, scale, (scores, targets), dx);
        for (dx, _) in dx.iter_mut().zip(targets).filter(|&(_, &t)| !self.counts(t)) {
            *dx = 0.0;
        }
        Ok(())
    }
}
