//! What Convolution and Deconvolution share: a Deconvolution is the transpose of the convolution
//! that would take its tops to its bottoms, so that forward and backward change places.

use base::{BLOB_VALUES_MAX, Shape};
use caffe_format::ConvolutionParameter;
use kernels::conv::{Activation, ConvShape};
use kernels::im2col::SpatialAxis;
use kernels::{Cpu, StridedRows, StridedRowsMut, Unary, Write, channel};

use super::options::{ConvGeometry, ConvolutionOptions};
use super::{ConvChannels, ConvVariant};
use crate::window::{ConvWindow, extent, windows};
use crate::{Backward, Forward, InlineVec, LayerError, LayoutRule, ParamDecl, ParamGradient};

/// Which side of the convolution the bottoms are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConvDirection {
    /// Bottoms are its images, as for Convolution.
    Forward,
    /// Tops are its images, as for Deconvolution.
    Transposed,
}

/// The options, the weights' shape and the geometry of a Convolution or Deconvolution.
pub(crate) struct ConvolutionCore {
    direction: ConvDirection,
    options: ConvolutionOptions,
    weights: Shape,
    /// Channels of the tops.
    outputs: usize,
    convolve: Option<ConvVariant>,
}

impl ConvolutionCore {
    pub(crate) fn new(
        direction: ConvDirection,
        written: &ConvolutionParameter,
    ) -> Result<Self, LayerError> {
        Ok(Self::with(direction, ConvolutionOptions::lower(written)?))
    }

    /// A convolution of each channel by itself.
    pub(crate) fn depthwise(written: &ConvolutionParameter) -> Result<Self, LayerError> {
        Ok(Self::with(ConvDirection::Forward, ConvolutionOptions::depthwise(written)?))
    }

    fn with(direction: ConvDirection, options: ConvolutionOptions) -> Self {
        Self { direction, options, weights: Shape::scalar(), outputs: 0, convolve: None }
    }

