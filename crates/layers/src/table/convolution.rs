//! Convolution: `y = W * x + b` over any number of spatial axes; each top from its own bottom, all
//! with the same weights. Caffe type `Convolution`, `convolution_param`: `num_output`,
//! `kernel_size`, `stride`, `pad`, `dilation` (once, once per axis, or `_h` and `_w`), `group`,
//! `axis`, `bias_term`, `weight_filler`, `bias_filler`; and of forks `pad_l`, `pad_r`, `pad_t`,
//! `pad_b`. `engine` and `force_nd_im2col` change no result and are accepted. Never runs in place.
//!
//! Images run channels-last and can absorb a ReLU that follows in place; see [`crate::convolve`]
//! for other geometries.

use base::Shape;
use kernels::conv::Activation;
use kernels::{StridedRowsMut, relu};

use crate::border;
use crate::convolve::{BiasGradient, ConvDirection, ConvolutionCore};
use crate::{
    AbsorbableFollowers, Arity, Backward, BackwardReads, BlobAccess, BottomFill, Follower,
    FollowerKind, Forward, Fusion, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, LayoutRule, ParamDecl, ParamGradient, TopGradient, TopMemory,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Convolution",
    options: "convolution_param",
    formula: "y = W * x + b",
    bottoms: Arity::at_least(1),
    tops: Arity::at_least(1),
    tops_equal_bottoms: true,
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase::image("convolution_param { num_output: 4 kernel_size: 3 pad: 1 stride: 2 }"),
        GradientCase::image("convolution_param { num_output: 2 kernel_size: 1 bias_term: false }"),
        GradientCase::image(
            "convolution_param { num_output: 3 kernel_h: 1 kernel_w: 3 pad_w: 2 stride_h: 1 \
             stride_w: 2 }",
        ),
        GradientCase::image(
            "convolution_param { num_output: 2 kernel_size: 3 stride: 2 pad_l: 1 pad_b: 2 }",
        ),
        GradientCase {
            options: "convolution_param { num_output: 4 kernel_size: 2 dilation: 2 group: 2 }",
            bottoms: &[(&[2, 4, 4, 4], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "convolution_param { num_output: 2 kernel_size: 2 }",
            bottoms: &[
                (&[1, 2, 3, 3], BottomFill::Gaussian),
                (&[1, 2, 3, 3], BottomFill::Gaussian),
            ],
            tops: 2,
        },
        GradientCase {
            options: "convolution_param { num_output: 4 kernel_size: 3 pad: 1 stride: 2 group: 2 }",
            bottoms: &[(&[2, 2, 5], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "convolution_param { num_output: 2 kernel_size: [2, 1, 3] }",
            bottoms: &[(&[1, 2, 3, 2, 4], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "convolution_param { num_output: 3 kernel_size: 2 axis: 2 }",
            bottoms: &[(&[2, 2, 2, 4], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "convolution_param { num_output: 3 kernel_size: 1 }",
            bottoms: &[(&[4, 2], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let core = ConvolutionCore::new(ConvDirection::Forward, spec.layer.convolution_param())?;
    Ok(Box::new(ConvolutionLayer::new(core, spec)))
}

pub(super) struct ConvolutionLayer {
    core: ConvolutionCore,
    /// Whether there is one bottom and one top.
    single: bool,
    /// Slope of an absorbed ReLU.
    relu: Option<f32>,
}

impl ConvolutionLayer {
    pub(super) fn new(core: ConvolutionCore, spec: &LayerSpec<'_>) -> Self {
        Self { core, single: spec.tops == 1, relu: None }
    }

    /// Applies the mask of the absorbed ReLU to the top's diff where that is still to be done, and
    /// in f32 computes the bias gradient in the same pass.
    fn mask(&self, io: &mut Backward<'_>) -> BiasGradient {
        let (Some(slope), Some(conv)) = (self.relu, self.core.image()) else {
            return BiasGradient::Missing;
        };
        let y = io.tops[0].rows(conv.k);
        let TopGradient::Unmasked(diff) = &mut io.tops[0].gradient else {
            return BiasGradient::Missing;
        };
        if io.rounding.is_some() {
            border::mask_top(io.cpu, io.rounding, slope, y.data, diff);
            return BiasGradient::Missing;
        }
        let to = StridedRowsMut { data: diff, stride: y.stride, offset: y.offset };
        let bias = io.gradients.get_mut(1).and_then(Option::as_mut);
        let sums = bias.map(|ParamGradient { values, write }| (*write, &mut values[..]));
        relu::backward_rows(io.cpu, [conv.out_pixels(), conv.k], slope, y, to, sums);
        BiasGradient::Present
    }
}

impl Layer for ConvolutionLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.core.reshape(bottoms)
    }

    fn params(&self) -> Vec<ParamDecl> {
        self.core.params()
    }

    fn layouts(&self) -> LayoutRule {
        self.core.layouts()
    }

    fn traits(&self) -> LayerTraits {
        if !(self.single && self.core.image().is_some()) {
            return LayerTraits::default();
        }
        LayerTraits {
            tops: TopMemory::OwnOrPlaced,
            access: BlobAccess::ByManyImages,
            backward_reads: BackwardReads::Bottoms,
            absorbs: AbsorbableFollowers {
                followers: &[FollowerKind::Relu],
                ..AbsorbableFollowers::default()
            },
            ..LayerTraits::default()
        }
    }

    fn fuse(&mut self, decision: Fusion) {
        match decision {
            Fusion::Absorb(Follower::Relu { slope }) => self.relu = Some(slope),
            other => unreachable!("{other:?} is not among this layer's traits"),
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        match (self.relu, io.rounding) {
            (Some(slope), None) => self.core.forward(Activation::Relu { slope }, io),
            (None, _) => self.core.forward(Activation::Linear, io),
            (Some(slope), Some(format)) => {
                self.core.forward(Activation::Linear, io);
                relu::forward_rounded(io.cpu, format, slope, io.tops[0].data());
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let bias = self.mask(io);
        self.core.backward(bias, io);
        Ok(())
    }

    fn multiply_adds(&self) -> u64 {
        self.core.multiply_adds()
    }

    fn allocate(&mut self) {
        self.core.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.core.workspace_bytes()
    }
}
