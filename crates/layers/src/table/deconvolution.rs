//! Deconvolution: the convolution with the same options run backwards, `y = Wᵀ * x + b`, so that
//! strides enlarge. Caffe type `Deconvolution`, `convolution_param` as Convolution's; `num_output`
//! counts the top's channels, and the weights are (channels, num_output / group, kernel..).

use base::{BLOB_VALUES_MAX, Shape};
use kernels::conv::Activation;
use kernels::im2col::Axis;
use kernels::{Rows, RowsMut, Unary, channel};

use super::convolution::{Options, accumulate, top_shape, weight_shape};
use crate::convolve::{Convolve, Maps};
use crate::window::extent;
use crate::{
    Arity, Backward, Case, Fill, Forward, Layer, LayerError, LayerKind, LayoutRule, ParamDecl, Spec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Deconvolution",
    options: "convolution_param",
    formula: "y = W^T * x + b",
    bottoms: Arity::at_least(1),
    tops: Arity::at_least(1),
    tops_equal_bottoms: true,
    build,
    cases: &[
        Case::image("convolution_param { num_output: 2 kernel_size: 3 stride: 2 pad: 1 }"),
        Case::image("convolution_param { num_output: 4 kernel_size: 1 bias_term: false }"),
        Case {
            options: "convolution_param { num_output: 4 kernel_h: 2 kernel_w: 3 group: 2 \
                      dilation: 2 }",
            bottoms: &[(&[2, 2, 3, 2], Fill::Gaussian), (&[2, 2, 3, 2], Fill::Gaussian)],
            tops: 2,
        },
        Case {
            options: "convolution_param { num_output: 4 kernel_size: 3 stride: 2 group: 2 }",
            bottoms: &[(&[2, 2, 4], Fill::Gaussian)],
            tops: 1,
        },
        Case {
            options: "convolution_param { num_output: 2 kernel_size: 2 stride: 2 }",
            bottoms: &[(&[1, 2, 2, 2, 3], Fill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let options = Options::lower(spec.layer.convolution_param())?;
    Ok(Box::new(Deconvolution { options, weights: Shape::scalar(), convolve: None }))
}

struct Deconvolution {
    options: Options,
    weights: Shape,
    /// From the top to the bottom.
    convolve: Option<Convolve>,
}

impl Deconvolution {
    fn convolve(&mut self) -> &mut Convolve {
        self.convolve.as_mut().expect("reshape comes first")
    }
}

impl Layer for Deconvolution {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let (window, k) = self.options.over(bottoms)?;
        let Options { outputs: c, group, .. } = self.options;
        let axes: Option<Vec<_>> = window.axes.iter().map(enlarged).collect();
        let axes = axes.ok_or_else(|| LayerError::Bottom {
            index: 0,
            got: bottoms[0].clone(),
            want: "spatial axes that the kernel enlarges by more than the padding takes away"
                .into(),
        })?;
        let sizes = axes.iter().map(|axis| axis.size);
        let top = top_shape(&bottoms[0], window.channel, c, sizes)?;
        self.weights = weight_shape(k, c / group, &window)?;
        let maps = Maps { images: bottoms[0].count_to(window.channel), c, k, group };
        self.convolve = Some(Convolve::new(maps, window.channel, &axes)?);
        Ok(vec![top; bottoms.len()])
    }

    fn params(&self) -> Vec<ParamDecl> {
        self.options.params(&self.weights)
    }

    fn layouts(&self) -> LayoutRule {
        self.convolve.as_ref().map_or(LayoutRule::RowMajor, Convolve::layouts)
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, weights, bias) = (io.cpu, io.params[0], io.params.get(1).copied());
        let convolve = self.convolve();
        let k = convolve.k();
        for (bottom, top) in io.bottoms.iter().zip(&mut io.tops) {
            convolve.backward_data(cpu, Rows::dense(bottom.data, k), weights, top.data());
            if let Some(bias) = bias {
                channel::bias(cpu, convolve.image_channels(), bias, Unary::InPlace(top.data()));
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, weights) = (io.cpu, io.params[0]);
        let convolve = self.convolve();
        let k = convolve.k();
        for (bottom, top) in io.bottoms.iter_mut().zip(&io.tops) {
            let Some(dx) = bottom.diff.as_deref_mut() else { continue };
            match top.live {
                true => {
                    let (params, to) = ((weights, None), RowsMut::dense(dx, k));
                    convolve.forward(cpu, top.diff, params, Activation::Linear, to);
                }
                false => dx.fill(0.0),
            }
        }
        let channels = convolve.image_channels();
        let pairs: Vec<_> = (io.bottoms.iter().zip(&io.tops))
            .filter(|(_, top)| top.live)
            .map(|(bottom, top)| (bottom.data, top.diff))
            .collect();
        accumulate(io.gradients.first_mut(), &pairs, |(x, dy), write, dw| {
            convolve.backward_weights(cpu, dy, Rows::dense(x, k), write, dw);
        });
        accumulate(io.gradients.get_mut(1), &pairs, |(_, dy), write, db| {
            channel::backward_bias(cpu, channels, dy, write, db);
        });
        Ok(())
    }

    fn multiply_adds(&self) -> u64 {
        self.convolve.as_ref().map_or(0, Convolve::multiply_adds)
    }

    fn workspace_bytes(&self) -> usize {
        self.convolve.as_ref().map_or(0, Convolve::workspace_bytes)
    }
}

/// The axis of the top, for one of the bottom: `stride * (size - 1) + extent - 2 * pad` long.
fn enlarged(axis: &Axis) -> Option<Axis> {
    let reach = axis.stride.checked_mul(axis.size.checked_sub(1)?)?.checked_add(extent(axis)?)?;
    let size = reach.checked_sub(axis.pad.checked_mul(2)?)?;
    (1..=BLOB_VALUES_MAX).contains(&size).then_some(Axis { size, ..*axis })
}

#[cfg(test)]
mod tests;
