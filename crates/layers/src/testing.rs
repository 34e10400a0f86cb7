//! Runs a layer without a net, for tests of values, shapes and errors.

use base::random::Mt19937;
use base::{Phase, Shape};
use caffe_format::LayerParameter;
use kernels::{Cpu, Simd};
use tensor::{Layout, Slab};

use crate::{
    Backward, Bottom, BottomDiff, BottomMemory, Forward, InlineVec, Layer, LayerError, Spec, Top,
    TopDiff, TopGradient,
};

/// Sizes and values of a bottom.
pub(crate) type TestBlob<'a> = (&'a [usize], &'a [f32]);

/// Builds a layer from prototxt text: `type: "Slice" slice_param { .. }`.
pub(crate) fn build(text: &str, bottoms: usize, tops: usize) -> Result<Box<dyn Layer>, LayerError> {
    let layer: LayerParameter = caffe_format::text::read("test", text).unwrap();
    let kind = crate::find(layer.type_()).expect("a type of the table");
    let (phase, in_place, source_shapes) = (Phase::Train, false, &[]);
    (kind.build)(&Spec { layer: &layer, phase, in_place, bottoms, tops, source_shapes })
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
    let (mut layer, bottoms) = (build(text, bottoms.len(), tops)?, owned(bottoms));
    run_forward(&mut *layer, &bottoms, &mut Mt19937::new(1701))
}

/// The bottoms' diffs after one forward and one backward with these diffs of the tops.
pub(crate) fn backward(
    text: &str,
    bottoms: &[TestBlob<'_>],
    top_diffs: &[&[f32]],
) -> Result<Vec<Vec<f32>>, LayerError> {
    let mut layer = build(text, bottoms.len(), top_diffs.len())?;
    let bottoms = owned(bottoms);
    let tops = run_forward(&mut *layer, &bottoms, &mut Mt19937::new(1701))?;
    let mut diffs: Vec<_> = bottoms.iter().map(|(_, data)| vec![7e7; data.len()]).collect();
    let layout = Layout::RowMajor;
    layer.backward(&mut Backward {
        cpu: &Cpu::new(1, Simd::detect()),
        tops: (tops.iter().zip(top_diffs))
            .map(|((shape, data), diff)| TopDiff {
                shape,
                layout,
                data,
                gradient: TopGradient::OutOfPlace(diff),
                live: true,
                placement: None,
            })
            .collect(),
        bottoms: (bottoms.iter().zip(&mut diffs).enumerate())
            .map(|(index, ((shape, data), diff))| {
                let diff = layer.backward_to(index).then_some(&mut diff[..]);
                BottomDiff { shape, layout, data, diff, relu: None }
            })
            .collect(),
        params: InlineVec::new(),
        gradients: InlineVec::new(),
        unmasked: None,
    })?;
    Ok(diffs)
}

/// One forward of a layer without params.
pub(crate) fn run_forward(
    layer: &mut dyn Layer,
    bottoms: &[(Shape, Vec<f32>)],
    rng: &mut Mt19937,
) -> Result<Vec<(Shape, Vec<f32>)>, LayerError> {
    let seen: Vec<_> = bottoms.iter().map(|(shape, _)| shape.clone()).collect();
    let mut shapes = layer.reshape(&seen)?;
    let mut slabs: Vec<_> = shapes.iter().map(|shape| Slab::zeros(shape.count())).collect();
    let layout = Layout::RowMajor;
    layer.forward(&mut Forward {
        cpu: &Cpu::new(1, Simd::detect()),
        bottoms: (bottoms.iter())
            .map(|(shape, data)| Bottom { shape, layout, memory: BottomMemory::OutOfPlace(data) })
            .collect(),
        tops: (shapes.iter_mut().zip(&mut slabs))
            .map(|(shape, slab)| Top { shape, layout, slab, placement: None })
            .collect(),
        params: InlineVec::new(),
        running: InlineVec::new(),
        rng,
        source: None,
    })?;
    let values = |(shape, slab): (Shape, Slab)| {
        let values = slab[..shape.count()].to_vec();
        (shape, values)
    };
    Ok(shapes.into_iter().zip(slabs).map(values).collect())
}

fn owned(bottoms: &[TestBlob<'_>]) -> Vec<(Shape, Vec<f32>)> {
    bottoms.iter().map(|(dims, data)| (Shape::new(dims).unwrap(), data.to_vec())).collect()
}

/// A bottom's values, where they are for a layer that runs in place or not.
pub(crate) fn bottom_memory(in_place: bool, data: &[f32]) -> BottomMemory<'_> {
    if in_place { BottomMemory::InPlace } else { BottomMemory::OutOfPlace(data) }
}

/// A top's gradient, where it is for a layer that runs in place or not.
pub(crate) fn top_gradient(in_place: bool, diff: &[f32]) -> TopGradient<'_> {
    if in_place { TopGradient::InPlace } else { TopGradient::OutOfPlace(diff) }
}
