//! A convolution with its geometry settled, run by the kernels that suit it.
//!
//! * Four axes, channels second: [`kernels::conv`], channels-last.
//! * Anything else (one or three spatial axes, another channel axis): `im2col` and matrix products,
//!   row-major, one image after another. Slower; such nets are rare.
//!
//! Convolution runs it forwards; Deconvolution is the same convolution run backwards.

use base::Shape;
use kernels::conv::{self, Activation, Conv};
use kernels::im2col::{self, Axis};
use kernels::{Cpu, Mat, Rows, RowsMut, Unary, Write, channel, gemm};
use tensor::Slab;

use crate::window::with_stride_in_reach;
use crate::{LayerError, LayoutRule};

/// Strides up to this product (64 by 64) go to [`kernels::conv`], whose backward has a part for
/// each phase of the stride.
const PHASES_MAX: usize = 1 << 12;

/// A convolution of `images` images with `c` channels to `k`.
#[derive(Debug)]
pub(crate) enum Convolve {
    /// Two spatial axes, channels-last.
    Image(Conv),
    /// Any number of spatial axes, row-major.
    Columns(Columns),
}

/// Sizes that do not depend on the way: how many images, channels and groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Maps {
    /// Product of the axes before the channels.
    pub(crate) images: usize,
    /// Channels on the image side.
    pub(crate) c: usize,
    /// Channels on the output side.
    pub(crate) k: usize,
    /// Groups of channels that do not see each other; divides both.
    pub(crate) group: usize,
}

impl Convolve {
    /// Chooses the way for images whose blob has `axes_before` axes in front of the channels.
    /// `axes` have sizes of the image side, each with at least one window.
    pub(crate) fn new(maps: Maps, axes_before: usize, axes: &[Axis]) -> Result<Self, LayerError> {
        let axes: Vec<_> = axes.iter().map(|&axis| with_stride_in_reach(axis)).collect();
        // Kernels copy padded images; a pad that makes them too large is an error here.
        let padded = axes.iter().map(|axis| axis.size + 2 * axis.pad);
        Shape::new(&[maps.images, maps.c].into_iter().chain(padded).collect::<Vec<_>>())?;
        match axes[..] {
            [v, h] if axes_before == 1 && v.stride * h.stride <= PHASES_MAX => {
                Ok(Self::Image(Conv {
                    n: maps.images,
                    c: maps.c,
                    h: v.size,
                    w: h.size,
                    k: maps.k,
                    kernel: [v.kernel, h.kernel],
                    stride: [v.stride, h.stride],
                    pad: [v.pad, h.pad],
                    dilation: [v.dilation, h.dilation],
                    group: maps.group,
                }))
            }
            _ => Columns::new(maps, axes).map(Self::Columns),
        }
    }

    pub(crate) fn layouts(&self) -> LayoutRule {
        match self {
            Self::Image(_) => LayoutRule::ChannelsLast,
            Self::Columns(_) => LayoutRule::RowMajor,
        }
    }

