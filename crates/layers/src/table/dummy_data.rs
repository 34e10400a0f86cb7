//! DummyData: tops with values from fillers instead of a data source. Caffe type `DummyData`,
//! `dummy_data_param`: `shape` (or `num`, `channels`, `height`, `width` of older files) and
//! `data_filler`, each once or once per top. Has no bottoms.
//!
//! Set-up draws no random numbers; random fillers draw at every forward, top after top, from the
//! replica's stream.

use base::Shape;
use caffe_format::{DummyDataParameter, FillerParameter};

use crate::repeated::once_or_each;
use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, LayerSpec, LayerTraits, Top};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "DummyData",
    options: "dummy_data_param",
    formula: "y_i = values from data_filler i",
    bottoms: Arity::exactly(0),
    tops: Arity::at_least(1),
    build,
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.dummy_data_param();
    let tops = shapes(written, spec.tops)?.into_iter().zip(fillers(written, spec.tops)?);
    let tops: Vec<(Shape, FillerParameter)> = tops.collect();
    for (shape, filler) in &tops {
        crate::check_filler(filler, shape)?;
    }
    Ok(Box::new(DummyDataLayer { tops }))
}

fn shapes(written: &DummyDataParameter, tops: usize) -> Result<Vec<Shape>, LayerError> {
    let old = [
        ("dummy_data_param.num", &written.num),
        ("dummy_data_param.channels", &written.channels),
        ("dummy_data_param.height", &written.height),
        ("dummy_data_param.width", &written.width),
    ];
    let Some(&(used, _)) = old.iter().find(|(_, sizes)| !sizes.is_empty()) else {
        let shapes = once_or_each("dummy_data_param.shape", &written.shape, tops, "tops")?;
        return shapes.iter().map(|shape| Ok(Shape::from_i64(&shape.dim)?)).collect();
    };
    if !written.shape.is_empty() {
        return Err(LayerError::Conflict {
            first: "dummy_data_param.shape",
            second: used,
            remedy: "keep `shape`",
        });
    }
    let sizes = old.map(|(option, sizes)| once_or_each(option, sizes, tops, "tops"));
    let [n, c, h, w] = sizes;
    let (n, c, h, w) = (n?, c?, h?, w?);
    (0..tops)
        .map(|top| Ok(Shape::from_i64(&[n[top], c[top], h[top], w[top]].map(i64::from))?))
        .collect()
}

fn fillers(written: &DummyDataParameter, tops: usize) -> Result<Vec<FillerParameter>, LayerError> {
    if written.data_filler.is_empty() {
        return Ok(vec![FillerParameter::EMPTY; tops]); // constant zero
    }
    let option = "dummy_data_param.data_filler";
    once_or_each(option, &written.data_filler, tops, "tops")
}

/// Whether Caffe fills the top once, at set-up.
fn is_constant(filler: &FillerParameter) -> bool {
    filler.type_() == "constant"
}

struct DummyDataLayer {
    tops: Vec<(Shape, FillerParameter)>,
}

impl Layer for DummyDataLayer {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(self.tops.iter().map(|(shape, _)| shape.clone()).collect())
    }

    fn traits(&self) -> LayerTraits {
        let draws = self.tops.iter().any(|(_, filler)| !is_constant(filler));
        LayerTraits { draws, ..LayerTraits::default() }
    }

    fn constant_tops(&self) -> Vec<(usize, f32)> {
        let constant = |(_, (_, filler)): &(usize, &(Shape, FillerParameter))| is_constant(filler);
        let tops = self.tops.iter().enumerate().filter(constant);
        tops.map(|(index, (_, filler))| (index, filler.value())).collect()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let tops = io.tops.iter_mut().zip(&self.tops);
        for (top, (_, filler)) in tops.filter(|(_, (_, filler))| !is_constant(filler)) {
            let Top { shape, slab, .. } = top; // a caller may have changed the shape
            crate::fill(filler, shape, io.rng, &mut slab[..shape.count()])?;
        }
        Ok(())
    }

    fn backward(&mut self, _: &mut Backward<'_>) -> Result<(), LayerError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
