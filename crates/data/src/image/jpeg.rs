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
//! libjpeg would fill in grey. Cost: all coefficients are held (2 bytes per sample); no vector
//! instructions. About 0.6 of the speed of `zune-jpeg` with AVX2, which differs from libjpeg by up
//! to 4 levels.

mod color;
mod frame;
mod huffman;
mod idct;
mod orientation;
mod scan;
mod segments;
mod upsample;

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

/// Decodes a file; `color` as OpenCV's flags.
pub(super) fn decode(bytes: &[u8], color: Color) -> Result<DecodedImage, super::ImageError> {
    let file = segments::read(bytes)?;
    let image = color::convert(&file.frame, color)?;
    // OpenCV applies the orientation only when it converts colours.
    Ok(match color {
        Color::AsStored => image,
        Color::Bgr | Color::Gray => orientation::upright(image, file.orientation),
    })
}
