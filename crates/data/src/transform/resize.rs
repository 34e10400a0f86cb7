//! `resize_param` of the SSD fork: records are resized before they are cropped.
//!
//! As far as it resizes: `resize_mode: WARP` to `height` by `width`, bilinear, with OpenCV's
//! arithmetic for bytes. Nothing is drawn for it. Raw records of bytes are resized like images; of
//! floats they cannot be. What is not done here is refused by name.

use caffe_format::{
    ResizeParameter, ResizeParameterInterpMode as Interp, ResizeParameterResizeMode as Mode,
};

use super::{Chw, Transformer};
use crate::{
    error::{DataError, SampleProblem},
    image::{self, DecodedImage, resize},
    sample::{PixelValues, Sample},
};

/// Height and width that records are resized to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResizeTarget {
    height: usize,
    width: usize,
}

impl ResizeTarget {
    /// Checks `resize_param`.
    pub(super) fn lower(param: &ResizeParameter) -> Result<Self, DataError> {
        let refused = |field: &'static str, got: String, want: &'static str| {
            Err(DataError::ForkValue { field, got, want })
        };
        let mode = match param.resize_mode() {
            Mode::Warp => None,
            Mode::FitSmallSize => Some("FIT_SMALL_SIZE"),
            Mode::FitLargeSizeAndPad => Some("FIT_LARGE_SIZE_AND_PAD"),
        };
        if let Some(mode) = mode {
            return refused("transform_param.resize_param.resize_mode", mode.into(), "WARP");
        }
        let other = |mode: &Interp| match mode {
            Interp::Linear => None,
            Interp::Area => Some("AREA"),
            Interp::Nearest => Some("NEAREST"),
            Interp::Cubic => Some("CUBIC"),
            Interp::Lanczos4 => Some("LANCZOS4"),
        };
        if let Some(mode) = param.interp_mode.iter().find_map(other) {
            let want = "LINEAR alone, or nothing, which means the same";
            return refused("transform_param.resize_param.interp_mode", mode.into(), want);
        }
        if param.prob() != 1.0 {
            let (got, want) = (param.prob().to_string(), "1: every record is resized");
            return refused("transform_param.resize_param.prob", got, want);
        }
        let [height, width] = [param.height() as usize, param.width() as usize];
        if height == 0 || width == 0 {
            return Err(DataError::Required {
                field: "transform_param.resize_param.height` and \
                        `transform_param.resize_param.width",
            });
        }
        image::check_size(height, width).map_err(DataError::ResizeSize)?;
        Ok(Self { height, width })
    }
}

impl Transformer {
    /// Whether records are resized.
    #[must_use]
    pub(crate) fn resizes(&self) -> bool {
        self.resize.is_some()
    }

    /// The size of a record once it is resized.
    pub(crate) fn resized_size(&self, [c, h, w]: Chw) -> Chw {
        let (height, width) = self.resize.map_or((h, w), |target| (target.height, target.width));
        [c, height, width]
    }

    /// The sample at the size that `resize_param` says, in `buffer`; or as it is.
    pub(crate) fn resize<'a>(
        &self,
        sample: &Sample<'a>,
        buffer: &'a mut DecodedImage,
    ) -> Result<Sample<'a>, SampleProblem> {
        let [channels, height, width] = sample.size;
        let Some(target) = self.resize.filter(|_| sample.size != self.resized_size(sample.size))
        else {
            return Ok(*sample);
        };
        if sample.size.contains(&0) {
            return Err(SampleProblem::Empty { size: sample.size });
        }
        let pixels = match sample.values {
            PixelValues::Interleaved(bytes) => bytes.to_vec(),
            PixelValues::Planar(bytes) => interleave(bytes, channels),
            PixelValues::Floats(_) => return Err(SampleProblem::ResizeFloats),
        };
        let image = DecodedImage { channels, height, width, pixels };
        *buffer = resize::resize(&image, target.height, target.width);
        Ok(Sample::of_image(buffer, sample.label))
    }
}

/// Channel after channel to channels next to each other.
fn interleave(bytes: &[u8], channels: usize) -> Vec<u8> {
    let plane = bytes.len() / channels;
    (0..bytes.len()).map(|at| bytes[at % channels * plane + at / channels]).collect()
}

#[cfg(test)]
mod tests;
