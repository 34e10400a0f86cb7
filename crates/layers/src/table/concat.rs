//! Concat: the bottoms joined along one axis. Caffe type `Concat`, `concat_param`: `axis` (default
//! 1; `concat_dim` in older files), the only axis on which bottoms may differ. Never runs in place.
//!
//! Works on both memory orders. Channels-last, a pixel's channels are one row of the top, and the
//! bottoms can be written into it directly.

use base::Shape;
use kernels::{StridedRows, StridedRowsMut};

use crate::axis::{AxisOption, AxisSpan, copy_rows};
use crate::{
    Arity, Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, LayoutRule, TopMemory,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Concat",
    options: "concat_param",
    formula: "y = [x_0, x_1, ..] along axis",
    bottoms: Arity::at_least(1),
    build,
    cases: &[
        GradientCase { options: "", bottoms: IMAGES, tops: 1 },
        GradientCase {
            options: "concat_param { axis: 0 }",
            bottoms: &[
                (&[2, 3, 2, 4], BottomFill::Gaussian),
                (&[1, 3, 2, 4], BottomFill::Gaussian),
            ],
            tops: 1,
        },
        GradientCase {
            options: "concat_param { axis: -1 }",
            bottoms: &[
                (&[2, 3, 2, 4], BottomFill::Gaussian),
                (&[2, 3, 2, 1], BottomFill::Gaussian),
            ],
            tops: 1,
        },
        GradientCase {
            options: "concat_param { concat_dim: 1 }",
            bottoms: &[(&[3, 2], BottomFill::Gaussian), (&[3, 4], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase { options: "", bottoms: &[(&[2, 3], BottomFill::Gaussian)], tops: 1 },
    ],
    ..LayerKind::UNARY
};

const IMAGES: &[(&[usize], BottomFill)] = &[
    (&[2, 3, 2, 2], BottomFill::Gaussian),
    (&[2, 1, 2, 2], BottomFill::Gaussian),
    (&[2, 2, 2, 2], BottomFill::Gaussian),
];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.concat_param();
    let option = AxisOption::either(
        ("concat_param.axis", written.axis),
        ("concat_param.concat_dim", written.concat_dim),
        1,
    )?;
    Ok(Box::new(ConcatLayer { option, axis: 0 }))
}

struct ConcatLayer {
    option: AxisOption,
    axis: usize,
}

impl Layer for ConcatLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let first = &bottoms[0];
        self.axis = self.option.of(first)?;
        let mut size = 0;
        for (index, shape) in bottoms.iter().enumerate() {
            let alike = shape.axes() == first.axes()
                && (0..first.axes()).all(|a| a == self.axis || shape.dims()[a] == first.dims()[a]);
            if !alike {
                return Err(LayerError::Bottom {
                    index,
                    got: shape.clone(),
                    want: format!("{first} on all axes but {}", self.axis),
                });
            }
            size += shape.dims()[self.axis];
        }
        Ok(vec![first.with(self.axis, size)?])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn traits(&self) -> LayerTraits {
        let tops = if self.axis == 1 { TopMemory::JoinedChannels } else { TopMemory::Own };
        LayerTraits { tops, ..LayerTraits::default() }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let top = &mut io.tops[0];
        let stride = AxisSpan::new(top.shape, top.layout, self.axis).outer_stride();
        let mut offset = 0;
        for bottom in &io.bottoms {
            let len = AxisSpan::new(bottom.shape, bottom.layout, self.axis).outer_stride();
            let to = StridedRowsMut { data: top.data(), stride, offset };
            copy_rows(io.cpu, len, StridedRows::dense(bottom.data(), len), to);
            offset += len;
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let top = &io.tops[0];
        let stride = AxisSpan::new(top.shape, top.layout, self.axis).outer_stride();
        let mut offset = 0;
        for bottom in &mut io.bottoms {
            let len = AxisSpan::new(bottom.shape, bottom.layout, self.axis).outer_stride();
            if let Some(dx) = bottom.diff.as_deref_mut() {
                let from = StridedRows { data: top.diff(), stride, offset };
                copy_rows(io.cpu, len, from, StridedRowsMut::dense(dx, len));
            }
            offset += len;
        }
        Ok(())
    }
}
