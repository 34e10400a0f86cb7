//! DummyData: tops filled by fillers, without any source. Caffe type `DummyData`,
//! `dummy_data_param`.
//!
//! `shape` (or `num`, `channels`, `height`, `width` of older files) and `data_filler` are given
//! once, or once a top. Set-up draws nothing; random fillers draw at every forward, top after top,
//! from the replica's stream.

use base::Shape;
use caffe_format::{DummyDataParameter, FillerParameter};

use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, Spec, filler};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "DummyData",
    options: "dummy_data_param",
    formula: "y_i = values drawn by data_filler i",
    bottoms: Arity::exactly(0),
    tops: Arity::at_least(1),
    build,
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.dummy_data_param();
    let tops = (0..spec.tops)
        .map(|top| Ok((shape(written, top, spec.tops)?, filler_of(written, top, spec.tops)?)))
        .collect::<Result<_, LayerError>>()?;
    Ok(Box::new(DummyDataLayer { tops }))
}

fn shape(written: &DummyDataParameter, top: usize, tops: usize) -> Result<Shape, LayerError> {
    let old = [
        ("dummy_data_param.num", &written.num),
        ("dummy_data_param.channels", &written.channels),
        ("dummy_data_param.height", &written.height),
        ("dummy_data_param.width", &written.width),
    ];
    let Some(&(used, _)) = old.iter().find(|(_, sizes)| !sizes.is_empty()) else {
        let shape = once_or_each("dummy_data_param.shape", &written.shape, top, tops)?;
        return Ok(Shape::from_i64(&shape.dim)?);
    };
    if !written.shape.is_empty() {
        return Err(LayerError::Conflict {
            first: "dummy_data_param.shape",
            second: used,
            remedy: "keep `shape`",
        });
    }
    let mut dims = [0; 4];
    for (dim, (option, sizes)) in dims.iter_mut().zip(old) {
        *dim = i64::from(*once_or_each(option, sizes, top, tops)?);
    }
    Ok(Shape::from_i64(&dims)?)
}

fn filler_of(
    written: &DummyDataParameter,
    top: usize,
    tops: usize,
) -> Result<FillerParameter, LayerError> {
    if written.data_filler.is_empty() {
        return Ok(FillerParameter::EMPTY); // constant zero
    }
    let filler = once_or_each("dummy_data_param.data_filler", &written.data_filler, top, tops)?;
    filler::find(filler.type_())?;
    Ok(filler.clone())
}

/// The entry for `top` of a field that is written once for all or once for each.
fn once_or_each<'a, T>(
    option: &'static str,
    written: &'a [T],
    top: usize,
    tops: usize,
) -> Result<&'a T, LayerError> {
    match written {
        [one] => Ok(one),
        each if each.len() == tops => Ok(&each[top]),
        other => Err(LayerError::Option {
            option,
            got: format!("there {} times", other.len()),
            want: format!("once, or once for each of {tops} tops"),
        }),
    }
}

struct DummyDataLayer {
    tops: Vec<(Shape, FillerParameter)>,
}

impl Layer for DummyDataLayer {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(self.tops.iter().map(|(shape, _)| shape.clone()).collect())
    }

    fn draws(&self) -> bool {
        self.tops.iter().any(|(_, filler)| filler.type_() != "constant")
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        for (top, (shape, filler)) in io.tops.iter_mut().zip(&self.tops) {
            crate::fill(filler, shape, io.rng, top.data())?;
        }
        Ok(())
    }

    fn backward(&mut self, _: &mut Backward<'_>) -> Result<(), LayerError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
