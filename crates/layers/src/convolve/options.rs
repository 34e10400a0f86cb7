//! `convolution_param` as Convolution and Deconvolution read it, and as depthwise convolutions do.

use base::Shape;
use caffe_format::{ConvolutionParameter, FillerParameter};

use crate::params::weights_and_bias;
use crate::window::{ConvWindow, WindowOptions};
use crate::{LayerError, ParamDecl};

/// `convolution_param`, checked.
pub(super) struct ConvolutionOptions {
    window: WindowOptions,
    groups: ConvGroups,
    bias_term: bool,
    fillers: [FillerParameter; 2],
}

/// How many outputs and groups there are.
#[derive(Debug, Clone, Copy)]
enum ConvGroups {
    /// As written; there are `num_output` outputs in `group` groups.
    Written { outputs: usize, group: usize },
    /// As many groups as the bottom has channels; both are checked against it where written.
    PerChannel { outputs: Option<u32>, group: Option<u32> },
}

/// The geometry over given bottoms.
pub(super) struct ConvGeometry {
    pub(super) window: ConvWindow,
    /// Channels of the bottoms.
    pub(super) channels: usize,
    /// Channels of the tops.
    pub(super) outputs: usize,
    /// Divides both.
    pub(super) group: usize,
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
        Self::new(written, ConvGroups::Written { outputs, group })
    }

    /// One group per channel of the bottom.
    pub(super) fn depthwise(written: &ConvolutionParameter) -> Result<Self, LayerError> {
        let (outputs, group) = (written.num_output, written.group);
        Self::new(written, ConvGroups::PerChannel { outputs, group })
    }

    fn new(written: &ConvolutionParameter, groups: ConvGroups) -> Result<Self, LayerError> {
        Ok(Self {
            window: WindowOptions::lower(written)?,
            groups,
            bias_term: written.bias_term(),
            fillers: [written.weight_filler().clone(), written.bias_filler().clone()],
        })
    }

    /// The geometry over the bottoms, which must all have one shape.
    pub(super) fn over(&self, bottoms: &[Shape]) -> Result<ConvGeometry, LayerError> {
        if let Some(index) = bottoms.iter().position(|shape| *shape != bottoms[0]) {
            let want = format!("{}, the shape of bottom 0", bottoms[0]);
            return Err(LayerError::Bottom { index, got: bottoms[index].clone(), want });
        }
        let window = self.window.over(&bottoms[0])?;
        let channels = bottoms[0].dims()[window.channel];
        let [outputs, group] = self.groups.of(channels)?;
        Ok(ConvGeometry { window, channels, outputs, group })
    }

    pub(super) fn params(&self, weights: &Shape, outputs: usize) -> Vec<ParamDecl> {
        let bias = Shape::new(&[outputs]).expect("the top is larger and fits");
        let [weight_filler, bias_filler] = &self.fillers;
        weights_and_bias((weights, weight_filler), (&bias, bias_filler), self.bias_term)
    }
}

impl ConvGroups {
    /// Outputs and groups over a bottom with this many channels.
    fn of(self, channels: usize) -> Result<[usize; 2], LayerError> {
        let wrong = |option, got: usize, want: &str| {
            let want = format!("{want} the bottom's {channels} channels");
            Err(LayerError::Option { option, got: got.to_string(), want })
        };
        match self {
            Self::Written { group, .. } if !channels.is_multiple_of(group) => {
                wrong("convolution_param.group", group, "a divisor of")
            }
            Self::Written { outputs, group } => Ok([outputs, group]),
            Self::PerChannel { group: Some(group), .. } if group as usize != channels => {
                wrong("convolution_param.group", group as usize, "nothing, or")
            }
            Self::PerChannel { outputs: Some(outputs), .. }
                if outputs == 0 || !(outputs as usize).is_multiple_of(channels) =>
            {
                wrong("convolution_param.num_output", outputs as usize, "a multiple of")
            }
            Self::PerChannel { outputs, .. } => {
                let group = channels.max(1); // an empty bottom is reported where others' are
                Ok([outputs.map_or(group, |outputs| outputs as usize), group])
            }
        }
    }
}
