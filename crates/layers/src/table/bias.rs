//! Bias: `y = x + beta`, beta broadcast over the axes it does not have. Caffe type `Bias`,
//! `bias_param`: `axis`, `num_axes` (beta has these axes of the bottom; -1: all from `axis` on),
//! `filler`. Runs in place.
//!
//! Beta is bottom 1 if there is one, else a param.

use base::Shape;
use caffe_format::FillerParameter;
use kernels::{Unary, channel, elementwise};

use crate::axis::AxisOption;
use crate::broadcast::Broadcast;
use crate::{
    Arity, Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind,
    LayerSpec, LayoutRule, ParamDecl,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Bias",
    options: "bias_param",
    formula: "y = x + beta",
    bottoms: Arity { min: 1, max: 2 },
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("bias_param { axis: 2 num_axes: 2 }"),
        GradientCase::image("bias_param { axis: 0 num_axes: -1 }"),
        GradientCase::image("bias_param { num_axes: 0 }"),
        GradientCase {
            options: "bias_param { axis: 0 }",
            bottoms: &[(&[2, 3, 4, 5], BottomFill::Gaussian), (&[2, 3], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "",
            bottoms: &[(&[2, 3, 4, 5], BottomFill::Gaussian), (&[3], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.bias_param();
    Ok(Box::new(BiasLayer {
        broadcast: Broadcast::new(
            AxisOption::new("bias_param.axis", written.axis()),
            ("bias_param.num_axes", written.num_axes()),
            spec.bottoms,
        ),
        filler: (spec.bottoms == 1).then(|| written.filler().clone()),
    }))
}

struct BiasLayer {
    broadcast: Broadcast,
    /// Filler of beta, where it is a param.
    filler: Option<FillerParameter>,
}

impl Layer for BiasLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.broadcast.reshape(bottoms)
    }

    fn params(&self) -> Vec<ParamDecl> {
        let decl = |filler| ParamDecl::learned(self.broadcast.shape(), filler);
        self.filler.iter().map(decl).collect()
    }

    fn layouts(&self) -> LayoutRule {
        self.broadcast.layouts()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        let dims = self.broadcast.dims(io.bottoms[0].shape, io.bottoms[0].layout);
        let beta = if self.filler.is_some() { io.params[0] } else { io.bottoms[1].data() };
        channel::bias(cpu, dims, beta, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        let dims = self.broadcast.dims(io.bottoms[0].shape, io.bottoms[0].layout);
        let (first, rest) = io.bottoms.split_first_mut().expect("there is a bottom");
        let dy = io.tops[0].diff_beside(first);
        self.broadcast.backward_operand(&mut io.gradients, rest, |write, values| {
            channel::backward_bias(cpu, dims, dy, write, values);
        });
        if let Some(Unary::OutOfPlace { x: dy, y: dx }) = io.unary() {
            elementwise::copy(cpu, dy, dx);
        }
        Ok(())
    }
}
