//! SmoothL1Loss: squares of small differences, absolute values of large ones. Type of the Fast
//! R-CNN, R-FCN and SSD forks, `smooth_l1_loss_param`: `sigma`; `loss_param`: `normalization`.
//! Never runs in place.
//!
//! `y = sum w_out · f(w_in · (x_0 - x_1)) / N`, where `f(d) = (sigma d)^2 / 2` if
//! `|d| < 1 / sigma^2`, else `|d| - 1 / (2 sigma^2)`. Bottom 2 has the inside weights `w_in` and
//! bottom 3 the outside weights `w_out`; both are 1 where there are two bottoms, and `w_out` is 1
//! with three. `N` is the batch size, or what `loss_param` says where it is written, as in R-FCN.
//!
//! Forks with three bottoms leave out the factor `w_in` of the gradient. For weights of 0 and 1,
//! which their nets use, that is the same.

use base::Shape;
use caffe_format::LossParameterNormalizationMode as Mode;

use crate::loss::{LossNormalization, batch, rounded};
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "SmoothL1Loss",
    fork: "Fast R-CNN, R-FCN, SSD",
    options: "smooth_l1_loss_param, loss_param",
    formula: "y = sum x_3 * f(x_2 * (x_0 - x_1)) / N, f(d) = (sigma d)^2 / 2 if |d| < 1 / sigma^2, \
              else |d| - 1 / (2 sigma^2)",
    bottoms: Arity { min: 2, max: 4 },
    build,
    cases: &[
        GradientCase { options: "", bottoms: &[PREDICTED, TARGET], tops: 1 },
        GradientCase {
            options: "smooth_l1_loss_param { sigma: 2.0 }",
            bottoms: &[PREDICTED, TARGET, (&[4, 6], BottomFill::Labels(3))],
            tops: 1,
        },
        GradientCase {
            options: "smooth_l1_loss_param { sigma: 0.7 } loss_param { normalization: FULL }",
            bottoms: &[
                PREDICTED,
                TARGET,
                (&[4, 6], BottomFill::Labels(3)),
                (&[4, 6], BottomFill::Labels(4)),
            ],
            tops: 1,
        },
        GradientCase {
            options: "loss_param { normalize: false }",
            bottoms: &[PREDICTED, TARGET],
            tops: 1,
        },
        GradientCase {
            options: "loss_param { normalization: NONE }",
            bottoms: &[PREDICTED, TARGET],
            tops: 1,
        },
    ],
    ..LayerKind::LOSS
};

const PREDICTED: (&[usize], BottomFill) = (&[4, 3, 1, 2], BottomFill::Gaussian);
const TARGET: (&[usize], BottomFill) = (&[4, 6], BottomFill::Gaussian);

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let sigma = spec.layer.smooth_l1_loss_param().sigma();
    let squared = sigma * sigma;
    if !(squared > 0.0 && squared.is_finite()) {
        return Err(LayerError::Option {
            option: "smooth_l1_loss_param.sigma",
            got: sigma.to_string(),
            want: "a positive number".into(),
        });
    }
    let normalization = LossNormalization::new(spec.layer.loss_param(), Mode::BatchSize);
    Ok(Box::new(SmoothL1LossLayer { squared, normalization, divisor: 1.0 }))
}

struct SmoothL1LossLayer {
    /// `sigma^2`.
    squared: f32,
    normalization: LossNormalization,
    divisor: f64,
}

impl SmoothL1LossLayer {
    fn error(&self, d: f32) -> f32 {
        match d.abs() < 1.0 / self.squared {
            true => 0.5 * self.squared * d * d,
            false => d.abs() - 0.5 / self.squared,
        }
    }

    fn slope(&self, d: f32) -> f32 {
        match d.abs() < 1.0 / self.squared {
            true => self.squared * d,
            false => d.signum(),
        }
    }
}

/// Weights of one bottom; without it all are 1.
fn weight(bottom: Option<&[f32]>, at: usize) -> f32 {
    bottom.map_or(1.0, |weights| weights[at])
}

impl Layer for SmoothL1LossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let outer = batch(bottoms)?;
        for (index, bottom) in bottoms.iter().enumerate().skip(1) {
            if bottom.count() != bottoms[0].count() || bottom.dims().first() != Some(&outer) {
                return Err(LayerError::Bottom {
                    index,
                    got: bottom.clone(),
                    want: format!("{outer} items and as many values as bottom 0, {}", bottoms[0]),
                });
            }
        }
        let inner = bottoms[0].count_from(2.min(bottoms[0].axes()));
        self.divisor = self.normalization.divisor(outer, inner, outer * inner);
        Ok(vec![Shape::scalar()])
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let weights = |index: usize| io.bottoms.get(index).map(|bottom| bottom.data());
        let (inside, outside) = (weights(2), weights(3));
        let pairs = io.bottoms[0].data().iter().zip(io.bottoms[1].data());
        let errors = pairs.enumerate().map(|(at, (a, b))| {
            f64::from(weight(outside, at) * self.error(weight(inside, at) * (a - b)))
        });
        let sum: f64 = errors.sum();
        io.tops[0].data()[0] = rounded(sum / self.divisor);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(2);
        let scale = rounded(f64::from(io.tops[0].diff()[0]) / self.divisor);
        let weights = |index: usize| io.bottoms.get(index).map(|bottom| bottom.data);
        let (inside, outside) = (weights(2), weights(3));
        let (a, b) = (io.bottoms[0].data, io.bottoms[1].data);
        for (bottom, scale) in io.bottoms.iter_mut().zip([scale, -scale]) {
            let Some(dx) = bottom.diff.as_deref_mut() else { continue };
            for (at, (dx, (a, b))) in dx.iter_mut().zip(a.iter().zip(b)).enumerate() {
                let inside = weight(inside, at);
                *dx = scale * weight(outside, at) * inside * self.slope(inside * (a - b));
            }
        }
        Ok(())
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::First(2).traits()
    }
}

#[cfg(test)]
mod tests;
