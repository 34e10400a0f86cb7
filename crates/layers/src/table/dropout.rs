//! Dropout: in training, each value is kept with probability `1 - ratio` and divided by it, else it
//! becomes 0; in testing `y = x`. Caffe type `Dropout`, `dropout_param`: `dropout_ratio`. Runs in
//! place.
//!
//! Two fields of forks: with `scale_train: false` (Fast R-CNN, rbgirshick) values are not divided
//! in training, but multiplied by `1 - ratio` in testing. With `sample_weights_test` (Bayesian
//! SegNet, alexgkendall) values are dropped in testing as in training.
//!
//! A ratio of 1 drops everything. Where kept values would be divided by 0, Caffe's output is `0 *
//! inf`, not a number; there it is an error.
//!
//! Draws one random number per value in Caffe's memory order (image, channel, row, column),
//! whatever the layout here, so that the same seed drops the same values.

use base::Shape;
use base::random::Mt19937;
use caffe_format::Phase;
use kernels::{Cpu, Unary, dropout, elementwise};
use tensor::Layout;

use crate::loss::rounded;
use crate::workspace::Workspace;
use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Dropout",
    options: "dropout_param",
    formula: "y = x * Bernoulli(1 - ratio) / (1 - ratio) in training, x in testing",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase {
            options: "dropout_param { dropout_ratio: 0.2 }",
            bottoms: &[(&[7, 5], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "dropout_param { dropout_ratio: 0.2 scale_train: false }",
            bottoms: &[(&[7, 5], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.dropout_param();
    let (ratio, scales) = (written.dropout_ratio(), written.scale_train());
    let wrong = |want: &str| LayerError::Option {
        option: "dropout_param.dropout_ratio",
        got: ratio.to_string(),
        want: want.into(),
    };
    if !(0.0..=1.0).contains(&ratio) {
        return Err(wrong("from 0 to 1"));
    }
    // Computed in f64 and then rounded, as in Caffe.
    let keep = 1.0 - f64::from(ratio);
    let scale = rounded(1.0 / keep);
    if spec.phase == Phase::Test && !written.sample_weights_test() {
        let factor = (!scales).then(|| rounded(1.0 / f64::from(scale)));
        return Ok(Box::new(TestDropoutLayer { factor }));
    }
    if scales && scale.is_infinite() {
        return Err(wrong("less than 1: all would be dropped, and divided by 0"));
    }
    let scale = if scales { scale } else { 1.0 };
    Ok(Box::new(DropoutLayer { keep, scale, mask: Workspace::default() }))
}

struct DropoutLayer {
    keep: f64,
    scale: f32,
    /// 1 for values that are kept, else 0; in memory order.
    mask: Workspace<Vec<u8>>,
}

impl Layer for DropoutLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.mask.declare(bottoms[0].count());
        Ok(bottoms.to_vec())
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits { draws: true, ..LayerTraits::default() }
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, shape) = (io.cpu, io.bottoms[0].shape);
        match (io.bottoms[0].layout, shape.nchw()) {
            (Layout::ChannelsLast, Some([n, c, h, w])) => {
                draw_channels_last(io.rng, self.keep, [n, c, h * w], &mut self.mask);
            }
            _ => self.mask.iter_mut().for_each(|v| *v = u8::from(io.rng.bernoulli(self.keep))),
        }
        dropout::apply(cpu, &self.mask, self.scale, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        if let Some(diffs) = io.unary() {
            dropout::apply(cpu, &self.mask, self.scale, diffs);
        }
        Ok(())
    }

    fn allocate(&mut self) {
        self.mask.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.mask.bytes()
    }
}

/// Draws a channels-last mask in row-major order.
fn draw_channels_last(rng: &mut Mt19937, keep: f64, [n, c, pixels]: [usize; 3], mask: &mut [u8]) {
    for mask in mask.chunks_exact_mut((c * pixels).max(1)).take(n) {
        for channel in 0..c {
            for value in mask[channel..].iter_mut().step_by(c) {
                *value = u8::from(rng.bernoulli(keep));
            }
        }
    }
}

/// Dropout in testing.
struct TestDropoutLayer {
    /// What values are multiplied by, if training did not divide them.
    factor: Option<f32>,
}

impl TestDropoutLayer {
    fn apply(&self, cpu: &Cpu, values: Unary<'_>) {
        match (self.factor, values) {
            (Some(factor), values) => elementwise::scale(cpu, factor, values),
            (None, Unary::OutOfPlace { x, y }) => elementwise::copy(cpu, x, y),
            (None, Unary::InPlace(_)) => {}
        }
    }
}

impl Layer for TestDropoutLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        self.apply(cpu, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        if let Some(diffs) = io.unary() {
            self.apply(cpu, diffs);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
