//! `convolution_param` as Convolution and Deconvolution read it.

use base::Shape;
use caffe_format::{ConvolutionParameter, FillerParameter};

use crate::params::weights_and_bias;
use crate::window::{ConvWindow, WindowOptions};
use crate::{LayerError, ParamDecl};

/// `convolution_param`, checked; the same for Convolution and Deconvolution.
pub(super) struct ConvolutionOptions {
    window: WindowOptions,
    pub(super) outputs: usize,
    pub(super) group: usize,
    bias_term: bool,
    fillers: [FillerParameter; 2],
}

impl ConvolutionOptions {
    pub(super) fn lower(written: &ConvolutionParameter) -> Result<Self, LayerError> {
        let (outputs, group) = (written.num_output() as usize, written.group() as usize);
        if outputs == 0 {
            let option = "convolution_param.num_output";
            return Err(LayerError::Missing { option, want: "the number of outputs" });
        }
        if group == 0 || !outputs.is_multiple_of(group) {
            return Err(LayerError::Option {
                option: "convolution_param.group",
                got: group.to_string(),
                want: format!("a divisor of `num_output`, which is {outputs}"),
            });
        }
        Ok(Self {
            window: WindowOptions::lower(written)?,
            outputs,
            group,
            bias_term: written.bias_term(),
            fillers: [written.weight_filler().clone(), written.bias_filler().clone()],
        })
    }

    /// The window over the bottoms, which must all have one shape, and their number of channels.
    pub(super) fn over(&self, bottoms: &[Shape]) -> Result<(ConvWindow, usize), LayerError> {
        if let Some(index) = bottoms.iter().position(|shape| *shape != bottoms[0]) {
            let want = format!("{}, the shape of bottom 0", bottoms[0]);
            return Err(LayerError::Bottom { index, got: bottoms[index].clone(), want });
        }
        let window = self.window.over(&bottoms[0])?;
        let channels = bottoms[0].dims()[window.channel];
        if !channels.is_multiple_of(self.group) {
            return Err(LayerError::Option {
                option: "convolution_param.group",
                got: self.group.to_string(),
                want: format!("a divisor of the bottom's {channels} channels"),
            });
        }
        Ok((window, channels))
    }

    pub(super) fn params(&self, weights: &Shape) -> Vec<ParamDecl> {
        let bias = Shape::new(&[self.outputs]).expect("the top is larger and fits");
        let [weight_filler, bias_filler] = &self.fillers;
        weights_and_bias((weights, weight_filler), (&bias, bias_filler), self.bias_term)
    }
}
