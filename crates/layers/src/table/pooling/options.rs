//! `pooling_param`, checked.

use base::Shape;
use caffe_format::{PoolingParameter, PoolingParameterPoolMethod, PoolingParameterRoundMode};
use kernels::pooling::{PoolingShape, Rounding};

use super::PoolingMethod;
use crate::LayerError;
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

/// Pooling of images of any size.
#[derive(Debug)]
pub(in crate::table) struct PoolingOptions {
    pub(in crate::table) method: PoolingMethod,
    /// `None` for the whole image.
    pub(in crate::table) kernel: Option<[usize; 2]>,
    pub(in crate::table) stride: [usize; 2],
    pub(in crate::table) pad: [usize; 2],
    pub(in crate::table) rounding: Rounding,
}

impl PoolingOptions {
    pub(super) fn lower(p: &PoolingParameter) -> Result<Self, LayerError> {
        let kernel = KERNEL.on_two_axes(p.kernel_size, [p.kernel_h, p.kernel_w])?;
        let stride = STRIDE.on_two_axes(p.stride, [p.stride_h, p.stride_w])?;
        let pad = PAD.on_two_axes(p.pad, [p.pad_h, p.pad_w])?;
        let (stride, pad) = (stride.unwrap_or([1, 1]), pad.unwrap_or([0, 0]));
        let method = match p.pool() {
            PoolingParameterPoolMethod::Max => PoolingMethod::Max,
            PoolingParameterPoolMethod::Ave => PoolingMethod::Ave,
            PoolingParameterPoolMethod::Stochastic => PoolingMethod::Stochastic,
        };
        let rounding = match p.round_mode() {
            PoolingParameterRoundMode::Ceil => Rounding::Ceil,
            PoolingParameterRoundMode::Floor => Rounding::Floor,
        };
        match kernel {
            Some(_) if p.global_pooling() => {
                return Err(global_excludes("pooling_param.kernel_size"));
            }
            None if p.global_pooling() => {
                if stride != [1, 1] {
                    return Err(global_excludes("pooling_param.stride"));
                }
                if pad != [0, 0] {
                    return Err(global_excludes("pooling_param.pad"));
                }
            }
            None => {
                let (option, want) = ("pooling_param.kernel_size", "the window's size");
                return Err(LayerError::Missing { option, want });
            }
            Some(kernel) => check_pad(method, kernel, pad)?,
        }
        Ok(Self { method, kernel, stride, pad, rounding })
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
            let padded = size + 2 * self.pad[axis];
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
        let (stride, pad, rounding) = (self.stride, self.pad, self.rounding);
        Ok(PoolingShape { n, c, h, w, kernel, stride, pad, rounding })
    }
}

fn global_excludes(second: &'static str) -> LayerError {
    let first = "pooling_param.global_pooling";
    LayerError::Conflict { first, second, remedy: "the whole image is one window" }
}

/// Caffe's conditions: every window holds a pixel, and stochastic pooling has no padding.
pub(in crate::table) fn check_pad(
    method: PoolingMethod,
    kernel: [usize; 2],
    pad: [usize; 2],
) -> Result<(), LayerError> {
    let wrong = |want: String| LayerError::Option {
        option: "pooling_param.pad",
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
