//! Im2col: the windows of an image as columns, `y[c · taps, outs] = x` at that tap of that window.
//! Caffe type `Im2col`, `convolution_param`: `kernel_size`, `stride`, `pad`, `dilation`, `axis`.
//! Never runs in place.

use base::Shape;
use kernels::im2col::{self, SpatialAxis};

use crate::window::{WindowOptions, windows, with_stride_in_reach};
use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Im2col",
    options: "convolution_param",
    formula: "y = the windows of x as columns",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase::image("convolution_param { kernel_size: 3 stride: 2 pad: 1 }"),
        GradientCase::image("convolution_param { kernel_h: 2 kernel_w: 3 dilation: 2 axis: 1 }"),
        GradientCase::image(
            "convolution_param { kernel_size: 2 pad_l: 1 pad_t: 2 dilation_h: 2 dilation_w: 1 }",
        ),
        GradientCase {
            options: "convolution_param { kernel_size: 2 }",
            bottoms: &[(&[2, 2, 4], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let options = WindowOptions::lower(spec.layer.convolution_param())?;
    Ok(Box::new(Im2colLayer { options, channels: 0, axes: Vec::new() }))
}

struct Im2colLayer {
    options: WindowOptions,
    channels: usize,
    axes: Vec<SpatialAxis>,
}

impl Layer for Im2colLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let window = self.options.over(&bottoms[0])?;
        let wrong = |want: &str| {
            let (index, got, want) = (0, bottoms[0].clone(), want.into());
            LayerError::Bottom { index, got, want }
        };
        if window.axes.is_empty() {
            return Err(wrong("spatial axes after the channels"));
        }
        let outs: Option<Vec<_>> = window.axes.iter().map(windows).collect();
        let outs = outs.ok_or_else(|| wrong("spatial axes that hold the kernel when padded"))?;
        self.channels = bottoms[0].dims()[window.channel];
        let column: Vec<_> =
            [self.channels].into_iter().chain(window.axes.iter().map(|a| a.kernel)).collect();
        let rows = Shape::new(&column)?.count();
        let before = bottoms[0].dims()[..window.channel].iter().copied();
        let top = Shape::new(&before.chain([rows]).chain(outs).collect::<Vec<_>>())?;
        self.axes = window.axes.into_iter().map(with_stride_in_reach).collect();
        Ok(vec![top])
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        let [image, column] = self.lengths();
        for (x, y) in x.chunks_exact(image).zip(y.chunks_exact_mut(column)) {
            im2col::im2col(io.cpu, self.channels, &self.axes, x, y);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let dy = io.tops[0].diff();
        let [image, column] = self.lengths();
        if let Some(dx) = io.bottoms[0].diff.as_deref_mut() {
            for (dy, dx) in dy.chunks_exact(column).zip(dx.chunks_exact_mut(image)) {
                im2col::col2im(io.cpu, self.channels, &self.axes, dy, dx);
            }
        }
        Ok(())
    }
}

impl Im2colLayer {
    /// Values per image and per image's columns, each at least 1.
    fn lengths(&self) -> [usize; 2] {
        let image: usize = self.axes.iter().map(|axis| axis.size).product();
        let column: usize = self.axes.iter().map(|axis| axis.kernel * axis.out()).product();
        [image, column].map(|len| (self.channels * len).max(1))
    }
}
