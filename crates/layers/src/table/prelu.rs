//! PReLU: `y = x` where `x > 0`, `y = a * x` elsewhere, with `a` learned, one per channel or one
//! for all (He et al. 2015). Caffe type `PReLU`, `prelu_param`: `filler` (default 0.25),
//! `channel_shared`.
//!
//! Runs in place, keeping a copy of `x`: `a` may be negative, so `y` does not tell the sign of `x`.

use base::Shape;
use caffe_format::FillerParameter;
use kernels::channel::{self, ChannelDims};
use kernels::{Cpu, Unary, elementwise};
use tensor::Layout;

use crate::workspace::Workspace;
use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
    LayoutRule, ParamDecl, ParamGradient,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "PReLU",
    options: "prelu_param",
    formula: "y = x if x > 0, else a * x",
    in_place: InPlace::First,
    build,
    cases: &[
        away("", &[(&[2, 3, 4, 5], BottomFill::Away(0.0))]),
        away("prelu_param { channel_shared: true }", &[(&[2, 3, 4, 5], BottomFill::Away(0.0))]),
        away("", &[(&[7, 5], BottomFill::Away(0.0))]),
        away("", &[(&[2, 3, 4], BottomFill::Away(0.0))]),
    ],
    ..LayerKind::UNARY
};

const fn away(
    options: &'static str,
    bottoms: &'static [(&'static [usize], BottomFill)],
) -> GradientCase {
    GradientCase { options, bottoms, tops: 1 }
}

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.prelu_param();
    let quarter = || FillerParameter { value: Some(0.25), ..FillerParameter::EMPTY };
    Ok(Box::new(PReluLayer {
        shared: written.channel_shared(),
        filler: written.filler.clone().unwrap_or_else(quarter),
        in_place: spec.in_place,
        channels: ChannelDims { outer: 0, c: 0, inner: 0 },
        kept: Workspace::default(),
        scratch: Workspace::default(),
    }))
}

struct PReluLayer {
    shared: bool,
    filler: FillerParameter,
    in_place: bool,
    /// The blob in Caffe's order; a single channel with `channel_shared`.
    channels: ChannelDims,
    /// `x`, when `y` overwrites it.
    kept: Workspace,
    scratch: Workspace,
}

impl Layer for PReluLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        if shape.axes() < 2 {
            let want = "2 or more axes, of which the second has the channels".into();
            return Err(LayerError::Bottom { index: 0, got: shape.clone(), want });
        }
        let outer = shape.dims()[0];
        self.channels = match self.shared {
            true => ChannelDims { outer, c: 1, inner: shape.count_from(1) },
            false => ChannelDims { outer, c: shape.dims()[1], inner: shape.count_from(2) },
        };
        self.scratch.declare(shape.count());
        if self.in_place {
            self.kept.declare(shape.count());
        }
        Ok(bottoms.to_vec())
    }

    fn params(&self) -> Vec<ParamDecl> {
        let shape = match self.shared {
            true => Shape::scalar(),
            false => Shape::new(&[self.channels.c]).expect("an axis of the bottom"),
        };
        vec![ParamDecl::learned(&shape, &self.filler)]
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, slopes) = (io.cpu, io.params[0]);
        let dims = self.in_memory(io.bottoms[0].shape, io.bottoms[0].layout);
        let (x, y) = match io.unary() {
            Unary::OutOfPlace { x, y } => (x, y),
            Unary::InPlace(y) => {
                elementwise::copy(cpu, y, &mut self.kept[..dims.count()]);
                (&self.kept[..dims.count()], y)
            }
        };
        map(cpu, dims, slopes, x, y, |slope, x| if x > 0.0 { x } else { slope * x });
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, slopes) = (io.cpu, io.params[0]);
        let dims = self.in_memory(io.bottoms[0].shape, io.bottoms[0].layout);
        let x = if self.in_place { &self.kept[..dims.count()] } else { io.bottoms[0].data };
        let scratch = &mut self.scratch[..dims.count()];
        if let Some(ParamGradient { values, write }) = &mut io.gradients[0] {
            map(cpu, dims, slopes, x, scratch, |_, x| if x > 0.0 { 0.0 } else { x });
            let dy = io.tops[0].diff_beside(&io.bottoms[0]);
            channel::backward_scale(cpu, dims, scratch, dy, *write, values);
        }
        match io.unary() {
            None => {}
            Some(Unary::InPlace(d)) => {
                map(cpu, dims, slopes, x, scratch, |slope, x| if x > 0.0 { 1.0 } else { slope });
                elementwise::mul(cpu, scratch, d);
            }
            Some(Unary::OutOfPlace { x: dy, y: dx }) => {
                map(cpu, dims, slopes, x, dx, |slope, x| if x > 0.0 { 1.0 } else { slope });
                elementwise::mul(cpu, dy, dx);
            }
        }
        Ok(())
    }

    fn allocate(&mut self) {
        self.kept.allocate();
        self.scratch.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.kept.bytes() + self.scratch.bytes()
    }
}

impl PReluLayer {
    /// The blob in memory order.
    fn in_memory(&self, shape: &Shape, layout: Layout) -> ChannelDims {
        let ChannelDims { outer, c, inner } = self.channels;
        if layout == Layout::ChannelsLast && shape.axes() == 4 && !self.shared {
            return ChannelDims { outer: outer * inner, c, inner: 1 };
        }
        self.channels
    }
}

/// Floats that one task handles, rounded up to whole images.
const TASK_FLOATS: usize = 1 << 14;

/// `y = f(slope of the channel, x)`.
///
/// * `slopes`: (c)
/// * `x`, `y`: (outer, c, inner)
fn map(
    cpu: &Cpu,
    ChannelDims { c, inner, .. }: ChannelDims,
    slopes: &[f32],
    x: &[f32],
    y: &mut [f32],
    f: impl Fn(f32, f32) -> f32 + Sync,
) {
    let item = (c * inner).max(1);
    let task_len = TASK_FLOATS.div_ceil(item) * item;
    cpu.run_blocks(y, task_len, |task, y| {
        let x = &x[task * task_len..][..y.len()];
        for (x, y) in x.chunks_exact(item).zip(y.chunks_exact_mut(item)) {
            if inner == 1 {
                for ((y, &x), &slope) in y.iter_mut().zip(x).zip(slopes) {
                    *y = f(slope, x);
                }
            } else {
                let channels = x.chunks_exact(inner).zip(y.chunks_exact_mut(inner));
                for ((x, y), &slope) in channels.zip(slopes) {
                    y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(slope, x));
                }
            }
        }
    });
}
