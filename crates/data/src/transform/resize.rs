//! `resize_param` of the SSD fork: records are resized before they are cropped.
//!
//! As far as it resizes: `resize_mode: WARP` to `height` by `width`, or `FIT_SMALL_SIZE`, which
//! keeps the aspect ratio and covers `height` by `width`; bilinear, with OpenCV's arithmetic for
//! bytes. Nothing is drawn for it. Raw records of bytes are resized like images; of floats they
//! cannot be. What is not done here is refused by name.

use caffe_format::{
    ResizeParameter, ResizeParameterInterpMode as Interp, ResizeParameterResizeMode as Mode,
};

use super::{Chw, TransformRules, buffers::ResizeBuffer};
use crate::{
    error::{DataError, SampleProblem},
    image,
    sample::Sample,
};

/// Height and width that records are resized to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResizeTarget {
    height: usize,
    width: usize,
    /// Whether the aspect ratio stays, and one side may be longer.
    covers: bool,
}

impl ResizeTarget {
    /// Height and width of an image of this height and width, which is not 0, once it is resized.
    /// The longer side is rounded down.
    fn of(self, [h, w]: [usize; 2]) -> [usize; 2] {
        let Self { height, width, covers } = self;
        if !covers || h == 0 || w == 0 {
            return [height, width];
        }
        if w * height < width * h { [width * h / w, width] } else { [height, height * w / h] }
    }

    /// Checks `resize_param`.
    pub(super) fn lower(param: &ResizeParameter) -> Result<Self, DataError> {
        let refused = |field: &'static str, got: String, want: &'static str| {
            Err(DataError::ForkValue { field, got, want })
        };
        let mode = match param.resize_mode() {
            Mode::Warp | Mode::FitSmallSize => None,
            Mode::FitLargeSizeAndPad => Some("FIT_LARGE_SIZE_AND_PAD"),
        };
        if let Some(mode) = mode {
            let (field, want) =
                ("transform_param.resize_param.resize_mode", "WARP or FIT_SMALL_SIZE");
            return refused(field, mode.into(), want);
        }
        let covers = param.resize_mode() == Mode::FitSmallSize;
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
        Ok(Self { height, width, covers })
    }
}

impl TransformRules {
    /// The size of a record once it is resized.
    pub(crate) fn resized_size(&self, [c, h, w]: Chw) -> Chw {
        let [h, w] = self.resize.map_or([h, w], |target| target.of([h, w]));
        [c, h, w]
    }

    /// The sample at the size that `resize_param` says, in `buffer`; or as it is.
    pub(super) fn resize<'a>(
        &self,
        sample: &Sample<'a>,
        buffer: &'a mut ResizeBuffer,
    ) -> Result<Sample<'a>, SampleProblem> {
        let [_, height, width] = self.resized_size(sample.size);
        if [height, width] == sample.size[1..] {
            return Ok(*sample);
        }
        if sample.size.contains(&0) {
            return Err(SampleProblem::Empty { size: sample.size });
        }
        buffer.resize(sample, sample.region, [height, width])
    }
}

#[cfg(test)]
mod tests;
