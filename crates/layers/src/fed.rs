//! The layer behind every row that is fed: its tops are what the feed delivers.

use base::Shape;

use crate::{Backward, Forward, Layer, LayerError, Spec};

/// A layer whose tops come from [`Forward::feed`]. Shapes are those the source announced; what it
/// delivers later may have others.
pub(crate) struct Fed {
    shapes: Vec<Shape>,
}

/// For [`LayerKind::build`](crate::LayerKind::build). A source may announce more than is wanted: without a top, the label is
/// not delivered.
pub(crate) fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    assert!(spec.fed.len() >= spec.tops, "a source announces a shape for every top");
    Ok(Box::new(Fed { shapes: spec.fed[..spec.tops].to_vec() }))
}

impl Layer for Fed {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(self.shapes.clone())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let feed = io.feed.as_deref_mut().expect("whoever runs the net brings a feed a data layer");
        Ok(feed.next(&mut io.tops)?)
    }

    fn backward(&mut self, _: &mut Backward<'_>) -> Result<(), LayerError> {
        Ok(())
    }
}
