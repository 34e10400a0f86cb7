//! Crop: a window of bottom 0 with the sizes of bottom 1. Caffe type `Crop`, `crop_param`: `axis`
//! (default 2), `offset`. Never runs in place.
//!
//! All axes from `axis` on are cropped. The window begins at `offset`, which is written once for
//! all cropped axes, once for each, or not at all for 0. Works on both memory orders. Of bottom 1
//! only the shape matters.

use base::Shape;
use tensor::Layout;

use crate::axis::{AxisOption, memory_order};
use crate::repeated::once_or_each;
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, LayoutRule, Top,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Crop",
    options: "crop_param",
    formula: "y = x_0[offset..offset + sizes of x_1] on the axes from axis on",
    bottoms: Arity::exactly(2),
    build,
    cases: &[
        GradientCase { options: "", bottoms: IMAGES, tops: 1 },
        GradientCase { options: "crop_param { offset: 1 }", bottoms: IMAGES, tops: 1 },
        GradientCase { options: "crop_param { offset: 0 offset: 2 }", bottoms: IMAGES, tops: 1 },
        GradientCase { options: "crop_param { axis: 1 offset: 1 }", bottoms: IMAGES, tops: 1 },
        GradientCase {
            options: "crop_param { axis: -1 offset: 3 }",
            bottoms: &[(&[2, 5], BottomFill::Gaussian), (&[7, 2], BottomFill::Binary)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

const IMAGES: &[(&[usize], BottomFill)] =
    &[(&[2, 3, 4, 5], BottomFill::Gaussian), (&[2, 2, 2, 3], BottomFill::Binary)];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.crop_param();
    Ok(Box::new(CropLayer {
        option: AxisOption::new("crop_param.axis", written.axis()),
        written: written.offset.iter().map(|&offset| offset as usize).collect(),
        offsets: Vec::new(),
    }))
}

struct CropLayer {
    option: AxisOption,
    /// `offset` as written.
    written: Vec<usize>,
    /// One per axis of the bottom.
    offsets: Vec<usize>,
}

impl CropLayer {
    /// Calls `copy(start in x, start in y, length)` for every contiguous row of the window.
    fn each_row(
        &self,
        x: &Shape,
        y: &Shape,
        layout: Layout,
        mut copy: impl FnMut(usize, usize, usize),
    ) {
        let order = memory_order(x, layout);
        let Some((&last, outer)) = order.split_last() else { return };
        let len = y.dims()[last];
        let rows: usize = outer.iter().map(|&axis| y.dims()[axis]).product();
        for row in 0..rows {
            let (mut rest, mut stride) = (row, x.dims()[last]);
            let mut start = self.offsets[last];
            for &axis in outer.iter().rev() {
                start += (rest % y.dims()[axis] + self.offsets[axis]) * stride;
                rest /= y.dims()[axis];
                stride *= x.dims()[axis];
            }
            copy(start, row * len, len);
        }
    }
}

impl Layer for CropLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let [from, like] = bottoms else { unreachable!("the net counts bottoms") };
        let axis = self.option.of(from)?;
        if like.axes() != from.axes() {
            return Err(LayerError::Bottom {
                index: 1,
                got: like.clone(),
                want: format!("{} axes, as bottom 0 has", from.axes()),
            });
        }
        let mut dims = from.dims().to_vec();
        self.offsets = vec![0; dims.len()];
        let cropped = match self.written[..] {
            [] => vec![0; dims.len() - axis],
            ref written => {
                let axes = dims.len() - axis;
                once_or_each("crop_param.offset", written, axes, "cropped axes")?
            }
        };
        for (a, offset) in (axis..).zip(cropped) {
            let size = like.dims()[a];
            if offset.checked_add(size).is_none_or(|end| end > dims[a]) {
                return Err(LayerError::Option {
                    option: "crop_param.offset",
                    got: format!("{offset} on axis {a}"),
                    want: format!(
                        "at most {}, which leaves {size} values",
                        dims[a].saturating_sub(size)
                    ),
                });
            }
            (self.offsets[a], dims[a]) = (offset, size);
        }
        Ok(vec![Shape::new(&dims)?])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (bottom, Top { shape, slab: y, .. }) = (io.bottoms[0], &mut io.tops[0]);
        self.each_row(bottom.shape, shape, bottom.layout, |from, to, len| {
            y[to..][..len].copy_from_slice(&bottom.data()[from..][..len]);
        });
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        let (bottom, top) = (&mut io.bottoms[0], &io.tops[0]);
        let Some(dx) = bottom.diff.as_deref_mut() else { return Ok(()) };
        self.each_row(bottom.shape, top.shape, bottom.layout, |to, from, len| {
            dx[to..][..len].copy_from_slice(&top.diff()[from..][..len]);
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
