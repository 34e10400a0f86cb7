//! Convolution over any number of spatial axes: `im2col`, then a matrix product per group.

use base::Shape;
use kernels::channel;
use kernels::im2col::{self, SpatialAxis};
use kernels::{Cpu, MatrixView, StridedRowsMut, Write, gemm};

use super::ConvChannels;
use crate::LayerError;
use crate::workspace::Workspace;

/// A convolution by `im2col` and matrix products, one image after another.
#[derive(Debug)]
pub(crate) struct ColumnConv {
    pub(super) channels: ConvChannels,
    axes: Vec<SpatialAxis>,
    /// Values of one channel of an image.
    pub(super) image: usize,
    /// Values of one channel of an output.
    pub(super) outs: usize,
    /// Taps of the kernel.
    taps: usize,
    /// The columns of one image, (c, taps, outs).
    pub(super) col: Workspace,
}

impl ColumnConv {
    pub(super) fn new(channels: ConvChannels, axes: Vec<SpatialAxis>) -> Result<Self, LayerError> {
        let (kernels, outs) = (axes.iter().map(|a| a.kernel), axes.iter().map(SpatialAxis::out));
        let col = Shape::new(
            &[channels.c]
                .into_iter()
                .chain(kernels.clone())
                .chain(outs.clone())
                .collect::<Vec<_>>(),
        )?;
        let mut columns = Self {
            channels,
            image: axes.iter().map(|axis| axis.size).product(),
            outs: outs.product(),
            taps: kernels.product(),
            col: Workspace::default(),
            axes,
        };
        columns.col.declare(col.count());
        Ok(columns)
    }

    pub(super) fn out_channels(&self) -> channel::ChannelDims {
        channel::ChannelDims { outer: self.channels.images, c: self.channels.k, inner: self.outs }
    }

    /// Products that one output value sums.
    pub(super) fn depth(&self) -> usize {
        self.channels.c / self.channels.group * self.taps
    }

    pub(super) fn forward(&mut self, cpu: &Cpu, x: &[f32], weights: &[f32], y: &mut [f32]) {
        let ConvChannels { c, k, .. } = self.channels;
        for image in 0..self.channels.images {
            let x = &x[image * c * self.image..][..c * self.image];
            im2col::im2col(cpu, c, &self.axes, x, &mut self.col);
            let y = &mut y[image * k * self.outs..][..k * self.outs];
            for group in self.groups() {
                let (col, weights) = (&self.col[group.col..], &weights[group.weights..]);
                let y = StridedRowsMut::dense(&mut y[group.y..], self.outs);
                let (w, col) =
                    (MatrixView::new(weights, group.depth), MatrixView::new(col, self.outs));
                gemm(cpu, group.k, self.outs, group.depth, w, col, Write::Set, y);
            }
        }
    }

    pub(super) fn backward_data(&mut self, cpu: &Cpu, dy: &[f32], weights: &[f32], dx: &mut [f32]) {
        let ConvChannels { c, k, .. } = self.channels;
        for image in 0..self.channels.images {
            let dy = &dy[image * k * self.outs..][..k * self.outs];
            for group in self.groups() {
                let (dy, weights) = (&dy[group.y..], &weights[group.weights..]);
                let col = StridedRowsMut::dense(&mut self.col[group.col..], self.outs);
                let (w, dy) =
                    (MatrixView::transposed(weights, group.depth), MatrixView::new(dy, self.outs));
                gemm(cpu, group.depth, self.outs, group.k, w, dy, Write::Set, col);
            }
            let dx = &mut dx[image * c * self.image..][..c * self.image];
            im2col::col2im(cpu, c, &self.axes, &self.col, dx);
        }
    }

    pub(super) fn backward_weights(
        &mut self,
        cpu: &Cpu,
        x: &[f32],
        dy: &[f32],
        write: Write,
        dw: &mut [f32],
    ) {
        let ConvChannels { c, k, .. } = self.channels;
        if write == Write::Set {
            dw.fill(0.0);
        }
        for image in 0..self.channels.images {
            let x = &x[image * c * self.image..][..c * self.image];
            im2col::im2col(cpu, c, &self.axes, x, &mut self.col);
            let dy = &dy[image * k * self.outs..][..k * self.outs];
            for group in self.groups() {
                let (dy, col) = (&dy[group.y..], &self.col[group.col..]);
                let dw = StridedRowsMut::dense(&mut dw[group.weights..], group.depth);
                let (dy, col) =
                    (MatrixView::new(dy, self.outs), MatrixView::transposed(col, self.outs));
                gemm(cpu, group.k, group.depth, self.outs, dy, col, Write::Add, dw);
            }
        }
    }

    /// Where each group's operands begin.
    fn groups(&self) -> impl Iterator<Item = ConvGroup> + use<> {
        let (depth, k) = (self.depth(), self.channels.k / self.channels.group);
        let outs = self.outs;
        (0..self.channels.group).map(move |group| ConvGroup {
            depth,
            k,
            col: group * depth * outs,
            weights: group * k * depth,
            y: group * k * outs,
        })
    }
}

/// Sizes of one group of channels, and where its operands begin.
struct ConvGroup {
    depth: usize,
    k: usize,
    col: usize,
    weights: usize,
    y: usize,
}
