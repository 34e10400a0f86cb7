//! ContrastiveLoss: pulls similar pairs together and pushes others a margin apart (Hadsell et al.,
//! CVPR 2006). Caffe type `ContrastiveLoss`, `contrastive_loss_param`: `margin`, `legacy_version`.
//! Never runs in place.
//!
//! Bottoms 0 and 1 are pairs of vectors; bottom 2 is not 0 where a pair is similar. With distance
//! `d`, a similar pair costs `d^2`, another `max(margin - d, 0)^2`, or with `legacy_version`
//! `max(margin - d^2, 0)`; the loss is half the mean.

use base::Shape;

use crate::loss::{batch, rounded, truncated};
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ContrastiveLoss",
    options: "contrastive_loss_param",
    formula: "y = sum (s ? d^2 : max(margin - d, 0)^2) / (2 N), d = |x_0 - x_1|, s = x_2",
    bottoms: Arity::exactly(3),
    build,
    cases: &[
        GradientCase { options: "", bottoms: PAIRS, tops: 1 },
        GradientCase { options: "contrastive_loss_param { margin: 4 }", bottoms: PAIRS, tops: 1 },
        GradientCase {
            options: "contrastive_loss_param { margin: 6 legacy_version: true }",
            bottoms: PAIRS,
            tops: 1,
        },
    ],
    ..LayerKind::LOSS
};

const PAIRS: &[(&[usize], BottomFill)] =
    &[(&[8, 3], BottomFill::Gaussian), (&[8, 3], BottomFill::Gaussian), (&[8], BottomFill::Binary)];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.contrastive_loss_param();
    Ok(Box::new(ContrastiveLossLayer {
        margin: f64::from(written.margin()),
        legacy: written.legacy_version(),
        batch: 0,
        len: 0,
    }))
}

struct ContrastiveLossLayer {
    margin: f64,
    /// `legacy_version`: the margin applies to squared distances.
    legacy: bool,
    batch: usize,
    /// Values per vector.
    len: usize,
}

/// One item of the batch.
struct VectorPair<'a> {
    a: &'a [f32],
    b: &'a [f32],
    similar: bool,
}

impl VectorPair<'_> {
    fn squared_distance(&self) -> f64 {
        self.a.iter().zip(self.b).map(|(a, b)| f64::from(a - b) * f64::from(a - b)).sum()
    }
}

impl ContrastiveLossLayer {
    fn pair<'a>(&self, item: usize, data: [&'a [f32]; 3]) -> VectorPair<'a> {
        let of = |x: &'a [f32]| &x[item * self.len..][..self.len];
        VectorPair { a: of(data[0]), b: of(data[1]), similar: truncated(data[2][item]) != Some(0) }
    }

    /// Twice the contribution of a pair to the loss of a batch of one.
    fn cost(&self, pair: &VectorPair<'_>) -> f64 {
        let squared = pair.squared_distance();
        match (pair.similar, self.legacy) {
            (true, _) => squared,
            (false, true) => (self.margin - squared).max(0.0),
            (false, false) => (self.margin - squared.sqrt()).max(0.0).powi(2),
        }
    }

    /// The gradient of half that cost with respect to `a`, as a multiple of `a - b`.
    fn slope(&self, pair: &VectorPair<'_>) -> f64 {
        let squared = pair.squared_distance();
        match (pair.similar, self.legacy) {
            (true, _) => 1.0,
            (false, true) => {
                if self.margin > squared {
                    -1.0
                } else {
                    0.0
                }
            }
            (false, false) => {
                let distance = squared.sqrt();
                // Caffe adds 1e-4 so that equal vectors do not divide by zero.
                -(self.margin - distance).max(0.0) / (distance + 1e-4)
            }
        }
    }
}

impl Layer for ContrastiveLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.batch = batch(bottoms)?;
        self.len = bottoms[0].count_from(1);
        let wrong = |index: usize, want: String| {
            Err(LayerError::Bottom { index, got: bottoms[index].clone(), want })
        };
        if bottoms[1].count() != bottoms[0].count() {
            return wrong(1, format!("as many values as bottom 0, {}", bottoms[0]));
        }
        if bottoms[2].count() != self.batch {
            return wrong(2, format!("one value for each of {} pairs", self.batch));
        }
        Ok(vec![Shape::scalar()])
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::AllBut(2).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let data = [io.bottoms[0].data(), io.bottoms[1].data(), io.bottoms[2].data()];
        let sum: f64 = (0..self.batch).map(|item| self.cost(&self.pair(item, data))).sum();
        io.tops[0].data()[0] = rounded(sum / self.batch as f64 / 2.0);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(2);
        let scale = f64::from(io.tops[0].diff()[0]) / self.batch as f64;
        let data = [io.bottoms[0].data, io.bottoms[1].data, io.bottoms[2].data];
        for (bottom, sign) in io.bottoms[..2].iter_mut().zip([1.0, -1.0]) {
            let Some(dx) = bottom.diff.as_deref_mut() else { continue };
            for item in 0..self.batch {
                let pair = self.pair(item, data);
                let slope = rounded(sign * scale * self.slope(&pair));
                let dx = &mut dx[item * self.len..][..self.len];
                for (dx, (a, b)) in dx.iter_mut().zip(pair.a.iter().zip(pair.b)) {
                    *dx = slope * (a - b);
                }
            }
        }
        Ok(())
    }
}
