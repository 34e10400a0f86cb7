//! Runs a layer without a net, for tests of values, shapes and errors.

mod memory;

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};
use kernels::Write;
use tensor::Layout;

pub(crate) use memory::{LayerMemory, layouts};

use crate::{Layer, LayerError, LayerSpec};

/// Sizes and values of a bottom.
pub(crate) type TestBlob<'a> = (&'a [usize], &'a [f32]);

/// Builds a layer from prototxt text: `type: "Slice" slice_param { .. }`.
pub(crate) fn build(text: &str, bottoms: usize, tops: usize) -> Result<Box<dyn Layer>, LayerError> {
    let layer: LayerParameter = caffe_format::text::read("test", text).unwrap();
    let kind = crate::find(layer.type_()).expect("a type of the table");
    let (phase, in_place, source_shapes) = (Phase::Train, false, &[]);
    (kind.build)(&LayerSpec { layer: &layer, phase, in_place, bottoms, tops, source_shapes })
}

/// The tops' shapes for bottoms of these sizes.
pub(crate) fn shapes(
    text: &str,
    bottoms: &[&[usize]],
    tops: usize,
) -> Result<Vec<Shape>, LayerError> {
    let bottoms: Vec<_> = bottoms.iter().map(|dims| Shape::new(dims).unwrap()).collect();
    build(text, bottoms.len(), tops)?.reshape(&bottoms)
}

/// The error of building or shaping this layer.
#[track_caller]
pub(crate) fn error(text: &str, bottoms: &[&[usize]], tops: usize) -> String {
    shapes(text, bottoms, tops).expect_err("an invalid layer").to_string()
}

/// The tops' shapes and values after one forward, drawing from seed 1701.
pub(crate) fn forward(
    text: &str,
    bottoms: &[TestBlob<'_>],
    tops: usize,
) -> Result<Vec<(Shape, Vec<f32>)>, LayerError> {
    let mut layer = build(text, bottoms.len(), tops)?;
    Ok(values(&run(&mut *layer, bottoms, &mut Mt19937::new(1701))?))
}

/// The bottoms' diffs after one forward and one backward with these diffs of the tops; empty for
/// bottoms without a gradient.
pub(crate) fn backward(
    text: &str,
    bottoms: &[TestBlob<'_>],
    top_diffs: &[&[f32]],
) -> Result<Vec<Vec<f32>>, LayerError> {
    let mut layer = build(text, bottoms.len(), top_diffs.len())?;
    let memory = run(&mut *layer, bottoms, &mut Mt19937::new(1701))?;
    let dys: Vec<_> = top_diffs.iter().map(|dy| dy.to_vec()).collect();
    let wanted: Vec<_> =
        (0..bottoms.len()).map(|index| layer.traits().gradient_bottoms.contains(index)).collect();
    let diffs = memory.backward(&mut *layer, &dys, &wanted, Write::Set)?;
    Ok(diffs.bottoms.into_iter().map(Option::unwrap_or_default).collect())
}

/// Shapes a layer for these bottoms, fills its params and runs one forward, all with one stream.
pub(crate) fn run(
    layer: &mut dyn Layer,
    bottoms: &[TestBlob<'_>],
    rng: &mut Mt19937,
) -> Result<LayerMemory, LayerError> {
    let bottoms = bottoms.iter().map(|(dims, data)| (Shape::new(dims).unwrap(), data.to_vec()));
    let mut memory = LayerMemory::new(layer, Layout::RowMajor, false, bottoms.collect())?;
    for (decl, (_, values)) in layer.params().iter().zip(&mut memory.params) {
        crate::fill(&decl.filler, &decl.shape, rng, values)?;
    }
    memory.forward(layer, rng, None)?;
    Ok(memory)
}

/// The tops' shapes and values.
pub(crate) fn values(memory: &LayerMemory) -> Vec<(Shape, Vec<f32>)> {
    let tops = memory.tops.iter();
    tops.map(|(shape, slab)| (shape.clone(), slab[..shape.count()].to_vec())).collect()
}
