//! Softmax: scores to probabilities along one axis, `y_k = exp(x_k) / sum_j exp(x_j)`. Caffe type
//! `Softmax`, `softmax_param`: `axis` (default 1). `engine` changes no result and is accepted.
//!
//! Runs in place: backward needs only `y`.

use base::Shape;
use kernels::{channel::ChannelDims, softmax};

use crate::axis::AxisOption;
use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, TopPrecision,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Softmax",
    options: "softmax_param",
    formula: "y_k = exp(x_k) / sum_j exp(x_j) along axis",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase { options: "", bottoms: &[(&[3, 5], BottomFill::Gaussian)], tops: 1 },
        GradientCase::image(""),
        GradientCase::image("softmax_param { axis: -2 }"),
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let option = AxisOption::new("softmax_param.axis", spec.layer.softmax_param().axis());
    Ok(Box::new(SoftmaxLayer { option, dims: ChannelDims { outer: 0, c: 0, inner: 0 } }))
}

struct SoftmaxLayer {
    option: AxisOption,
    dims: ChannelDims,
}

impl Layer for SoftmaxLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let axis = self.option.of(&bottoms[0])?;
        self.dims = ChannelDims {
            outer: bottoms[0].count_to(axis),
            c: bottoms[0].dims()[axis],
            inner: bottoms[0].count_from(axis + 1),
        };
        Ok(bottoms.to_vec())
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits { top_precision: TopPrecision::Full, ..LayerTraits::default() }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        softmax::forward(cpu, self.dims, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        if let Some(diffs) = io.unary() {
            softmax::backward(cpu, self.dims, y, diffs);
        }
        Ok(())
    }
}
