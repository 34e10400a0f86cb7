//! PSROIPooling, position-sensitive: the mean of each bin of a box, each taken from channels of its
//! own. Type of the R-FCN fork, `psroi_pooling_param`: `output_dim`, `group_size`, `spatial_scale`,
//! all required. Never runs in place.
//!
//! Bottom 0 has `output_dim · group_size^2` channels. Output `(k, i, j)` of a box is the mean of
//! channel `(k · group_size + i) · group_size + j` over bin `(i, j)` of `group_size` by
//! `group_size`. Bottom 1 has a box per row: image, left, top, right, bottom, in pixels of the
//! input, rounded, both edges included, then multiplied by `spatial_scale`. A box is at least 0.1
//! pixels wide and high: where the edges are exchanged, at its left and top. Bins reach from the
//! pixel they begin in to the pixel they end in, clipped to the image; an empty one gives 0. Boxes
//! get no gradient.
//!
//! A box with an image that does not exist, or with edges that are not finite, is an error.

use base::{BLOB_VALUES_MAX, Shape};
use kernels::roi_pooling::{RoiBins, RoiImages, mean_backward, mean_forward};

use super::roi_pooling::check_scale;
use crate::regions::{RegionBox, boxes, clip, count, whole};
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "PSROIPooling",
    fork: "R-FCN",
    options: "psroi_pooling_param",
    formula: "y = mean of each of group_size^2 bins of each box x_1 of x_0, a channel per bin",
    bottoms: Arity::exactly(2),
    build,
    cases: &[
        GradientCase {
            options: "psroi_pooling_param { output_dim: 2 group_size: 2 spatial_scale: 1.0 }",
            bottoms: &[(&[2, 8, 5, 6], BottomFill::Gaussian), (&[4, 5], BottomFill::Values(BOXES))],
            tops: 1,
        },
        GradientCase {
            options: "psroi_pooling_param { output_dim: 1 group_size: 3 spatial_scale: 0.3 }",
            bottoms: &[
                (&[2, 9, 3, 4], BottomFill::Gaussian),
                (&[4, 5, 1, 1], BottomFill::Values(BOXES)),
            ],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

/// Inside, overlapping the first, beyond the image, and with exchanged edges.
const BOXES: &[f32] = &[
    1.0, 0.0, 0.0, 5.0, 4.0, //
    1.0, 1.0, 2.0, 4.0, 3.0, //
    0.0, -3.0, 2.0, 9.0, 20.0, //
    0.0, 4.0, 3.0, 2.0, 1.0, //
];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.psroi_pooling_param();
    let output_dim = size("psroi_pooling_param.output_dim", written.output_dim)?;
    let group = size("psroi_pooling_param.group_size", written.group_size)?;
    let option = "psroi_pooling_param.spatial_scale";
    let want = "pixels of bottom 0 per pixel of the input";
    let scale = written.spatial_scale.ok_or(LayerError::Missing { option, want })?;
    let scale = check_scale(option, scale)?;
    let images = RoiImages { n: 0, c: 0, h: 0, w: 0 };
    let (boxes, bins) = (0, RoiBins::default());
    Ok(Box::new(PsRoiPoolingLayer { output_dim, group, scale, images, boxes, bins }))
}

fn size(option: &'static str, size: Option<i32>) -> Result<usize, LayerError> {
    let size = size.ok_or(LayerError::Missing { option, want: "1 or more" })?;
    match usize::try_from(size) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(LayerError::Option {
            option,
            got: size.to_string(),
            want: format!("from 1 to {BLOB_VALUES_MAX}"),
        }),
    }
}

struct PsRoiPoolingLayer {
    output_dim: usize,
    /// Bins on each side.
    group: usize,
    scale: f32,
    images: RoiImages,
    /// How many boxes there are.
    boxes: usize,
    bins: RoiBins,
}

/// The bins of a box along one axis, in the fork's f32 arithmetic.
#[derive(Debug, Clone, Copy)]
struct MeanBins {
    start: f32,
    /// Pixels per bin.
    step: f32,
    size: usize,
}

impl MeanBins {
    fn new(region: &RegionBox, axis: usize, scale: f32, bins: usize, size: usize) -> Self {
        let start = region.start[axis].round() * scale;
        let end = (region.end[axis].round() + 1.0) * scale;
        Self { start, step: (end - start).max(0.1) / bins as f32, size }
    }

    fn bin(&self, index: usize) -> std::ops::Range<usize> {
        let start = (index as f32 * self.step + self.start).floor();
        let end = ((index + 1) as f32 * self.step + self.start).ceil();
        clip(whole(start), whole(end), self.size)
    }
}

impl Layer for PsRoiPoolingLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let top = Shape::new(&[count(1, &bottoms[1])?, self.output_dim, self.group, self.group])?;
        let channels = top.count_from(1);
        let [n, c, h, w] = match bottoms[0].nchw() {
            Some(dims) if dims[1] == channels => dims,
            _ => {
                return Err(LayerError::Bottom {
                    index: 0,
                    got: bottoms[0].clone(),
                    want: format!(
                        "4 axes and {channels} channels, output_dim times group_size squared"
                    ),
                });
            }
        };
        self.images = RoiImages { n, c, h, w };
        self.boxes = top.dims()[0];
        Ok(vec![top])
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let RoiImages { n, h, w, .. } = self.images;
        for (at, region) in boxes(io.bottoms[1].data(), n).enumerate() {
            let region = region?;
            let axis = |axis, size| MeanBins::new(&region, axis, self.scale, self.group, size);
            let axes = [axis(0, h), axis(1, w)];
            self.bins.place(at, region.image, |axis, index| axes[axis].bin(index));
        }
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        mean_forward(io.cpu, &self.images, &self.bins, x, y);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        mean_backward(io.cpu, &self.images, &self.bins, io.tops[0].diff(), dx);
        Ok(())
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn allocate(&mut self) {
        self.bins = RoiBins::new(self.boxes, [self.group; 2]);
    }

    fn workspace_bytes(&self) -> usize {
        RoiBins::table_bytes(self.boxes, [self.group; 2])
    }
}

#[cfg(test)]
mod tests;
