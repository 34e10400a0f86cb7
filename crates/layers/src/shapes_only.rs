//! Layers of a fork of which we know the shapes only, so that `check` and `model summary` can
//! describe its nets. [`LayerKind::shapes_only`](crate::LayerKind::shapes_only) keeps them from
//! running: a net with such a layer is not compiled to be executed.

use base::Shape;

use crate::{Backward, Forward, Layer, LayerError};

/// A layer that has shapes and nothing else.
pub(crate) struct ShapesOnlyLayer<F> {
    /// The tops' shapes for these bottoms.
    shapes: F,
}

impl<F> ShapesOnlyLayer<F>
where
    F: Fn(&[Shape]) -> Result<Vec<Shape>, LayerError> + Send + 'static,
{
    /// A layer whose `reshape` is `shapes`.
    pub(crate) fn boxed(shapes: F) -> Box<dyn Layer> {
        Box::new(Self { shapes })
    }
}

impl<F> Layer for ShapesOnlyLayer<F>
where
    F: Fn(&[Shape]) -> Result<Vec<Shape>, LayerError> + Send,
{
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        (self.shapes)(bottoms)
    }

    fn forward(&mut self, _: &mut Forward<'_>) -> Result<(), LayerError> {
        unreachable!("nets with layers of shapes only are not compiled to run");
    }

    fn backward(&mut self, _: &mut Backward<'_>) -> Result<(), LayerError> {
        unreachable!("nets with layers of shapes only are not compiled to run");
    }
}

/// Size of an axis as Caffe's `height()` and its like see it: 1 beyond the last axis.
pub(crate) fn legacy_axis(shape: &Shape, axis: usize) -> usize {
    shape.dims().get(axis).copied().unwrap_or(1)
}

/// What MultiBoxLoss and DetectionOutput demand of predictions and priors.
pub(crate) struct PriorPredictions {
    /// The field with the number of classes.
    pub(crate) option: &'static str,
    pub(crate) classes: Option<u32>,
    pub(crate) share_location: bool,
}

impl PriorPredictions {
    /// Checks bottoms 0 to 2: locations, confidences and priors, four values per prior.
    pub(crate) fn check(&self, bottoms: &[Shape]) -> Result<(), LayerError> {
        let classes = self.checked_classes()?;
        let priors = legacy_axis(&bottoms[2], 2) / 4;
        let locations = if self.share_location { 1 } else { classes };
        let images = legacy_axis(&bottoms[0], 0);
        for (index, values) in [(0, locations.saturating_mul(4)), (1, classes)] {
            let want = priors.saturating_mul(values);
            let bottom = &bottoms[index];
            if legacy_axis(bottom, 1) != want || legacy_axis(bottom, 0) != images {
                return Err(LayerError::Bottom {
                    index,
                    got: bottom.clone(),
                    want: format!(
                        "{images} images of {want} values, {values} for each of {priors} priors"
                    ),
                });
            }
        }
        Ok(())
    }

    fn checked_classes(&self) -> Result<usize, LayerError> {
        let (option, want) = (self.option, "the number of classes, the background included");
        match self.classes {
            None | Some(0) => Err(LayerError::Missing { option, want }),
            Some(classes) => Ok(classes as usize),
        }
    }
}
