//! How Scale and Bias apply a smaller blob along the axes of a larger one, from `axis` on.

use base::Shape;
use kernels::Write;
use kernels::channel::ChannelDims;
use tensor::Layout;

use crate::axis::AxisOption;
use crate::{BottomDiff, LayerError, LayoutRule, ParamGradient};

/// The options, and the operand's shape once the bottoms are known.
#[derive(Debug)]
pub(crate) struct Broadcast {
    axis: AxisOption,
    /// The name of the field `num_axes`, and its value: -1 for all axes from `axis` on.
    num_axes: (&'static str, i32),
    operand: BroadcastOperand,
    fit: Option<BroadcastFit>,
}

/// Where the smaller blob comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BroadcastOperand {
    /// It is param 0.
    Param,
    /// It is bottom 1.
    Bottom,
}

/// The smaller blob along the axes of the larger one.
#[derive(Debug)]
struct BroadcastFit {
    /// The smaller blob's shape.
    shape: Shape,
    rule: LayoutRule,
    /// The larger blob in Caffe's order.
    channels: ChannelDims,
    /// Whether the smaller blob has one value per channel (axis 1).
    by_channel: bool,
}

impl Broadcast {
    /// For a layer with this many bottoms: a second one is the operand.
    pub(crate) fn new(axis: AxisOption, num_axes: (&'static str, i32), bottoms: usize) -> Self {
        let operand = if bottoms == 1 { BroadcastOperand::Param } else { BroadcastOperand::Bottom };
        Self { axis, num_axes, operand, fit: None }
    }

    /// The tops' shapes.
    pub(crate) fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.fit = Some(match self.operand {
            BroadcastOperand::Param => self.param(&bottoms[0])?,
            BroadcastOperand::Bottom => self.bottom(bottoms)?,
        });
        Ok(vec![bottoms[0].clone()])
    }

    fn fit(&self) -> &BroadcastFit {
        self.fit.as_ref().expect("reshape comes first")
    }

    /// The smaller blob's shape.
    pub(crate) fn shape(&self) -> &Shape {
        &self.fit().shape
    }

    /// Whether the smaller blob has one value per channel (axis 1).
    pub(crate) fn by_channel(&self) -> bool {
        self.fit().by_channel
    }

    /// Memory orders in which the smaller blob can be applied.
    pub(crate) fn layouts(&self) -> LayoutRule {
        self.fit().rule
    }

    /// The larger blob, of `shape`, in memory order.
    pub(crate) fn dims(&self, shape: &Shape, layout: Layout) -> ChannelDims {
        let BroadcastFit { shape: smaller, channels, .. } = self.fit();
        let &ChannelDims { outer, c, inner } = channels;
        if layout == Layout::ChannelsLast && shape.axes() == 4 && smaller.axes() == 1 {
            return ChannelDims { outer: outer * inner, c, inner: 1 };
        }
        *channels
    }

    /// Calls `add` with where the gradient of the smaller blob goes, if anyone wants it.
    pub(crate) fn backward_operand(
        &self,
        gradients: &mut [Option<ParamGradient<'_>>],
        others: &mut [BottomDiff<'_>],
        add: impl FnOnce(Write, &mut [f32]),
    ) {
        match self.operand {
            BroadcastOperand::Param => {
                if let Some(ParamGradient { values, write }) = &mut gradients[0] {
                    add(*write, values);
                }
            }
            BroadcastOperand::Bottom => {
                if let Some(values) = others[0].diff.as_deref_mut() {
                    add(Write::Set, values);
                }
            }
        }
    }

    fn param(&self, bottom: &Shape) -> Result<BroadcastFit, LayerError> {
        let axis = self.axis.of(bottom)?;
        let (option, written) = self.num_axes;
        let rest = bottom.axes() - axis;
        let axes = if written == -1 { Some(rest) } else { usize::try_from(written).ok() };
        let axes = axes.filter(|&axes| axes <= rest).ok_or_else(|| LayerError::Option {
            option,
            got: written.to_string(),
            want: format!("-1, or at most the {rest} axes of {bottom} from axis {axis} on"),
        })?;
        let shape = Shape::new(&bottom.dims()[axis..][..axes])?;
        Ok(BroadcastFit::new(bottom, shape, axis, LayoutRule::RowMajor))
    }

    fn bottom(&self, bottoms: &[Shape]) -> Result<BroadcastFit, LayerError> {
        let shape = bottoms[1].clone();
        // A scalar fits any axis.
        let axis = if shape.axes() == 0 { 0 } else { self.axis.of(&bottoms[0])? };
        if !bottoms[0].dims()[axis..].starts_with(shape.dims()) {
            let want = format!("the sizes of {} from axis {axis} on", bottoms[0]);
            return Err(LayerError::Bottom { index: 1, got: shape, want });
        }
        let same = shape == bottoms[0]; // then both are in the same memory order
        let otherwise = if same { LayoutRule::Same } else { LayoutRule::RowMajor };
        Ok(BroadcastFit::new(&bottoms[0], shape, axis, otherwise))
    }
}

impl BroadcastFit {
    fn new(bottom: &Shape, shape: Shape, axis: usize, otherwise: LayoutRule) -> Self {
        let single = shape.axes() == 0;
        let along_channels = axis == 1 && shape.axes() == 1;
        let rule = if single || along_channels { LayoutRule::Same } else { otherwise };
        let axis = if single { 0 } else { axis };
        let channels = ChannelDims {
            outer: bottom.count_to(axis),
            c: shape.count(),
            inner: bottom.count_from(axis + shape.axes()),
        };
        let by_channel =
            shape.axes() == 1 && channels.outer == bottom.count_to(1) && bottom.axes() > 1;
        Self { shape, rule, channels, by_channel }
    }
}
