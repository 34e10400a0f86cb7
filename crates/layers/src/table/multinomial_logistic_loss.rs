//! MultinomialLogisticLoss: the negative log-likelihood of labels under given probabilities,
//! `y = -sum log x[label] / N`. Caffe type `MultinomialLogisticLoss`, no options. Never runs in
//! place.
//!
//! Bottom 0 has a list of probabilities per item; SoftmaxWithLoss is the numerically stable form
//! when they come from a softmax. Probabilities below 1e-20 count as 1e-20.

use base::Shape;

use crate::loss::{ClassScores, PROBABILITY_MIN, at_least, rounded};
use crate::{
    Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError, LayerKind,
    LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "MultinomialLogisticLoss",
    formula: "y = -sum log x[label] / N",
    build,
    cases: &[GradientCase {
        options: "",
        bottoms: &[(&[5, 4, 1, 1], BottomFill::Uniform(0.3, 0.9)), (&[5], BottomFill::Labels(4))],
        tops: 1,
    }],
    ..LayerKind::LOSS
};

fn build(_: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(MultinomialLogisticLossLayer { classes: ClassScores::default() }))
}

struct MultinomialLogisticLossLayer {
    classes: ClassScores,
}

impl MultinomialLogisticLossLayer {
    /// Index of the probability of an item's label.
    fn label_index(&self, item: usize, label: f32) -> Result<usize, LayerError> {
        let class = self.classes.class(label, item, None)?.expect("no label is ignored");
        Ok(self.classes.start(item) + class)
    }
}

impl Layer for MultinomialLogisticLossLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.classes = ClassScores::of_items(bottoms)?;
        Ok(vec![Shape::scalar()])
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let p = io.bottoms[0].data();
        let mut loss = 0.0;
        for (item, &label) in io.bottoms[1].data().iter().enumerate() {
            loss -= f64::from(at_least(PROBABILITY_MIN, p[self.label_index(item, label)?])).ln();
        }
        io.tops[0].data()[0] = rounded(loss / self.classes.batch as f64);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        let scale = io.tops[0].diff()[0] / self.classes.batch as f32;
        let (p, labels) = (io.bottoms[0].data, io.bottoms[1].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        for (item, &label) in labels.iter().enumerate() {
            let index = self.label_index(item, label)?;
            dx[index] = -scale / at_least(PROBABILITY_MIN, p[index]);
        }
        Ok(())
    }
}
