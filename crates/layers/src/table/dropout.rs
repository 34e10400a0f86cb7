//! Dropout: in training, each value is kept with probability `1 - ratio` and divided by it, else it
//! becomes 0; in testing `y = x`. Caffe type `Dropout`, `dropout_param`: `dropout_ratio`. Runs in
//! place.
//!
//! Draws one random number per value in Caffe's memory order (image, channel, row, column),
//! whatever the layout here, so that the same seed drops the same values.

use base::Shape;
use base::random::Mt19937;
use caffe_format::Phase;
use kernels::{Unary, dropout};
use tensor::Layout;

use crate::{
    Backward, Case, Fill, Forward, InPlace, Layer, LayerError, LayerKind, LayerTraits, LayoutRule,
    Spec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Dropout",
    options: "dropout_param",
    formula: "y = x * Bernoulli(1 - ratio) / (1 - ratio) in training, x in testing",
    in_place: InPlace::First,
    build,
    cases: &[
        Case::image(""),
        Case {
            options: "dropout_param { dropout_ratio: 0.2 }",
            bottoms: &[(&[7, 5], Fill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let ratio = spec.layer.dropout_param().dropout_ratio();
    if !(0.0..1.0).contains(&ratio) {
        return Err(LayerError::Option {
            option: "dropout_param.dropout_ratio",
            got: ratio.to_string(),
            want: "0 or more, and less than 1".into(),
        });
    }
    if spec.phase == Phase::Test {
        return Ok(Box::new(TestDropoutLayer));
    }
    // Computed in f64 and then rounded, as in Caffe.
    let keep = 1.0 - f64::from(ratio);
    #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the intent")]
    let scale = (1.0 / keep) as f32;
    Ok(Box::new(DropoutLayer { keep, scale, mask: Vec::new() }))
}

struct DropoutLayer {
    keep: f64,
    scale: f32,
    /// 1 for values that are kept, else 0; in memory order.
    mask: Vec<u8>,
}

impl Layer for DropoutLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.mask.resize(bottoms[0].count(), 0);
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

    fn workspace_bytes(&self) -> usize {
        size_of_val(&self.mask[..])
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
struct TestDropoutLayer;

impl Layer for TestDropoutLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        if let Unary::OutOfPlace { x, y } = io.unary() {
            y.copy_from_slice(x);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        if let Some(Unary::OutOfPlace { x, y }) = io.unary() {
            y.copy_from_slice(x);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
