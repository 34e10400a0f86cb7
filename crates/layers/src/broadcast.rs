//! How Scale and Bias apply a smaller blob along the axes of a larger one, from `axis` on.

use base::Shape;
use kernels::channel::ChannelDims;
use tensor::Layout;

use crate::axis::AxisOption;
use crate::{LayerError, LayoutRule};

/// `axis` and `num_axes` as written.
#[derive(Debug)]
pub(crate) struct Broadcast {
    pub(crate) axis: AxisOption,
    /// The name of the field `num_axes`, and its value: -1 for all axes from `axis` on.
    pub(crate) num_axes: (&'static str, i32),
}

/// A blob that fits the axes of another.
#[derive(Debug)]
pub(crate) struct BroadcastFit {
    /// The smaller blob's shape.
    pub(crate) shape: Shape,
    rule: LayoutRule,
    /// The larger blob in Caffe's order.
    channels: ChannelDims,
}

impl Broadcast {
    /// The smaller blob as a param of the layer.
    pub(crate) fn param(&self, bottom: &Shape) -> Result<BroadcastFit, LayerError> {
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

    /// The smaller blob as bottom 1.
    pub(crate) fn bottom(&self, bottoms: &[Shape]) -> Result<BroadcastFit, LayerError> {
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
        let by_channel = axis == 1 && shape.axes() == 1;
        let rule = if single || by_channel { LayoutRule::Same } else { otherwise };
        let axis = if single { 0 } else { axis };
        let channels = ChannelDims {
            outer: bottom.count_to(axis),
            c: shape.count(),
            inner: bottom.count_from(axis + shape.axes()),
        };
        Self { shape, rule, channels }
    }

    /// Whether the smaller blob has one value per channel (axis 1).
    pub(crate) fn by_channel(&self, bottom: &Shape) -> bool {
        self.shape.axes() == 1 && self.channels.outer == bottom.count_to(1) && bottom.axes() > 1
    }

    /// Memory orders in which the smaller blob can be applied.
    pub(crate) fn layouts(&self) -> LayoutRule {
        self.rule
    }

    /// The larger blob, of `shape`, in memory order.
    pub(crate) fn in_memory(&self, shape: &Shape, layout: Layout) -> ChannelDims {
        let ChannelDims { outer, c, inner } = self.channels;
        if layout == Layout::ChannelsLast && shape.axes() == 4 && self.shape.axes() == 1 {
            return ChannelDims { outer: outer * inner, c, inner: 1 };
        }
        self.channels
    }
}
