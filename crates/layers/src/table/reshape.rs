//! Reshape: the same values under another shape. Caffe type `Reshape`, `reshape_param`: `shape`,
//! `axis`, `num_axes`.
//!
//! `shape` replaces `num_axes` axes (default: all) from `axis` on (default 0; negative counts from
//! the end, -1 being after the last). In it, 0 copies the bottom's size at that position and one -1
//! is whatever remains. The top is the bottom's memory.

use base::Shape;

use crate::{
    Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, TopMemory,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Reshape",
    options: "reshape_param",
    formula: "y = x under another shape",
    build,
    cases: &[
        GradientCase::image("reshape_param { shape { dim: 0 dim: -1 dim: 2 } }"),
        GradientCase {
            options: "reshape_param { shape { dim: 2 dim: 3 } axis: 1 num_axes: 1 }",
            bottoms: &[(&[2, 6, 2], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.reshape_param();
    let dims = written
        .shape()
        .dim
        .iter()
        .map(|&dim| match dim {
            0 => Ok(ReshapeDim::Copied),
            -1 => Ok(ReshapeDim::Inferred),
            _ => usize::try_from(dim)
                .map(ReshapeDim::Size)
                .map_err(|_| wrong(dim.to_string(), "sizes of at least 0, or -1".into())),
        })
        .collect::<Result<Vec<_>, _>>()?;
    if dims.iter().filter(|dim| matches!(dim, ReshapeDim::Inferred)).count() > 1 {
        return Err(wrong(format!("{:?}", written.shape().dim), "at most one -1".into()));
    }
    if written.num_axes() < -1 {
        return Err(LayerError::Option {
            option: "reshape_param.num_axes",
            got: written.num_axes().to_string(),
            want: "0 or more, or -1 for all".into(),
        });
    }
    let replaced = usize::try_from(written.num_axes()).ok();
    Ok(Box::new(ReshapeLayer { dims, axis: written.axis(), replaced }))
}

/// An invalid `shape`.
fn wrong(got: String, want: String) -> LayerError {
    LayerError::Option { option: "reshape_param.shape", got, want }
}

struct ReshapeLayer {
    dims: Vec<ReshapeDim>,
    /// As written: where the replaced axes begin.
    axis: i32,
    /// How many are replaced; `None` for all that follow.
    replaced: Option<usize>,
}

#[derive(Clone, Copy)]
enum ReshapeDim {
    Size(usize),
    Copied,
    Inferred,
}

impl ReshapeLayer {
    /// The bottom's axes that are replaced.
    fn range(&self, shape: &Shape) -> Result<std::ops::Range<usize>, LayerError> {
        // One more position than there are axes: the last is after them.
        let positions = Shape::new(&vec![1; shape.axes() + 1])?;
        let start = positions.axis(self.axis).ok_or_else(|| LayerError::Option {
            option: "reshape_param.axis",
            got: self.axis.to_string(),
            want: format!("a position in shape {shape}"),
        })?;
        let left = shape.axes() - start;
        match self.replaced.unwrap_or(left) {
            count if count <= left => Ok(start..start + count),
            count => Err(LayerError::Option {
                option: "reshape_param.num_axes",
                got: count.to_string(),
                want: format!("at most {left}, the axes from {start} on of shape {shape}"),
            }),
        }
    }
}

impl Layer for ReshapeLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let bottom = &bottoms[0];
        let range = self.range(bottom)?;
        let mut dims = bottom.dims()[..range.start].to_vec();
        let mut inferred = None;
        for (at, dim) in (range.start..).zip(&self.dims) {
            dims.push(match *dim {
                ReshapeDim::Size(size) => size,
                ReshapeDim::Copied => *bottom.dims().get(at).ok_or_else(|| {
                    wrong("0".into(), format!("a size, since shape {bottom} has no axis {at}"))
                })?,
                ReshapeDim::Inferred => {
                    inferred = Some(at);
                    1
                }
            });
        }
        dims.extend_from_slice(&bottom.dims()[range.end..]);
        let known = Shape::new(&dims)?;
        let differs =
            || wrong(format!("{known} values"), format!("as many values as the bottom, {bottom}"));
        if let Some(at) = inferred {
            let rest = bottom.count().checked_div(known.count()).ok_or_else(differs)?;
            dims[at] = rest;
        }
        let top = Shape::new(&dims)?;
        if top.count() != bottom.count() { Err(differs()) } else { Ok(vec![top]) }
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits { tops: TopMemory::BottomDataAndDiff, ..LayerTraits::default() }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        copy_forward(io);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        copy_backward(io);
        Ok(())
    }
}

/// Forward of a layer whose top is its bottom's memory, for tests that run it without a net.
pub(super) fn copy_forward(io: &mut Forward<'_>) {
    io.tops[0].data().copy_from_slice(io.bottoms[0].data());
}

/// The same for backward.
pub(super) fn copy_backward(io: &mut Backward<'_>) {
    if let Some(dx) = io.bottoms[0].diff.as_deref_mut() {
        dx.copy_from_slice(io.tops[0].diff());
    }
}

#[cfg(test)]
mod tests;
