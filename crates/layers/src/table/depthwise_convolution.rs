//! Depthwise convolution: a [`Convolution`](super::convolution) of each channel by itself. Not in
//! Caffe; layer type `DepthwiseConvolution` (yonghenglh6, for MobileNet) and `ConvolutionDepthwise`
//! (a change proposed to Caffe, in several forks). `convolution_param` as for Convolution, except
//! that `group` is the number of channels, and may be left out, as may `num_output`.
//!
//! `num_output` may be a multiple of the channels. Weights are (num_output, 1, kernel..), as those
//! of a Convolution with as many groups, so models fit either. Never runs in place.

use super::convolution::{self, ConvolutionLayer};
use crate::convolve::ConvolutionCore;
use crate::{BottomFill, GradientCase, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "DepthwiseConvolution",
    fork: "MobileNet",
    formula: "y = W * x + b, each channel by itself",
    build,
    cases: &[
        GradientCase::image("convolution_param { kernel_size: 3 pad: 1 stride: 2 }"),
        GradientCase::image(
            "convolution_param { num_output: 3 group: 3 kernel_size: 2 dilation: 2 bias_term: \
             false }",
        ),
        GradientCase {
            options: "convolution_param { num_output: 4 kernel_size: 3 pad_l: 2 }",
            bottoms: &[(&[2, 2, 3, 4], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..convolution::KIND
};

/// The row of its other name.
pub(super) const OTHER_NAME: LayerKind = LayerKind { name: "ConvolutionDepthwise", ..KIND };

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let core = ConvolutionCore::depthwise(spec.layer.convolution_param())?;
    Ok(Box::new(ConvolutionLayer::new(core, spec)))
}

#[cfg(test)]
mod tests {
    use base::Shape;

    use crate::testing::{build, error, forward};

    const NAMES: [&str; 2] = ["ConvolutionDepthwise", "DepthwiseConvolution"];

    #[test]
    fn channels_do_not_mix_and_weights_are_those_of_groups() {
        // In memory: two pixels of two channels.
        let x = (&[1, 2, 1, 2][..], &[1.0, 10.0, 2.0, 20.0][..]);
        for name in NAMES {
            let text = format!(
                "type: \"{name}\" convolution_param {{ kernel_h: 1 kernel_w: 2 weight_filler {{ \
                 value: 3 }} bias_filler {{ value: 1 }} }}"
            );
            assert_eq!(forward(&text, &[x], 1).unwrap()[0].1, [10.0, 91.0]);
            let mut layer = build(&text, 1, 1).unwrap();
            layer.reshape(&[Shape::new(&[2, 6, 5, 5]).unwrap()]).unwrap();
            let shapes: Vec<_> = layer.params().iter().map(|p| p.shape.to_string()).collect();
            assert_eq!(shapes, ["6 1 1 2 (12)", "6 (6)"]);
        }
    }

    #[test]
    fn groups_and_outputs_that_do_not_fit_are_reported() {
        for name in NAMES {
            let check = |options: &str, want: &str| {
                let text =
                    format!("type: \"{name}\" convolution_param {{ kernel_size: 1 {options} }}");
                assert_eq!(error(&text, &[&[2, 6, 5, 5]], 1), want);
            };
            check(
                "num_output: 6 group: 3",
                "`convolution_param.group` is 3, expected nothing, or the bottom's 6 channels",
            );
            check(
                "num_output: 8",
                "`convolution_param.num_output` is 8, expected a multiple of the bottom's 6 \
                 channels",
            );
            check(
                "num_output: 0",
                "`convolution_param.num_output` is 0, expected a multiple of the bottom's 6 \
                 channels",
            );
        }
    }
}
