//! HDF5Output: writes its bottoms to a file. Caffe type `HDF5Output`, `hdf5_output_param`:
//! `file_name`. Has no tops and no gradient.
//!
//! Bottom 0 becomes the data set `data`, bottom 1 `label`; both have the same number of items.
//! Every forward passes them to the [`OutputSink`](crate::OutputSink) of its source, which writes
//! the file.

use base::Shape;

use crate::loss::batch;
use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "HDF5Output",
    options: "hdf5_output_param",
    formula: "file = x_0, x_1",
    bottoms: Arity::exactly(2),
    tops: Arity::exactly(0),
    build,
    ..LayerKind::WITH_SOURCE
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    if spec.layer.hdf5_output_param().file_name().is_empty() {
        return Err(LayerError::Missing {
            option: "hdf5_output_param.file_name",
            want: "the file to write",
        });
    }
    Ok(Box::new(Hdf5OutputLayer))
}

struct Hdf5OutputLayer;

impl Layer for Hdf5OutputLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        batch(bottoms)?;
        Ok(Vec::new())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let sink = io.source.as_deref_mut().and_then(|source| source.sink());
        let sink = sink.expect("the caller of the net provides a sink for each output layer");
        Ok(sink.put(&io.bottoms)?)
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
