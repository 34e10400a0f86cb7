//! Slice: the bottom split along one axis, one range per top. Caffe type `Slice`, `slice_param`:
//! `axis` (default 1; `slice_dim` in older files), `slice_point`. Never runs in place.
//!
//! Splits at every `slice_point`, or into equal ranges when none is written. Works on both memory
//! orders.

use base::Shape;
use kernels::{StridedRows, StridedRowsMut};

use crate::axis::{AxisOption, AxisSpan, copy_rows};
use crate::{
    Arity, Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec,
    LayoutRule, TopDiff,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Slice",
    options: "slice_param",
    formula: "[y_0, y_1, ..] = x along axis",
    tops: Arity::at_least(1),
    build,
    cases: &[
        GradientCase { options: "", bottoms: &[(&[2, 6, 2, 2], BottomFill::Gaussian)], tops: 3 },
        GradientCase {
            options: "slice_param { slice_point: 1 slice_point: 3 }",
            bottoms: &[(&[2, 6, 2, 2], BottomFill::Gaussian)],
            tops: 3,
        },
        GradientCase {
            options: "slice_param { axis: 0 slice_point: 2 }",
            bottoms: &[(&[3, 2, 2, 2], BottomFill::Gaussian)],
            tops: 2,
        },
        GradientCase {
            options: "slice_param { slice_dim: 2 }",
            bottoms: &[(&[2, 3, 4], BottomFill::Gaussian)],
            tops: 2,
        },
        GradientCase { options: "", bottoms: &[(&[2, 3], BottomFill::Gaussian)], tops: 1 },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.slice_param();
    let option = AxisOption::either(
        ("slice_param.axis", written.axis),
        ("slice_param.slice_dim", written.slice_dim),
        1,
    )?;
    let points: Vec<usize> = written.slice_point.iter().map(|&point| point as usize).collect();
    if !points.is_empty() && points.len() + 1 != spec.tops {
        return Err(LayerError::Option {
            option: "slice_param.slice_point",
            got: format!("written {} times", points.len()),
            want: format!("{} times for {} tops, or not at all", spec.tops - 1, spec.tops),
        });
    }
    Ok(Box::new(SliceLayer { option, points, tops: spec.tops, axis: 0 }))
}

struct SliceLayer {
    option: AxisOption,
    points: Vec<usize>,
    tops: usize,
    axis: usize,
}

impl SliceLayer {
    /// Sizes of the tops on an axis of `size`.
    fn sizes(&self, size: usize) -> Result<Vec<usize>, LayerError> {
        let wrong =
            |got: String, want| LayerError::Option { option: "slice_param.slice_point", got, want };
        if self.points.is_empty() {
            return match size % self.tops {
                0 => Ok(vec![size / self.tops; self.tops]),
                _ => Err(wrong(
                    "not written".into(),
                    format!("slice points, since {size} is not a multiple of {} tops", self.tops),
                )),
            };
        }
        let mut sizes = Vec::with_capacity(self.tops);
        let mut start = 0;
        for &point in self.points.iter().chain([&size]) {
            if point <= start || point > size {
                return Err(wrong(
                    format!("{:?}", self.points),
                    format!("ascending numbers above 0 and below {size}, the size of the axis"),
                ));
            }
            sizes.push(point - start);
            start = point;
        }
        Ok(sizes)
    }
}

impl Layer for SliceLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        self.axis = self.option.of(shape)?;
        let sizes = self.sizes(shape.dims()[self.axis])?;
        sizes.into_iter().map(|size| Ok(shape.with(self.axis, size)?)).collect()
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let bottom = io.bottoms[0];
        let stride = AxisSpan::new(bottom.shape, bottom.layout, self.axis).outer_stride();
        let mut offset = 0;
        for top in &mut io.tops {
            let len = AxisSpan::new(top.shape, top.layout, self.axis).outer_stride();
            let from = StridedRows { data: bottom.data(), stride, offset };
            copy_rows(io.cpu, len, from, StridedRowsMut::dense(top.data(), len));
            offset += len;
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let bottom = &mut io.bottoms[0];
        let stride = AxisSpan::new(bottom.shape, bottom.layout, self.axis).outer_stride();
        let Some(dx) = bottom.diff.as_deref_mut() else { return Ok(()) };
        if io.tops.iter().any(TopDiff::is_zero) {
            dx.fill(0.0);
        }
        let mut offset = 0;
        for top in &io.tops {
            let len = AxisSpan::new(top.shape, top.layout, self.axis).outer_stride();
            if !top.is_zero() {
                let to = StridedRowsMut { data: &mut *dx, stride, offset };
                copy_rows(io.cpu, len, StridedRows::dense(top.diff(), len), to);
            }
            offset += len;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
