//! The sliding window of `convolution_param`, checked, for Convolution, Deconvolution and Im2col.
//!
//! Kernel, stride, pad and dilation are written once for all spatial axes, once per axis, or as
//! `_h` and `_w` when there are two; Caffe has no `dilation_h`, the TSN fork (yjxiong) has. The
//! padding of two axes may also differ from side to side ([`SidePads`]). Spatial axes are those
//! after `axis`. Pooling shares [`WindowSizeRule`].

use base::{BLOB_VALUES_MAX, Shape};
use caffe_format::ConvolutionParameter;
use kernels::im2col::SpatialAxis;

use crate::LayerError;
use crate::repeated::once_or_each;
use crate::side_pads::SidePads;

/// How one size of a window may be written.
pub(crate) struct WindowSizeRule {
    /// The fields: for all axes, `_h`, `_w`.
    pub(crate) names: [&'static str; 3],
    /// Smallest value allowed.
    pub(crate) least: u32,
    /// When nothing is written.
    pub(crate) default: Option<u32>,
    /// When only one of `_h` and `_w` is written; `None` if both are needed.
    pub(crate) half: Option<u32>,
}

const KERNEL: WindowSizeRule = WindowSizeRule {
    names: [
        "convolution_param.kernel_size",
        "convolution_param.kernel_h",
        "convolution_param.kernel_w",
    ],
    least: 1,
    default: None,
    half: None,
};
const STRIDE: WindowSizeRule = WindowSizeRule {
    names: ["convolution_param.stride", "convolution_param.stride_h", "convolution_param.stride_w"],
    least: 1,
    default: Some(1),
    half: None,
};
const PAD: WindowSizeRule = WindowSizeRule {
    names: ["convolution_param.pad", "convolution_param.pad_h", "convolution_param.pad_w"],
    least: 0,
    default: Some(0),
    half: Some(0),
};
const DILATION: WindowSizeRule = WindowSizeRule {
    names: [
        "convolution_param.dilation",
        "convolution_param.dilation_h",
        "convolution_param.dilation_w",
    ],
    least: 1,
    default: Some(1),
    half: None,
};

const SIDE_PADS: SidePads = SidePads {
    all: "convolution_param.pad",
    sides: [
        "convolution_param.pad_l",
        "convolution_param.pad_r",
        "convolution_param.pad_t",
        "convolution_param.pad_b",
    ],
};

/// A window as written, with every value in range.
#[derive(Debug)]
pub(crate) struct WindowOptions {
    axis: i32,
    kernel: AxisSizes,
    stride: AxisSizes,
    /// Before and after the image.
    pads: [AxisSizes; 2],
    dilation: AxisSizes,
}

/// One option's values.
#[derive(Debug, Clone)]
enum AxisSizes {
    /// One for all axes, or one per axis.
    Each(&'static str, Vec<usize>),
    /// One per axis, where there are two.
    Pair(&'static str, [usize; 2]),
}

/// A window over one bottom.
#[derive(Debug)]
pub(crate) struct ConvWindow {
    /// The channel axis; the spatial axes follow it.
    pub(crate) channel: usize,
    /// The bottom's spatial axes.
    pub(crate) axes: Vec<SpatialAxis>,
}

impl WindowOptions {
    pub(crate) fn lower(p: &ConvolutionParameter) -> Result<Self, LayerError> {
        Ok(Self {
            axis: p.axis(),
            kernel: KERNEL.lower(&p.kernel_size, [p.kernel_h, p.kernel_w])?,
            stride: STRIDE.lower(&p.stride, [p.stride_h, p.stride_w])?,
            pads: pads(p)?,
            dilation: DILATION.lower(&p.dilation, [p.dilation_h, p.dilation_w])?,
        })
    }

    /// The window over a bottom.
    pub(crate) fn over(&self, bottom: &Shape) -> Result<ConvWindow, LayerError> {
        let channel = bottom.axis(self.axis).ok_or_else(|| LayerError::Option {
            option: "convolution_param.axis",
            got: self.axis.to_string(),
            want: format!("an axis of the bottom, which has shape {bottom}"),
        })?;
        let sizes = &bottom.dims()[channel + 1..];
        let n = sizes.len();
        let [kernel, stride] = [self.kernel.each(n)?, self.stride.each(n)?];
        let [pad, pad_end] = [self.pads[0].each(n)?, self.pads[1].each(n)?];
        let dilation = self.dilation.each(n)?;
        let axes = (0..n)
            .map(|i| SpatialAxis {
                size: sizes[i],
                kernel: kernel[i],
                stride: stride[i],
                pad: pad[i],
                pad_end: pad_end[i],
                dilation: dilation[i],
            })
            .collect();
        Ok(ConvWindow { channel, axes })
    }
}

/// The padding before and after the image.
fn pads(p: &ConvolutionParameter) -> Result<[AxisSizes; 2], LayerError> {
    let all = !p.pad.is_empty() || p.pad_h.is_some() || p.pad_w.is_some();
    let sides = [p.pad_l, p.pad_r, p.pad_t, p.pad_b].map(|side| side.map(i64::from));
    if let Some((option, pads)) = SIDE_PADS.lower(all, sides)? {
        return Ok(pads.map(|pad| AxisSizes::Pair(option, pad)));
    }
    let pad = PAD.lower(&p.pad, [p.pad_h, p.pad_w])?;
    Ok([pad.clone(), pad])
}

impl WindowSizeRule {
    fn lower(&self, each: &[u32], pair: [Option<u32>; 2]) -> Result<AxisSizes, LayerError> {
        let [name, h_name, _] = self.names;
        if let Some(pair) = self.pair(!each.is_empty(), pair)? {
            return Ok(AxisSizes::Pair(h_name, pair));
        }
        let each = match (each, self.default) {
            ([], None) => {
                return Err(LayerError::Missing { option: name, want: "the window's size" });
            }
            ([], Some(default)) => &[default],
            (each, _) => each,
        };
        let sizes = each.iter().map(|&size| self.check(name, size));
        Ok(AxisSizes::Each(name, sizes.collect::<Result<_, _>>()?))
    }

    /// `_h` and `_w`; `None` when neither is written. `all` says whether the size for all axes is.
    fn pair(&self, all: bool, pair: [Option<u32>; 2]) -> Result<Option<[usize; 2]>, LayerError> {
        if pair == [None, None] {
            return Ok(None);
        }
        let [name, h_name, w_name] = self.names;
        if all {
            let second = if pair[0].is_some() { h_name } else { w_name };
            let remedy = "write the size once, or as `_h` and `_w`";
            return Err(LayerError::Conflict { first: name, second, remedy });
        }
        let one = |option: &'static str, size: Option<u32>| match size.or(self.half) {
            Some(size) => self.check(option, size),
            None => Err(LayerError::Missing { option, want: "both `_h` and `_w`" }),
        };
        Ok(Some([one(h_name, pair[0])?, one(w_name, pair[1])?]))
    }

    /// The sizes on two axes, written once or as `_h` and `_w`; `None` when nothing is written.
    pub(crate) fn on_two_axes(
        &self,
        all: Option<u32>,
        pair: [Option<u32>; 2],
    ) -> Result<Option<[usize; 2]>, LayerError> {
        match (self.pair(all.is_some(), pair)?, all) {
            (None, Some(size)) => Ok(Some([self.check(self.names[0], size)?; 2])),
            (pair, _) => Ok(pair),
        }
    }

    fn check(&self, option: &'static str, size: u32) -> Result<usize, LayerError> {
        let value = size as usize;
        if size < self.least || value > BLOB_VALUES_MAX {
            let want = format!("from {} to {BLOB_VALUES_MAX}", self.least);
            return Err(LayerError::Option { option, got: size.to_string(), want });
        }
        Ok(value)
    }
}

impl AxisSizes {
    /// One value per spatial axis.
    fn each(&self, axes: usize) -> Result<Vec<usize>, LayerError> {
        match self {
            Self::Each(option, sizes) => once_or_each(option, sizes, axes, "spatial axes"),
            Self::Pair(_, sizes) if axes == 2 => Ok(sizes.to_vec()),
            Self::Pair(option, _) => Err(LayerError::Option {
                option,
                got: "written".into(),
                want: format!("nothing there: the bottom has {axes} spatial axes, not 2"),
            }),
        }
    }
}

/// Pixels from the first tap to the last; `None` when the number overflows.
pub(crate) fn extent(axis: &SpatialAxis) -> Option<usize> {
    axis.dilation.checked_mul(axis.kernel - 1)?.checked_add(1).filter(|&e| e <= BLOB_VALUES_MAX)
}

/// Number of windows along an axis; `None` when the kernel does not fit or is too large.
pub(crate) fn windows(axis: &SpatialAxis) -> Option<usize> {
    Some(room(axis)? / axis.stride + 1)
}

/// The axis with its stride limited to where it leaves the image, so that sums with it do not
/// overflow.
pub(crate) fn with_stride_in_reach(axis: SpatialAxis) -> SpatialAxis {
    let reach = room(&axis).map_or(1, |room| room + 1);
    SpatialAxis { stride: axis.stride.min(reach), ..axis }
}

/// How many pixels the window can move by.
fn room(axis: &SpatialAxis) -> Option<usize> {
    let padded = axis.size.checked_add(axis.pad)?.checked_add(axis.pad_end)?;
    padded.checked_sub(extent(axis)?)
}

#[cfg(test)]
mod tests;
