//! `pooling_param`, checked.

use base::Shape;
use caffe_format::{PoolingParameter, PoolingParameterPoolMethod, PoolingParameterRoundMode};
use kernels::pooling::{PoolingShape, Rounding};

use super::PoolingMethod;
use crate::LayerError;
use crate::side_pads::SidePads;
use crate::window::WindowSizeRule;

const KERNEL: WindowSizeRule = WindowSizeRule {
    names: ["pooling_param.kernel_size", "pooling_param.kernel_h", "pooling_param.kernel_w"],
    least: 1,
    default: None,
    half: None,
};
const STRIDE: WindowSizeRule = WindowSizeRule {
    names: ["pooling_param.stride", "pooling_param.stride_h", "pooling_param.stride_w"],
    ..KERNEL
};
const PAD: WindowSizeRule = WindowSizeRule {
    names: ["pooling_param.pad", "pooling_param.pad_h", "pooling_param.pad_w"],
    least: 0,
    ..KERNEL
};

const SIDE_PADS: SidePads = SidePads {
    all: "pooling_param.pad",
    sides: [
        "pooling_param.pad_l",
        "pooling_param.pad_r",
        "pooling_param.pad_t",
        "pooling_param.pad_b",
    ],
};

/// Pooling of images of any size.
#[derive(Debug)]
pub(in crate::table) struct PoolingOptions {
    pub(in crate::table) method: PoolingMethod,
    /// `None` for the whole image.
    pub(in crate::table) kernel: Option<[usize; 2]>,
    pub(in crate::table) stride: [usize; 2],
    /// Before and after the image.
    pub(in crate::table) pads: [[usize; 2]; 2],
    pub(in crate::table) rounding: Rounding,
}

impl PoolingOptions {
    pub(super) fn lower(p: &PoolingParameter) -> Result<Self, LayerError> {
        let kernel = KERNEL.on_two_axes(p.kernel_size, [p.kernel_h, p.kernel_w])?;
        let stride = STRIDE.on_two_axes(p.stride, [p.stride_h, p.stride_w])?;
        let (stride, pads) = (stride.unwrap_or([1, 1]), pads(p)?);
        let method = match p.pool() {
            PoolingParameterPoolMethod::Max => PoolingMethod::Max,
            PoolingParameterPoolMethod::Ave => PoolingMethod::Ave,
            PoolingParameterPoolMethod::Stochastic => PoolingMethod::Stochastic,
        };
        let rounding = rounding(p)?;
        match kernel {
            Some(_) if p.global_pooling() => {
                return Err(global_excludes("pooling_param.kernel_size"));
            }
            None if p.global_pooling() => {
                if stride != [1, 1] {
                    return Err(global_excludes("pooling_param.stride"));
                }
                if pads != [[0, 0]; 2] {
                    return Err(global_excludes("pooling_param.pad"));
                }
            }
            None => {
                let (option, want) = ("pooling_param.kernel_size", "the window's size");
                return Err(LayerError::Missing { option, want });
            }
            Some(kernel) if pads[0] == pads[1] => {
                check_pad(method, kernel, ("pooling_param.pad", pads[0]))?;
            }
            Some(kernel) => {
                check_pad(method, kernel, ("pooling_param.pad_t, pad_l", pads[0]))?;
                check_pad(method, kernel, ("pooling_param.pad_b, pad_r", pads[1]))?;
            }
        }
        Ok(Self { method, kernel, stride, pads, rounding })
    }

    /// The geometry over one bottom.
    pub(in crate::table) fn over(&self, bottom: &Shape) -> Result<PoolingShape, LayerError> {
        let wrong =
            |want: &str| LayerError::Bottom { index: 0, got: bottom.clone(), want: want.into() };
        let [n, c, h, w] = bottom.nchw().ok_or_else(|| wrong("4 axes"))?;
        if h == 0 || w == 0 {
            return Err(wrong("images with pixels"));
        }
        let mut kernel = self.kernel.unwrap_or([h, w]);
        for (axis, size) in [h, w].into_iter().enumerate() {
            let padded = self.pads[0][axis] + size + self.pads[1][axis];
            // Caffe rounds up: a window may reach beyond the image by less than a stride.
            let reach = match self.rounding {
                Rounding::Ceil => padded + self.stride[axis] - 1,
                Rounding::Floor => padded,
            };
            if kernel[axis] > reach {
                return Err(wrong("images that hold the window when padded"));
            }
            kernel[axis] = kernel[axis].min(padded);
        }
        let (stride, [pad, pad_end], rounding) = (self.stride, self.pads, self.rounding);
        Ok(PoolingShape { n, c, h, w, kernel, stride, pad, pad_end, rounding })
    }
}

/// The padding before and after the image.
fn pads(p: &PoolingParameter) -> Result<[[usize; 2]; 2], LayerError> {
    let pad = PAD.on_two_axes(p.pad, [p.pad_h, p.pad_w])?;
    let sides = [p.pad_l, p.pad_r, p.pad_t, p.pad_b].map(|side| side.map(i64::from));
    let sides = SIDE_PADS.lower(pad.is_some(), sides)?;
    Ok(sides.map_or([pad.unwrap_or([0, 0]); 2], |(_, pads)| pads))
}

/// `round_mode`, or `ceil_mode` of forks that had it before Caffe did.
fn rounding(p: &PoolingParameter) -> Result<Rounding, LayerError> {
    let mode = match p.ceil_mode {
        Some(true) => PoolingParameterRoundMode::Ceil,
        Some(false) => PoolingParameterRoundMode::Floor,
        None => p.round_mode(),
    };
    if p.round_mode.is_some_and(|written| written != mode) {
        let (first, second) = ("pooling_param.round_mode", "pooling_param.ceil_mode");
        let remedy = "they disagree, and mean the same; keep one of them";
        return Err(LayerError::Conflict { first, second, remedy });
    }
    Ok(match mode {
        PoolingParameterRoundMode::Ceil => Rounding::Ceil,
        PoolingParameterRoundMode::Floor => Rounding::Floor,
    })
}

fn global_excludes(second: &'static str) -> LayerError {
    let first = "pooling_param.global_pooling";
    LayerError::Conflict { first, second, remedy: "the whole image is one window" }
}

/// Caffe's conditions: every window holds a pixel, and stochastic pooling has no padding.
pub(in crate::table) fn check_pad(
    method: PoolingMethod,
    kernel: [usize; 2],
    (option, pad): (&'static str, [usize; 2]),
) -> Result<(), LayerError> {
    let wrong = |want: String| LayerError::Option {
        option,
        got: format!("{} by {}", pad[0], pad[1]),
        want,
    };
    if pad != [0, 0] && method == PoolingMethod::Stochastic {
        return Err(wrong("0 with STOCHASTIC".into()));
    }
    if pad[0] >= kernel[0] || pad[1] >= kernel[1] {
        return Err(wrong(format!("less than the window, {} by {}", kernel[0], kernel[1])));
    }
    Ok(())
}
