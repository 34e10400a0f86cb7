//! JPEG, bit for bit as libjpeg decodes it for OpenCV.
//!
//! The standard leaves rounding open, and decoders differ by a few levels where chroma is
//! subsampled; training data should not. So this is a decoder of our own with libjpeg's integer
//! inverse transform, its triangle filter for chroma and its colour arithmetic. It reads what
//! cameras and encoders write: Huffman-coded baseline and progressive files of 8 bits with one,
//! three or four components. Arithmetic coding, lossless and 12-bit files are refused by name.
//!
//! ```text
//! segments ─▶ scans: Huffman codes ─▶ coefficients ─▶ idct ─▶ planes ─▶ upsample ─▶ colour
//! ```
//!
//! Input is hostile: sizes are checked before memory is taken (at most 2 bytes per sample of the
//! announced size), scans are limited in number, and data that ends early is an error, where
//! libjpeg would fill in grey. Cost: all coefficients are held (2 bytes per sample) in memory that
//! is kept for the next file; no vector instructions. About 0.6 of the speed of `zune-jpeg` with
//! AVX2, which differs from libjpeg by up to 4 levels.

mod color;
mod frame;
mod huffman;
mod idct;
mod orientation;
mod scan;
mod segments;
mod upsample;

use smallvec::SmallVec;

use super::{Color, DecodedImage};

/// What is wrong with a JPEG file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JpegProblem {
    /// The data ends within a segment or a scan.
    #[error("it is truncated")]
    Truncated,
    /// A kind that is not read.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// Something that no encoder writes.
    #[error("{0}")]
    Damaged(&'static str),
}

/// Memory of the decoder, kept from file to file. One of each per component.
#[derive(Debug, Default)]
pub(super) struct JpegBuffers {
    coefficients: [Vec<i16>; COMPONENTS_MAX],
    planes: [Vec<u8>; COMPONENTS_MAX],
    /// One row of the image.
    lines: [Vec<u8>; COMPONENTS_MAX],
}

/// Components of a CMYK file.
const COMPONENTS_MAX: usize = 4;

/// What there is one of per component.
type PerComponent<T> = SmallVec<[T; COMPONENTS_MAX]>;

impl JpegBuffers {
    /// Decodes a file into `image`; `color` as OpenCV's flags.
    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        color: Color,
        image: &mut DecodedImage,
        spare: &mut Vec<u8>,
    ) -> Result<(), super::ImageError> {
        let Self { coefficients, planes, lines } = self;
        let file = segments::read(bytes, coefficients)?;
        color::convert(&file.frame, color, planes, lines, image)?;
        // OpenCV applies the orientation only when it converts colours.
        if color != Color::AsStored {
            orientation::make_upright(image, file.orientation, spare);
        }
        Ok(())
    }
}
