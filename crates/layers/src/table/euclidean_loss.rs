//! EuclideanLoss: half the mean squared distance of two bottoms, `y = sum (x_0 - x_1)^2 / (2 N)`.
//! Caffe type `EuclideanLoss`, no options. Never runs in place.
//!
//! `N` is the batch size; the sum is over all values. Both bottoms get a gradient.

use base::Shape;
use kernels::elementwise;

use crate::loss::{batch, rounded};
use crate::{Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "EuclideanLoss",
    formula: "y = sum (x_0 - x_1)^2 / (2 N)",
    build,
    cases: &[GradientCase {
        options: "",
        bottoms: &[(&[4, 2, 3], BottomFill::Gaussian), (&[4, 6], BottomFill::Gaussian)],
        tops: 1,
    }],
    ..LayerKind::LOSS
};

fn build(_: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(EuclideanLossLayer { batch: 0 }))
}

struct EuclideanLossLayer {
    batch: usize,
}

impl Layer for EuclideanLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.batch = batch(bottoms)?;
        if bottoms[0].count() != bottoms[1].count() {
            return Err(LayerError::Bottom {
                index: 1,
                got: bottoms[1].clone(),
                want: format!("as many values as bottom 0, {}", bottoms[0]),
            });
        }
        Ok(vec![Shape::scalar()])
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let pairs = io.bottoms[0].data().iter().zip(io.bottoms[1].data());
        let sum: f64 = pairs.map(|(a, b)| f64::from(a - b) * f64::from(a - b)).sum();
        io.tops[0].data()[0] = rounded(sum / self.batch as f64 / 2.0);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let scale = rounded(f64::from(io.tops[0].diff()[0]) / self.batch as f64);
        let (a, b) = (io.bottoms[0].data, io.bottoms[1].data);
        for (bottom, alpha) in io.bottoms.iter_mut().zip([scale, -scale]) {
            if let Some(dx) = bottom.diff.as_deref_mut() {
                elementwise::scaled_difference(io.cpu, alpha, (a, b), dx);
            }
        }
        Ok(())
    }
}