    /// The tops' shapes.
    pub(crate) fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let ConvGeometry { window, channels, outputs, group } = self.options.over(bottoms)?;
        let ConvWindow { channel, axes } = window;
        self.outputs = outputs;
        // The convolution's images have `axes` and `c` channels; the top has `sizes`.
        let wrong = |want: &str| LayerError::Bottom {
            index: 0,
            got: bottoms[0].clone(),
            want: want.into(),
        };
        let (axes, sizes, c, k) = match self.direction {
            ConvDirection::Forward => {
                let sizes: Option<Vec<_>> = axes.iter().map(windows).collect();
                let sizes =
                    sizes.ok_or_else(|| wrong("spatial axes that hold the kernel when padded"))?;
                (axes, sizes, channels, outputs)
            }
            ConvDirection::Transposed => {
                let want = "spatial axes that the kernel enlarges by more than the padding removes";
                let axes: Option<Vec<_>> = axes.iter().map(enlarged).collect();
                let axes = axes.ok_or_else(|| wrong(want))?;
                let sizes = axes.iter().map(|axis| axis.size).collect();
                (axes, sizes, outputs, channels)
            }
        };
        let before = bottoms[0].dims()[..channel].iter().copied();
        let top = Shape::new(&before.chain([outputs]).chain(sizes).collect::<Vec<_>>())?;
        let kernels = axes.iter().map(|axis| axis.kernel);
        self.weights = Shape::new(&[k, c / group].into_iter().chain(kernels).collect::<Vec<_>>())?;
        let channels = ConvChannels { images: bottoms[0].count_to(channel), c, k, group };
        self.convolve = Some(ConvVariant::new(channels, channel, &axes)?);
        Ok(vec![top; bottoms.len()])
    }

    /// Weights (k, c / group, kernel sizes..) and, with `bias_term`, a bias per output.
    pub(crate) fn params(&self) -> Vec<ParamDecl> {
        self.options.params(&self.weights, self.outputs)
    }

    pub(crate) fn layouts(&self) -> LayoutRule {
        self.convolve.as_ref().map_or(LayoutRule::RowMajor, ConvVariant::layouts)
    }

    pub(crate) fn multiply_adds(&self) -> u64 {
        self.convolve.as_ref().map_or(0, ConvVariant::multiply_adds)
    }

    pub(crate) fn allocate(&mut self) {
        self.convolve().allocate();
    }

    pub(crate) fn workspace_bytes(&self) -> usize {
        self.convolve.as_ref().map_or(0, ConvVariant::workspace_bytes)
    }

    /// The geometry of two spatial axes, channels-last; `None` for any other.
    pub(crate) fn image(&self) -> Option<&ConvShape> {
        self.convolve.as_ref().and_then(ConvVariant::image)
    }

    fn convolve(&mut self) -> &mut ConvVariant {
        self.convolve.as_mut().expect("reshape comes first")
    }

    /// Computes every top from its bottom. Only [`ConvDirection::Forward`] applies `activation`.
    pub(crate) fn forward(&mut self, activation: Activation, io: &mut Forward<'_>) {
        let (cpu, direction) = (io.cpu, self.direction);
        let (weights, bias) = (io.params[0], io.params.get(1).copied());
        let convolve = self.convolve();
        let k = convolve.k();
        for (bottom, top) in io.bottoms.iter().zip(&mut io.tops) {
            match direction {
                ConvDirection::Forward => {
                    let params = (weights, bias);
                    convolve.forward(cpu, bottom.data(), params, activation, top.rows(k));
                }
                ConvDirection::Transposed => {
                    let (x, y) = (StridedRows::dense(bottom.data(), k), top.data());
                    convolve.backward_data(cpu, x, weights, y);
                    if let Some(bias) = bias {
                        channel::bias(cpu, convolve.image_channels(), bias, Unary::InPlace(y));
                    }
                }
            }
        }
    }

    /// Gradients of bottoms, weights and, if it is still missing, bias.
    pub(crate) fn backward(&mut self, bias: BiasGradient, io: &mut Backward<'_>) {
        let (cpu, weights) = (io.cpu, io.params[0]);
        let channels = match self.direction {
            ConvDirection::Forward => self.convolve().k(),
            ConvDirection::Transposed => self.convolve().image_channels().c,
        };
        for (bottom, top) in io.bottoms.iter_mut().zip(&io.tops) {
            let Some(dx) = bottom.diff.as_deref_mut() else { continue };
            match top.is_zero() {
                true => dx.fill(0.0),
                false => self.backward_data(cpu, top.diff_rows(channels), weights, dx),
            }
        }
        let pairs: InlineVec<_> = (io.bottoms.iter().zip(&io.tops))
            .filter(|(_, top)| !top.is_zero())
            .map(|(bottom, top)| (bottom.data, top.diff_rows(channels)))
            .collect();
        accumulate(io.gradients.first_mut(), &pairs, |(x, dy), write, dw| {
            self.backward_weights(cpu, x, dy, write, dw);
        });
        if bias == BiasGradient::Missing {
            accumulate(io.gradients.get_mut(1), &pairs, |(x, dy), write, db| {
                self.backward_bias(cpu, (x, dy), write, db);
            });
        }
    }

    fn backward_data(&mut self, cpu: &Cpu, dy: StridedRows<'_>, weights: &[f32], dx: &mut [f32]) {
        let direction = self.direction;
        let convolve = self.convolve();
        match direction {
            ConvDirection::Forward => convolve.backward_data(cpu, dy, weights, dx),
            ConvDirection::Transposed => {
                let to = StridedRowsMut::dense(dx, convolve.k());
                convolve.forward(cpu, dy.data, (weights, None), Activation::Linear, to);
            }
        }
    }

    fn backward_weights(
        &mut self,
        cpu: &Cpu,
        x: &[f32],
        dy: StridedRows<'_>,
        write: Write,
        dw: &mut [f32],
    ) {
        let direction = self.direction;
        let convolve = self.convolve();
        match direction {
            ConvDirection::Forward => convolve.backward_weights(cpu, x, dy, write, dw),
            ConvDirection::Transposed => {
                let x = StridedRows::dense(x, convolve.k());
                convolve.backward_weights(cpu, dy.data, x, write, dw);
            }
        }
    }

    fn backward_bias(
        &mut self,
        cpu: &Cpu,
        (x, dy): (&[f32], StridedRows<'_>),
        write: Write,
        db: &mut [f32],
    ) {
        let direction = self.direction;
        let convolve = self.convolve();
        match direction {
            ConvDirection::Forward => convolve.backward_bias(cpu, x.len(), dy, write, db),
            ConvDirection::Transposed => {
                channel::backward_bias(cpu, convolve.image_channels(), dy.data, write, db);
            }
        }
    }
}

/// Whether [`ConvolutionCore::backward`] computes the gradient of the bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BiasGradient {
    /// It does.
    Missing,
    /// The caller has computed it already.
    Present,
}

/// The axis of the top for one of the bottom of a Deconvolution: `stride * (size - 1) + extent`
/// less the padding.
fn enlarged(axis: &SpatialAxis) -> Option<SpatialAxis> {
    let reach = axis.stride.checked_mul(axis.size.checked_sub(1)?)?.checked_add(extent(axis)?)?;
    let size = reach.checked_sub(axis.pad)?.checked_sub(axis.pad_end)?;
    (1..=BLOB_VALUES_MAX).contains(&size).then_some(SpatialAxis { size, ..*axis })
}

/// A gradient that several bottoms contribute to: the first as asked, the others added.
fn accumulate<P: Copy>(
    gradient: Option<&mut Option<ParamGradient<'_>>>,
    pairs: &[P],
    mut add: impl FnMut(P, Write, &mut [f32]),
) {
    let Some(Some(ParamGradient { values, write })) = gradient else { return };
    if pairs.is_empty() && *write == Write::Set {
        values.fill(0.0);
    }
    for (index, &pair) in pairs.iter().enumerate() {
        add(pair, if index == 0 { *write } else { Write::Add }, values);
    }
}
