//! Axes as options name them, and their place in memory.

use base::{AXES_MAX, Shape};
use kernels::{Cpu, StridedRows, StridedRowsMut};
use tensor::Layout;

use crate::LayerError;

/// An axis as written; negative ones count from the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AxisOption {
    /// The field, for errors.
    option: &'static str,
    written: i32,
}

impl AxisOption {
    /// The value of field `option`.
    pub(crate) fn new(option: &'static str, written: i32) -> Self {
        Self { option, written }
    }

    /// `axis`, or the unsigned field of older files that it replaced; `default` when neither is
    /// written.
    pub(crate) fn either(
        (option, axis): (&'static str, Option<i32>),
        (older, dim): (&'static str, Option<u32>),
        default: i32,
    ) -> Result<Self, LayerError> {
        match (axis, dim) {
            (Some(_), Some(_)) => {
                Err(LayerError::Conflict { first: option, second: older, remedy: "keep `axis`" })
            }
            // A number too large for i32 is no axis of any blob; `of` reports it.
            (None, Some(dim)) => Ok(Self::new(older, i32::try_from(dim).unwrap_or(i32::MAX))),
            (axis, None) => Ok(Self::new(option, axis.unwrap_or(default))),
        }
    }

    /// The index of this axis in `shape`.
    pub(crate) fn of(self, shape: &Shape) -> Result<usize, LayerError> {
        shape.axis(self.written).ok_or_else(|| LayerError::Option {
            option: self.option,
            got: self.written.to_string(),
            want: format!("one of the {} axes of shape {shape}", shape.axes()),
        })
    }
}

/// A blob in memory, seen from one axis: `outer` times `size` times `inner` values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AxisSpan {
    pub(crate) outer: usize,
    pub(crate) size: usize,
    pub(crate) inner: usize,
}

impl AxisSpan {
    /// `axis` counts in Caffe's order; `layout` says where it is in memory.
    pub(crate) fn new(shape: &Shape, layout: Layout, axis: usize) -> Self {
        let order = memory_order(shape, layout);
        let at = order.iter().position(|&a| a == axis).expect("an axis of this shape");
        let count = |axes: &[usize]| axes.iter().map(|&a| shape.dims()[a]).product();
        Self {
            outer: count(&order[..at]),
            size: shape.dims()[axis],
            inner: count(&order[at + 1..]),
        }
    }

    /// Contiguous values per outer index.
    pub(crate) fn outer_stride(self) -> usize {
        self.size * self.inner
    }
}

/// Sizes (n, c, h, w) of bottom 0 of a layer that takes only images.
pub(crate) fn image(shape: &Shape) -> Result<[usize; 4], LayerError> {
    shape.nchw().filter(|dims| !dims.contains(&0)).ok_or_else(|| LayerError::Bottom {
        index: 0,
        got: shape.clone(),
        want: "4 axes, none of them empty".into(),
    })
}

/// Caffe's axes in memory order, outermost first.
pub(crate) fn memory_order(shape: &Shape, layout: Layout) -> &'static [usize] {
    match layout {
        Layout::ChannelsLast if shape.axes() == 4 => &[0, 2, 3, 1],
        _ => &CAFFE_ORDER[..shape.axes()],
    }
}

/// 0, 1, 2, ...: the axes of every row-major blob begin like this.
const CAFFE_ORDER: [usize; AXES_MAX] = {
    let (mut order, mut axis) = ([0; AXES_MAX], 0);
    while axis < AXES_MAX {
        order[axis] = axis;
        axis += 1;
    }
    order
};

/// Floats that one task copies.
const TASK_FLOATS: usize = 1 << 14;

/// Copies the first `len` values of every row of `from` to the rows of `to`.
pub(crate) fn copy_rows(cpu: &Cpu, len: usize, from: StridedRows<'_>, to: StridedRowsMut<'_>) {
    let StridedRowsMut { data, stride, offset } = to;
    if len == 0 || data.is_empty() {
        return;
    }
    let rows = (TASK_FLOATS / stride).max(1);
    cpu.run_blocks(data, rows * stride, |task, to| {
        for (row, to) in to.chunks_exact_mut(stride).enumerate() {
            let at = (task * rows + row) * from.stride + from.offset;
            to[offset..][..len].copy_from_slice(&from.data[at..][..len]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{AxisOption, AxisSpan};
    use base::Shape;
    use tensor::Layout;

    #[test]
    fn channels_are_the_innermost_axis_of_an_image_that_is_channels_last() {
        let shape = Shape::new(&[2, 3, 4, 5]).unwrap();
        let span = |layout, axis| {
            let AxisSpan { outer, size, inner } = AxisSpan::new(&shape, layout, axis);
            [outer, size, inner]
        };
        assert_eq!(span(Layout::RowMajor, 1), [2, 3, 20]);
        assert_eq!(span(Layout::ChannelsLast, 1), [40, 3, 1]);
        assert_eq!(span(Layout::ChannelsLast, 2), [2, 4, 15]);
        assert_eq!(span(Layout::ChannelsLast, 0), [1, 2, 60]);
        let flat = Shape::new(&[6, 7]).unwrap();
        assert_eq!(
            AxisSpan::new(&flat, Layout::ChannelsLast, 1),
            AxisSpan { outer: 6, size: 7, inner: 1 }
        );
    }

    #[test]
    fn an_axis_out_of_range_names_its_field() {
        let shape = Shape::new(&[2, 3]).unwrap();
        let error = AxisOption::new("concat_param.axis", -3).of(&shape).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`concat_param.axis` is -3, expected one of the 2 axes of shape 2 3 (6)"
        );
    }
}
