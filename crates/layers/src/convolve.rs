//! A convolution of known geometry, run by the kernels that suit it.
//!
//! * Four axes, channels second: [`kernels::conv`], channels-last.
//! * Anything else (one or three spatial axes, another channel axis): [`ColumnConv`], row-major.
//!   Slower; such nets are rare.
//!
//! Convolution runs it forward; Deconvolution is the transpose of the same convolution. What the
//! two layers share is in [`ConvolutionCore`].

mod columns;
mod layer;
mod options;

use base::Shape;
use kernels::conv::{self, Activation, ConvShape};
use kernels::im2col::SpatialAxis;
use kernels::{Cpu, StridedRows, StridedRowsMut, Unary, Write, channel};

use columns::ColumnConv;
pub(crate) use layer::{BiasGradient, ConvDirection, ConvolutionCore};

use crate::window::with_stride_in_reach;
use crate::{LayerError, LayoutRule};

/// Strides up to this product (64 by 64) go to [`kernels::conv`], whose backward runs one
/// convolution for each phase of the stride.
const PHASES_MAX: usize = 1 << 12;

/// A convolution of `images` images with `c` channels to `k`. `Image` convolves as many images as
/// it is given, which may be some of the batch.
#[derive(Debug)]
pub(crate) enum ConvVariant {
    /// Two spatial axes, channels-last.
    Image(ConvShape),
    /// Any number of spatial axes, row-major.
    Columns(ColumnConv),
}

/// Sizes besides the spatial ones: how many images, channels and groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConvChannels {
    /// Product of the axes before the channels.
    pub(crate) images: usize,
    /// Channels on the image side.
    pub(crate) c: usize,
    /// Channels on the output side.
    pub(crate) k: usize,
    /// Groups of channels that are convolved separately; divides both.
    pub(crate) group: usize,
}

impl ConvVariant {
    /// Chooses the kernels for images whose blob has `axes_before` axes in front of the channels.
    /// `axes` have sizes of the image side, each with at least one window.
    pub(crate) fn new(
        channels: ConvChannels,
        axes_before: usize,
        axes: &[SpatialAxis],
    ) -> Result<Self, LayerError> {
        let axes: Vec<_> = axes.iter().map(|&axis| with_stride_in_reach(axis)).collect();
        // Kernels copy padded images; a pad that makes them too large is an error here.
        let padded = axes.iter().map(|axis| axis.pad + axis.size + axis.pad_end);
        Shape::new(&[channels.images, channels.c].into_iter().chain(padded).collect::<Vec<_>>())?;
        match axes[..] {
            [v, h] if axes_before == 1 && v.stride * h.stride <= PHASES_MAX => {
                Ok(Self::Image(ConvShape {
                    n: channels.images,
                    c: channels.c,
                    h: v.size,
                    w: h.size,
                    k: channels.k,
                    kernel: [v.kernel, h.kernel],
                    stride: [v.stride, h.stride],
                    pad: [v.pad, h.pad],
                    pad_end: [v.pad_end, h.pad_end],
                    dilation: [v.dilation, h.dilation],
                    group: channels.group,
                }))
            }
            _ => ColumnConv::new(channels, axes).map(Self::Columns),
        }
    }

    pub(crate) fn layouts(&self) -> LayoutRule {
        match self {
            Self::Image(_) => LayoutRule::ChannelsLast,
            Self::Columns(_) => LayoutRule::RowMajor,
        }
    }

    /// `y = activation(conv(x, weights) + bias)`. Only `Image` applies the activation and writes
    /// rows with gaps.
    pub(crate) fn forward(
        &mut self,
        cpu: &Cpu,
        x: &[f32],
        (weights, bias): (&[f32], Option<&[f32]>),
        activation: Activation,
        y: StridedRowsMut<'_>,
    ) {
        match self {
            Self::Image(conv) => {
                let conv = conv.of_images(x.len());
                conv::forward(cpu, &conv, x, weights, bias, activation, y);
            }
            Self::Columns(columns) => {
                let y = &mut y.data[..columns.out_channels().count()];
                columns.forward(cpu, x, weights, y);
                if let Some(bias) = bias {
                    channel::bias(cpu, columns.out_channels(), bias, Unary::InPlace(y));
                }
            }
        }
    }

    /// `dx = convᵀ(dy, weights)`.
    pub(crate) fn backward_data(
        &mut self,
        cpu: &Cpu,
        dy: StridedRows<'_>,
        weights: &[f32],
        dx: &mut [f32],
    ) {
        match self {
            Self::Image(conv) => {
                conv::backward_data(cpu, &conv.of_images(dx.len()), dy, weights, dx);
            }
            Self::Columns(columns) => columns.backward_data(cpu, dy.data, weights, dx),
        }
    }

    /// `dw = dyᵀ · x`, or `dw += ..`.
    pub(crate) fn backward_weights(
        &mut self,
        cpu: &Cpu,
        x: &[f32],
        dy: StridedRows<'_>,
        write: Write,
        dw: &mut [f32],
    ) {
        match self {
            Self::Image(conv) => {
                conv::backward_weights(cpu, &conv.of_images(x.len()), x, dy, write, dw);
            }
            Self::Columns(columns) => columns.backward_weights(cpu, x, dy.data, write, dw),
        }
    }

    /// `db = Σ dy`, or `db += ..`; `x_len` is the number of values on the image side.
    pub(crate) fn backward_bias(
        &self,
        cpu: &Cpu,
        x_len: usize,
        dy: StridedRows<'_>,
        write: Write,
        db: &mut [f32],
    ) {
        match self {
            Self::Image(conv) => {
                let rows = conv.of_images(x_len).out_pixels();
                conv::backward_bias(cpu, rows, conv.k, dy, write, db);
            }
            Self::Columns(columns) => {
                channel::backward_bias(cpu, columns.out_channels(), dy.data, write, db);
            }
        }
    }

    /// Channels on the output side: the length of a row of it.
    pub(crate) fn k(&self) -> usize {
        match self {
            Self::Image(conv) => conv.k,
            Self::Columns(columns) => columns.channels.k,
        }
    }

    /// The geometry of two spatial axes, channels-last.
    pub(crate) fn image(&self) -> Option<&ConvShape> {
        match self {
            Self::Image(conv) => Some(conv),
            Self::Columns(_) => None,
        }
    }

    /// The image side as channels.
    pub(crate) fn image_channels(&self) -> channel::ChannelDims {
        match self {
            Self::Image(conv) => {
                channel::ChannelDims { outer: conv.n * conv.h * conv.w, c: conv.c, inner: 1 }
            }
            Self::Columns(ColumnConv { channels, image, .. }) => {
                channel::ChannelDims { outer: channels.images, c: channels.c, inner: *image }
            }
        }
    }

    pub(crate) fn multiply_adds(&self) -> u64 {
        let (outs, weights) = match self {
            Self::Image(conv) => (conv.out_pixels(), conv.weights_len()),
            Self::Columns(c) => (c.channels.images * c.outs, c.channels.k * c.depth()),
        };
        (outs as u64).saturating_mul(weights as u64)
    }

    pub(crate) fn allocate(&mut self) {
        match self {
            Self::Image(_) => {}
            Self::Columns(columns) => columns.col.allocate(),
        }
    }

    pub(crate) fn workspace_bytes(&self) -> usize {
        match self {
            Self::Image(_) => 0,
            Self::Columns(columns) => columns.col.bytes(),
        }
    }
}
