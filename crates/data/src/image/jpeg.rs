//! JPEG, bit for bit as libjpeg decodes it for OpenCV.
//!
//! The standard leaves rounding open, and decoders differ by a few levels where chroma is
//! subsampled; training data should not. So this is a decoder of our own with libjpeg's integer
//! inverse transform, its triangle filter for chroma and its colour arithmetic, which are kernels
//! (`kernels::jpeg`). It reads what cameras and encoders write: Huffman-coded baseline and
//! progressive files of 8 bits with one, three or four components. Arithmetic coding, lossless and
//! 12-bit files are refused by name.
//!
//! ```text
//! header ─▶ scans: Huffman codes ─▶ coefficients ─▶ inverse DCT ─▶ planes ─▶ upsample ─▶ colour
//! ```
//!
//! A sequential scan is transformed row by row while it is in the cache; a progressive file, when
//! its last scan was read. Blocks that do not touch the wanted region are not transformed.
//!
//! Input is hostile: sizes are checked before memory is taken, scans are limited in number, and
//! data that ends early is an error, where libjpeg would fill in grey. Memory, kept for the next
//! file: 1 byte per sample of the announced size and, for progressive files, 2 more; a copy of the
//! scan that is read. `bench/results.md` compares the speed with libjpeg-turbo's.

mod bits;
mod color;
mod frame;
mod huffman;
mod orientation;
mod planes;
mod progressive;
mod scan;
mod segments;
mod sequential;
#[cfg(test)]
mod tests;
mod upsample;

use kernels::Simd;
use smallvec::SmallVec;

use self::{color::RowBuffers, planes::JpegPlanes};
use super::{Color, DecodedImage, ImageError, PixelRegion};

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

/// Memory of the decoder, kept from file to file.
#[derive(Debug)]
pub(super) struct JpegBuffers {
    simd: Simd,
    planes: JpegPlanes,
    rows: RowBuffers,
    /// Data of a scan up to the next marker.
    interval: Vec<u8>,
}

impl Default for JpegBuffers {
    fn default() -> Self {
        let (planes, rows) = (JpegPlanes::default(), RowBuffers::default());
        // The bits do not depend on it, so nobody needs to choose.
        Self { simd: Simd::detect(), planes, rows, interval: Vec::new() }
    }
}

/// Components of a CMYK file.
const COMPONENTS_MAX: usize = 4;

/// What there is one of per component.
type PerComponent<T> = SmallVec<[T; COMPONENTS_MAX]>;

/// Channels, height and width of the image that [`JpegBuffers::decode`] makes of the whole file.
pub(super) fn size(bytes: &[u8], color: Color) -> Result<[usize; 3], ImageError> {
    let header = segments::header(bytes)?;
    let channels = color::channels(header.frame.model, color);
    let (height, width) = (header.frame.height, header.frame.width);
    let transposed = header.is_turned(color) && orientation::is_transposed(header.orientation);
    Ok(if transposed { [channels, width, height] } else { [channels, height, width] })
}

impl JpegBuffers {
    /// Decodes a file, or a region of it, into `image`; `color` as OpenCV's flags.
    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        color: Color,
        region: Option<PixelRegion>,
        image: &mut DecodedImage,
        spare: &mut Vec<u8>,
    ) -> Result<(), ImageError> {
        let header = segments::header(bytes)?;
        let (turned, orientation) = (header.is_turned(color), header.orientation);
        let mut frame = header.frame;
        let whole = PixelRegion { top: 0, left: 0, height: frame.height, width: frame.width };
        // What is turned is decoded as a whole, then cropped.
        let wanted = region.filter(|_| !turned).unwrap_or(whole);
        wanted.check(frame.height, frame.width)?;
        frame.select(wanted, color::components_used(frame.model, color, frame.components.len()));
        self.planes.prepare(&frame);
        segments::read_scans(bytes, &mut frame, self)?;
        color::convert(self.simd, &frame, color, wanted, &self.planes, &mut self.rows, image);
        if turned {
            orientation::make_upright(image, orientation, spare);
            region.map_or(Ok(()), |region| image.crop(region))?;
        }
        Ok(())
    }
}
