//! ROIPooling: the largest value of each bin of a box, for boxes of any size. Type of the Fast
//! R-CNN fork, `roi_pooling_param`: `pooled_h`, `pooled_w`, `spatial_scale`. Never runs in place.
//!
//! Bottom 1 has a box per row: image, left, top, right, bottom, in pixels of the input; multiplied
//! by `spatial_scale` and rounded they are pixels of bottom 0, both edges included. A box has at
//! least one pixel: where the edges are exchanged it is the one at its left and top. The box is
//! divided into `pooled_h` by `pooled_w` bins that together cover it; neighbours may share pixels.
//! Bins are clipped to the image, and an empty one gives 0. Boxes get no gradient.
//!
//! A box with an image that does not exist, or with edges that are not finite, is an error.

use base::{BLOB_VALUES_MAX, Shape};
use kernels::roi_pooling::{RoiBins, RoiImages, max_backward, max_forward};

use crate::regions::{RegionBox, boxes, clip, count, whole};
use crate::workspace::Workspace;
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ROIPooling",
    fork: "Fast R-CNN",
    options: "roi_pooling_param",
    formula: "y = max of each of pooled_h * pooled_w bins of each box x_1 of x_0",
    bottoms: Arity::exactly(2),
    build,
    cases: &[
        GradientCase {
            options: "roi_pooling_param { pooled_h: 2 pooled_w: 3 }",
            bottoms: &[IMAGES, (&[4, 5], BottomFill::Values(BOXES))],
            tops: 1,
        },
        GradientCase {
            options: "roi_pooling_param { pooled_h: 3 pooled_w: 2 spatial_scale: 0.5 }",
            bottoms: &[IMAGES, (&[4, 5, 1, 1], BottomFill::Values(BOXES))],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

const IMAGES: (&[usize], BottomFill) = (&[2, 3, 5, 6], BottomFill::Spread);
/// Inside, overlapping the first, beyond the image, and with exchanged edges.
const BOXES: &[f32] = &[
    1.0, 0.0, 0.0, 5.0, 4.0, //
    1.0, 1.0, 2.0, 4.0, 3.0, //
    0.0, -3.0, 2.0, 9.0, 20.0, //
    0.0, 4.0, 3.0, 2.0, 1.0, //
];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.roi_pooling_param();
    let side = |option: &'static str, size: u32| match size as usize {
        0 => Err(LayerError::Missing { option, want: "the number of bins, 1 or more" }),
        size if size > BLOB_VALUES_MAX => Err(LayerError::Option {
            option,
            got: size.to_string(),
            want: format!("at most {BLOB_VALUES_MAX}"),
        }),
        size => Ok(size),
    };
    let grid = [
        side("roi_pooling_param.pooled_h", written.pooled_h())?,
        side("roi_pooling_param.pooled_w", written.pooled_w())?,
    ];
    let scale = check_scale("roi_pooling_param.spatial_scale", written.spatial_scale())?;
    let images = RoiImages { n: 0, c: 0, h: 0, w: 0 };
    let (bins, mask) = (RoiBins::default(), Workspace::default());
    Ok(Box::new(RoiPoolingLayer { grid, scale, images, boxes: 0, bins, mask }))
}

/// A scale from pixels of the input to pixels of the bottom.
pub(super) fn check_scale(option: &'static str, scale: f32) -> Result<f32, LayerError> {
    if scale > 0.0 && scale.is_finite() {
        return Ok(scale);
    }
    let (got, want) = (scale.to_string(), "a positive number".into());
    Err(LayerError::Option { option, got, want })
}

struct RoiPoolingLayer {
    /// Bins down and across.
    grid: [usize; 2],
    scale: f32,
    images: RoiImages,
    /// How many boxes there are.
    boxes: usize,
    bins: RoiBins,
    /// The pixel that each output was taken from.
    mask: Workspace<Vec<u32>>,
}

/// The bins of a box along one axis, in the fork's f32 arithmetic.
#[derive(Debug, Clone, Copy)]
struct MaxBins {
    start: i64,
    /// Pixels per bin.
    step: f32,
    size: usize,
}

impl MaxBins {
    fn new(region: &RegionBox, axis: usize, scale: f32, bins: usize, size: usize) -> Self {
        let [start, end] =
            [region.start, region.end].map(|edges| whole((edges[axis] * scale).round()));
        let extent = (end - start + 1).max(1);
        Self { start, step: extent as f32 / bins as f32, size }
    }

    fn bin(&self, index: usize) -> std::ops::Range<usize> {
        let start = whole((index as f32 * self.step).floor());
        let end = whole(((index + 1) as f32 * self.step).ceil());
        clip(self.start + start, self.start + end, self.size)
    }
}

impl Layer for RoiPoolingLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let [n, c, h, w] = bottoms[0].nchw().ok_or_else(|| LayerError::Bottom {
            index: 0,
            got: bottoms[0].clone(),
            want: "4 axes".into(),
        })?;
        let [down, across] = self.grid;
        let top = Shape::new(&[count(1, &bottoms[1])?, c, down, across])?;
        self.images = RoiImages { n, c, h, w };
        // Without channels any grid would fit, and its table need not.
        self.boxes = if top.count() == 0 { 0 } else { top.dims()[0] };
        self.mask.declare(top.count());
        Ok(vec![top])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let RoiImages { n, h, w, .. } = self.images;
        for (at, region) in boxes(io.bottoms[1].data(), n).enumerate().take(self.boxes) {
            let region = region?;
            let axis = |axis, size| MaxBins::new(&region, axis, self.scale, self.grid[axis], size);
            let axes = [axis(0, h), axis(1, w)];
            self.bins.place(at, region.image, |axis, index| axes[axis].bin(index));
        }
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        max_forward(io.cpu, &self.images, &self.bins, x, (y, &mut self.mask));
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        max_backward(io.cpu, &self.images, &self.bins, (io.tops[0].diff(), &self.mask), dx);
        Ok(())
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn allocate(&mut self) {
        self.bins = RoiBins::new(self.boxes, self.grid);
        self.mask.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.mask.bytes() + RoiBins::table_bytes(self.boxes, self.grid)
    }
}

#[cfg(test)]
mod tests;
