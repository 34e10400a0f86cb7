//! Deconvolution: the transpose of the convolution with the same options, `y = Wᵀ * x + b`, so that
//! strides enlarge. Caffe type `Deconvolution`, `convolution_param` as for Convolution;
//! `num_output` counts the top's channels, and the weights are (channels, num_output / group,
//! kernel..). Never runs in place.

use base::Shape;
use kernels::conv::Activation;

use crate::convolve::{BiasGradient, ConvDirection, ConvolutionCore};
use crate::{
    Arity, Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind,
    LayerSpec, LayoutRule, ParamDecl,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Deconvolution",
    options: "convolution_param",
    formula: "y = W^T * x + b",
    bottoms: Arity::at_least(1),
    tops: Arity::at_least(1),
    tops_equal_bottoms: true,
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase::image("convolution_param { num_output: 2 kernel_size: 3 stride: 2 pad: 1 }"),
        GradientCase::image("convolution_param { num_output: 4 kernel_size: 1 bias_term: false }"),
        GradientCase::image(
            "convolution_param { num_output: 2 kernel_size: 3 stride: 2 pad_r: 1 }",
        ),
        GradientCase {
            options: "convolution_param { num_output: 4 kernel_h: 2 kernel_w: 3 group: 2 \
                      dilation: 2 }",
            bottoms: &[
                (&[2, 2, 3, 2], BottomFill::Gaussian),
                (&[2, 2, 3, 2], BottomFill::Gaussian),
            ],
            tops: 2,
        },
        GradientCase {
            options: "convolution_param { num_output: 4 kernel_size: 3 stride: 2 group: 2 }",
            bottoms: &[(&[2, 2, 4], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "convolution_param { num_output: 2 kernel_size: 2 stride: 2 }",
            bottoms: &[(&[1, 2, 2, 2, 3], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let core = ConvolutionCore::new(ConvDirection::Transposed, spec.layer.convolution_param())?;
    Ok(Box::new(DeconvolutionLayer { core }))
}

struct DeconvolutionLayer {
    core: ConvolutionCore,
}

impl Layer for DeconvolutionLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.core.reshape(bottoms)
    }

    fn params(&self) -> Vec<ParamDecl> {
        self.core.params()
    }

    fn layouts(&self) -> LayoutRule {
        self.core.layouts()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        self.core.forward(Activation::Linear, io);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        self.core.backward(BiasGradient::Missing, io);
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

#[cfg(test)]
mod tests;