    /// `y = activation(conv(x, weights) + bias)`; the activation and rows with gaps are for images.
    pub(crate) fn forward(
        &mut self,
        cpu: &Cpu,
        x: &[f32],
        (weights, bias): (&[f32], Option<&[f32]>),
        activation: Activation,
        y: RowsMut<'_>,
    ) {
        match self {
            Self::Image(conv) => conv::forward(cpu, conv, x, weights, bias, activation, y),
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
        dy: Rows<'_>,
        weights: &[f32],
        dx: &mut [f32],
    ) {
        match self {
            Self::Image(conv) => conv::backward_data(cpu, conv, dy, weights, dx),
            Self::Columns(columns) => columns.backward_data(cpu, dy.data, weights, dx),
        }
    }

    /// `dw = dyᵀ · x`, or `dw += ..`.
    pub(crate) fn backward_weights(
        &mut self,
        cpu: &Cpu,
        x: &[f32],
        dy: Rows<'_>,
        write: Write,
        dw: &mut [f32],
    ) {
        match self {
            Self::Image(conv) => conv::backward_weights(cpu, conv, x, dy, write, dw),
            Self::Columns(columns) => columns.backward_weights(cpu, x, dy.data, write, dw),
        }
    }

    /// `db = Σ dy`, or `db += ..`.
    pub(crate) fn backward_bias(&self, cpu: &Cpu, dy: Rows<'_>, write: Write, db: &mut [f32]) {
        match self {
            Self::Image(conv) => {
                conv::backward_bias(cpu, conv.out_pixels(), conv.k, dy, write, db);
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
            Self::Columns(columns) => columns.maps.k,
        }
    }

    /// The image way's geometry.
    pub(crate) fn image(&self) -> Option<&Conv> {
        match self {
            Self::Image(conv) => Some(conv),
            Self::Columns(_) => None,
        }
    }

    /// The image side as channels.
    pub(crate) fn image_channels(&self) -> channel::Channels {
        match self {
            Self::Image(conv) => {
                channel::Channels { outer: conv.n * conv.h * conv.w, c: conv.c, inner: 1 }
            }
            Self::Columns(Columns { maps, image, .. }) => {
                channel::Channels { outer: maps.images, c: maps.c, inner: *image }
            }
        }
    }

    pub(crate) fn multiply_adds(&self) -> u64 {
        let (outs, weights) = match self {
            Self::Image(conv) => (conv.out_pixels(), conv.weights_len()),
            Self::Columns(c) => (c.maps.images * c.outs, c.maps.k * c.depth()),
        };
        (outs as u64).saturating_mul(weights as u64)
    }

    pub(crate) fn workspace_bytes(&self) -> usize {
        match self {
            Self::Image(_) => 0,
            Self::Columns(columns) => columns.col.len() * size_of::<f32>(),
        }
    }
}

/// The way through columns.
#[derive(Debug)]
pub(crate) struct Columns {
    maps: Maps,
    axes: Vec<Axis>,
    /// Values of one channel of an image.
    image: usize,
    /// Values of one channel of an output.
    outs: usize,
    /// Taps of the kernel.
    taps: usize,
    /// (c, taps, outs): one image, spread.
    col: Slab,
}

impl Columns {
    fn new(maps: Maps, axes: Vec<Axis>) -> Result<Self, LayerError> {
        let (kernels, outs) = (axes.iter().map(|a| a.kernel), axes.iter().map(Axis::out));
        let col = Shape::new(
            &[maps.c].into_iter().chain(kernels.clone()).chain(outs.clone()).collect::<Vec<_>>(),
        )?;
        Ok(Self {
            maps,
            image: axes.iter().map(|axis| axis.size).product(),
            outs: outs.product(),
            taps: kernels.product(),
            col: Slab::zeros(col.count()),
            axes,
        })
    }

    fn out_channels(&self) -> channel::Channels {
        channel::Channels { outer: self.maps.images, c: self.maps.k, inner: self.outs }
    }

    /// Terms of one output value.
    fn depth(&self) -> usize {
        self.maps.c / self.maps.group * self.taps
    }

    fn forward(&mut self, cpu: &Cpu, x: &[f32], weights: &[f32], y: &mut [f32]) {
        let Maps { c, k, .. } = self.maps;
        for image in 0..self.maps.images {
            let x = &x[image * c * self.image..][..c * self.image];
            im2col::im2col(cpu, c, &self.axes, x, &mut self.col);
            let y = &mut y[image * k * self.outs..][..k * self.outs];
            for group in self.groups() {
                let (col, weights) = (&self.col[group.col..], &weights[group.weights..]);
                let y = RowsMut::dense(&mut y[group.y..], self.outs);
                let (w, col) = (Mat::new(weights, group.depth), Mat::new(col, self.outs));
                gemm(cpu, group.k, self.outs, group.depth, w, col, Write::Set, y);
            }
        }
    }

    fn backward_data(&mut self, cpu: &Cpu, dy: &[f32], weights: &[f32], dx: &mut [f32]) {
        let Maps { c, k, .. } = self.maps;
        for image in 0..self.maps.images {
            let dy = &dy[image * k * self.outs..][..k * self.outs];
            for group in self.groups() {
                let (dy, weights) = (&dy[group.y..], &weights[group.weights..]);
                let col = RowsMut::dense(&mut self.col[group.col..], self.outs);
                let (w, dy) = (Mat::transposed(weights, group.depth), Mat::new(dy, self.outs));
                gemm(cpu, group.depth, self.outs, group.k, w, dy, Write::Set, col);
            }
            let dx = &mut dx[image * c * self.image..][..c * self.image];
            im2col::col2im(cpu, c, &self.axes, &self.col, dx);
        }
    }

    fn backward_weights(&mut self, cpu: &Cpu, x: &[f32], dy: &[f32], write: Write, dw: &mut [f32]) {
        let Maps { c, k, .. } = self.maps;
        if write == Write::Set {
            dw.fill(0.0);
        }
        for image in 0..self.maps.images {
            let x = &x[image * c * self.image..][..c * self.image];
            im2col::im2col(cpu, c, &self.axes, x, &mut self.col);
            let dy = &dy[image * k * self.outs..][..k * self.outs];
            for group in self.groups() {
                let (dy, col) = (&dy[group.y..], &self.col[group.col..]);
                let dw = RowsMut::dense(&mut dw[group.weights..], group.depth);
                let (dy, col) = (Mat::new(dy, self.outs), Mat::transposed(col, self.outs));
                gemm(cpu, group.k, group.depth, self.outs, dy, col, Write::Add, dw);
            }
        }
    }

    /// Where each group's operands begin.
    fn groups(&self) -> impl Iterator<Item = Group> + use<> {
        let (depth, k) = (self.depth(), self.maps.k / self.maps.group);
        let outs = self.outs;
        (0..self.maps.group).map(move |group| Group {
            depth,
            k,
            col: group * depth * outs,
            weights: group * k * depth,
            y: group * k * outs,
        })
    }
}

/// One group of a convolution.
struct Group {
    depth: usize,
    k: usize,
    col: usize,
    weights: usize,
    y: usize,
}
