//! HingeLoss: one-versus-all hinge loss with a margin of 1. Caffe type `HingeLoss`,
//! `hinge_loss_param`: `norm`. Never runs in place.
//!
//! The label's score should be at least 1, every other score at most -1. The shortfalls `m` are
//! summed over scores and averaged over the batch (`norm: L1`), or their squares are (`L2`).

use base::Shape;
use caffe_format::HingeLossParameterNorm as Norm;

use crate::loss::{ClassScores, rounded};
use crate::{
    Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError, LayerKind,
    LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "HingeLoss",
    options: "hinge_loss_param",
    formula: "y = sum m or sum m^2, / N, where m = max(0, 1 + x), for the label's x max(0, 1 - x)",
    build,
    cases: &[
        GradientCase { options: "", bottoms: SPREAD, tops: 1 },
        GradientCase { options: "hinge_loss_param { norm: L2 }", bottoms: SPREAD, tops: 1 },
    ],
    ..LayerKind::LOSS
};

/// Steps of 0.05 from -1.575: no score is within 0.02 of the kinks at 1 and -1.
const SPREAD: &[(&[usize], BottomFill)] =
    &[(&[7, 9], BottomFill::Spread), (&[7], BottomFill::Labels(9))];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let norm = spec.layer.hinge_loss_param().norm();
    Ok(Box::new(HingeLossLayer { norm, classes: ClassScores::default() }))
}

struct HingeLossLayer {
    norm: Norm,
    classes: ClassScores,
}

impl HingeLossLayer {
    /// The scores of an item, each with 1 for the label's and -1 for the others.
    fn signed<'a>(
        &self,
        item: usize,
        x: &'a [f32],
        labels: &[f32],
    ) -> Result<impl Iterator<Item = (f32, f32)> + 'a, LayerError> {
        let label = self.classes.class(labels[item], item, None)?;
        let count = self.classes.count;
        let scores = x[item * count..][..count].iter().enumerate();
        Ok(scores.map(move |(class, &x)| (x, if Some(class) == label { 1.0 } else { -1.0 })))
    }
}

/// The shortfall of a score from the margin. NaN stays NaN.
fn shortfall(x: f32, sign: f32) -> f32 {
    let m = 1.0 - sign * x;
    if m < 0.0 { 0.0 } else { m }
}

impl Layer for HingeLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.classes = ClassScores::of_items(bottoms)?;
        Ok(vec![Shape::scalar()])
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let mut loss = 0.0;
        for item in 0..self.classes.batch {
            for (x, sign) in self.signed(item, io.bottoms[0].data(), io.bottoms[1].data())? {
                let m = f64::from(shortfall(x, sign));
                loss += match self.norm {
                    Norm::L1 => m,
                    Norm::L2 => m * m,
                };
            }
        }
        io.tops[0].data()[0] = rounded(loss / self.classes.batch as f64);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let scale = io.tops[0].diff()[0] / self.classes.batch as f32;
        let (x, labels) = (io.bottoms[0].data, io.bottoms[1].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        for item in 0..self.classes.batch {
            let dx = &mut dx[item * self.classes.count..];
            for (dx, (x, sign)) in dx.iter_mut().zip(self.signed(item, x, labels)?) {
                let m = shortfall(x, sign);
                *dx = match self.norm {
                    Norm::L1 => -sign * scale * f32::from(u8::from(m > 0.0)),
                    Norm::L2 => -sign * scale * 2.0 * m,
                };
            }
        }
        Ok(())
    }
}
