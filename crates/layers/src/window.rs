//! The sliding window of `convolution_param`, checked: Convolution, Deconvolution and Im2col share
//! it.
//!
//! Kernel, stride, pad and dilation are written once for all spatial axes or once per axis; all but
//! dilation also as `_h` and `_w` when there are two. Spatial axes are those behind `axis`.

use base::{BLOB_VALUES_MAX, Shape};
use caffe_format::ConvolutionParameter;
use kernels::im2col::SpatialAxis;

use crate::LayerError;

/// How one option may be written.
struct SizeRule {
    /// For all axes, for `_h`, for `_w`.
    names: [&'static str; 3],
    /// Smallest value that makes sense.
    least: u32,
    /// When nothing is written.
    default: Option<u32>,
    /// When only one of `_h` and `_w` is written.
    half: Option<u32>,
}

const KERNEL: SizeRule = SizeRule {
    names: [
        "convolution_param.kernel_size",
        "convolution_param.kernel_h",
        "convolution_param.kernel_w",
    ],
    least: 1,
    default: None,
    half: None,
};
const STRIDE: SizeRule = SizeRule {
    names: ["convolution_param.stride", "convolution_param.stride_h", "convolution_param.stride_w"],
    least: 1,
    default: Some(1),
    half: None,
};
const PAD: SizeRule = SizeRule {
    names: ["convolution_param.pad", "convolution_param.pad_h", "convolution_param.pad_w"],
    least: 0,
    default: Some(0),
    half: Some(0),
};
const DILATION: SizeRule = SizeRule {
    names: ["convolution_param.dilation", "", ""],
    least: 1,
    default: Some(1),
    half: None,
};

/// A window as written, its values checked one by one.
#[derive(Debug)]
pub(crate) struct WindowOptions {
    axis: i32,
    kernel: AxisSizes,
    stride: AxisSizes,
    pad: AxisSizes,
    dilation: AxisSizes,
}

/// One option's values.
#[derive(Debug)]
enum AxisSizes {
    /// One for all axes, or one per axis.
    Each(&'static str, Vec<usize>),
    /// `_h` and `_w`.
    Pair(&'static str, [usize; 2]),
}

/// A window over one bottom.
#[derive(Debug)]
pub(crate) struct ConvWindow {
    /// The channel axis; the spatial ones follow.
    pub(crate) channel: usize,
    /// AxisSizes along each spatial axis; those of the bottom.
    pub(crate) axes: Vec<SpatialAxis>,
}

impl WindowOptions {
    pub(crate) fn lower(p: &ConvolutionParameter) -> Result<Self, LayerError> {
        Ok(Self {
            axis: p.axis(),
            kernel: KERNEL.lower(&p.kernel_size, [p.kernel_h, p.kernel_w])?,
            stride: STRIDE.lower(&p.stride, [p.stride_h, p.stride_w])?,
            pad: PAD.lower(&p.pad, [p.pad_h, p.pad_w])?,
            dilation: DILATION.lower(&p.dilation, [None, None])?,
        })
    }

    /// The window over a bottom, all sizes small enough to calculate with.
    pub(crate) fn over(&self, bottom: &Shape) -> Result<ConvWindow, LayerError> {
        let channel = bottom.axis(self.axis).ok_or_else(|| LayerError::Option {
            option: "convolution_param.axis",
            got: self.axis.to_string(),
            want: format!("an axis of the bottom, which has shape {bottom}"),
        })?;
        let sizes = &bottom.dims()[channel + 1..];
        let n = sizes.len();
        let [kernel, stride] = [self.kernel.each(n)?, self.stride.each(n)?];
        let [pad, dilation] = [self.pad.each(n)?, self.dilation.each(n)?];
        let axes = (0..n)
            .map(|i| SpatialAxis {
                size: sizes[i],
                kernel: kernel[i],
                stride: stride[i],
                pad: pad[i],
                dilation: dilation[i],
            })
            .collect();
        Ok(ConvWindow { channel, axes })
    }
}

impl SizeRule {
    fn lower(&self, each: &[u32], pair: [Option<u32>; 2]) -> Result<AxisSizes, LayerError> {
        let [name, ..] = self.names;
        if pair == [None, None] {
            let each = match (each, self.default) {
                ([], None) => {
                    return Err(LayerError::Missing { option: name, want: "the window's size" });
                }
                ([], Some(default)) => &[default],
                (each, _) => each,
            };
            let sizes = each.iter().map(|&size| self.check(name, size));
            return Ok(AxisSizes::Each(name, sizes.collect::<Result<_, _>>()?));
        }
        if !each.is_empty() {
            let second = if pair[0].is_some() { self.names[1] } else { self.names[2] };
            let remedy = "write the size once, or as `_h` and `_w`";
            return Err(LayerError::Conflict { first: name, second, remedy });
        }
        let half = |i: usize| match pair[i].or(self.half) {
            Some(size) => self.check(self.names[i + 1], size),
            None => {
                Err(LayerError::Missing { option: self.names[i + 1], want: "both `_h` and `_w`" })
            }
        };
        Ok(AxisSizes::Pair(self.names[1], [half(0)?, half(1)?]))
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
        let (option, got, want) = match self {
            Self::Each(_, sizes) if sizes.len() == 1 => return Ok(vec![sizes[0]; axes]),
            Self::Each(_, sizes) if sizes.len() == axes => return Ok(sizes.clone()),
            Self::Pair(_, sizes) if axes == 2 => return Ok(sizes.to_vec()),
            Self::Each(option, sizes) => (
                *option,
                format!("written {} times", sizes.len()),
                format!("once, or once for each of the {axes} spatial axes"),
            ),
            Self::Pair(option, [h, _]) => (
                *option,
                h.to_string(),
                format!("no `_h` and `_w`: the bottom has {axes} spatial axes, not 2"),
            ),
        };
        Err(LayerError::Option { option, got, want })
    }
}

/// Places from the first tap to the last; `None` when there are too many to count.
pub(crate) fn extent(axis: &SpatialAxis) -> Option<usize> {
    axis.dilation.checked_mul(axis.kernel - 1)?.checked_add(1).filter(|&e| e <= BLOB_VALUES_MAX)
}

/// Number of windows along an axis; `None` when the kernel does not fit or is too large.
pub(crate) fn windows(axis: &SpatialAxis) -> Option<usize> {
    Some(room(axis)? / axis.stride + 1)
}

/// The axis with a stride that is as large as it can matter, so that it is safe to loop over.
pub(crate) fn with_stride_in_reach(axis: SpatialAxis) -> SpatialAxis {
    let reach = room(&axis).map_or(1, |room| room + 1);
    SpatialAxis { stride: axis.stride.min(reach), ..axis }
}

/// How far the window can move.
fn room(axis: &SpatialAxis) -> Option<usize> {
    axis.size.checked_add(axis.pad.checked_mul(2)?)?.checked_sub(extent(axis)?)
}

#[cfg(test)]
mod tests;
