//! Images as OpenCV gives them to Caffe: rows of interleaved bytes, blue before green before red.
//!
//! JPEG is decoded by a decoder of our own that equals libjpeg's to the bit, PNG by the crate
//! `png`. [`PIXELS_MAX`] is checked on the header, before memory is asked for. Resizing is OpenCV's
//! own arithmetic, see [`resize`]. [`ImageDecoder::decode_region`] saves work on JPEG files that
//! are cropped anyway; [`size`] tells what can be cropped before anything is decoded.

pub mod encode;
mod jpeg;
mod png;
pub mod resize;
#[cfg(test)]
mod tests;

use encode::ImageFormat;
use jpeg::JpegBuffers;
pub use jpeg::JpegProblem;

/// Most pixels an image may have: 8,192 squared. A header of 30 bytes can announce 4 gigapixels.
pub const PIXELS_MAX: usize = 1 << 26;

/// A decoded image.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecodedImage {
    /// 1 (grey), 3 (blue, green, red) or 4 (with alpha).
    pub channels: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// `height * width * channels` bytes, channels next to each other.
    pub pixels: Vec<u8>,
}

/// Which channels are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// As many as the file has (OpenCV's `IMREAD_UNCHANGED`).
    AsStored,
    /// Three, grey images tripled (`IMREAD_COLOR`).
    Bgr,
    /// One (`IMREAD_GRAYSCALE`).
    Gray,
}

/// A rectangle of an image, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelRegion {
    /// Rows above it.
    pub top: usize,
    /// Columns to the left of it.
    pub left: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
}

impl PixelRegion {
    /// Refuses a region without pixels or beyond an image of this size.
    fn check(self, height: usize, width: usize) -> Result<(), ImageError> {
        let fits = |first: usize, count: usize, all: usize| {
            count > 0 && first.checked_add(count).is_some_and(|end| end <= all)
        };
        if fits(self.top, self.height, height) && fits(self.left, self.width, width) {
            Ok(())
        } else {
            Err(ImageError::Region { region: self, height, width })
        }
    }
}

/// Why bytes are not an image that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// Another format.
    #[error("is neither JPEG nor PNG")]
    UnknownFormat,
    /// The file is not a JPEG that can be decoded.
    #[error("is not a valid JPEG")]
    Jpeg(#[from] JpegProblem),
    /// The file is not a PNG that can be decoded.
    #[error("is not a valid PNG")]
    Png(#[source] ::png::DecodingError),
    /// A side is 0.
    #[error("is {height} by {width} pixels")]
    Empty {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// More than [`PIXELS_MAX`].
    #[error("is {height} by {width} pixels, at most {PIXELS_MAX} are allowed")]
    TooLarge {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// The wanted region is not in the image.
    #[error(
        "is {height} by {width} pixels, which do not hold {} by {} at ({}, {})",
        region.height, region.width, region.top, region.left
    )]
    Region {
        /// What was asked for.
        region: PixelRegion,
        /// Rows of the image.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// Caffe takes 8 bits per channel.
    #[error("has 16 bits per channel; convert it to 8, or ask for colour or grey")]
    Deep,
}

/// Decodes image files one after another, in memory that it keeps: as much as the largest of them
/// needed. A JPEG no larger than those before allocates nothing; the crate `png` allocates for
/// every file.
#[derive(Debug, Default)]
pub struct ImageDecoder {
    jpeg: JpegBuffers,
    /// Pixels before they are converted to other channels, or turned.
    spare: Vec<u8>,
}

impl ImageDecoder {
    /// Decodes a JPEG or PNG file into `image`, whose memory is reused. After an error `image`
    /// holds anything.
    pub fn decode(
        &mut self,
        bytes: &[u8],
        color: Color,
        image: &mut DecodedImage,
    ) -> Result<(), ImageError> {
        match format(bytes)? {
            ImageFormat::Jpeg => self.jpeg.decode(bytes, color, None, image, &mut self.spare),
            ImageFormat::Png => png::decode(bytes, color, image, &mut self.spare),
        }
    }

    /// As [`decode`](Self::decode) and then a crop: `image` becomes the region. Of a JPEG file only
    /// blocks that touch the region are transformed; one with an Exif orientation, and a PNG file,
    /// are decoded as a whole.
    pub fn decode_region(
        &mut self,
        bytes: &[u8],
        color: Color,
        region: PixelRegion,
        image: &mut DecodedImage,
    ) -> Result<(), ImageError> {
        match format(bytes)? {
            ImageFormat::Jpeg => {
                self.jpeg.decode(bytes, color, Some(region), image, &mut self.spare)
            }
            ImageFormat::Png => {
                png::decode(bytes, color, image, &mut self.spare)?;
                image.crop(region)
            }
        }
    }
}

/// Channels, height and width that [`decode`] will give, from the header alone.
pub fn size(bytes: &[u8], color: Color) -> Result<[usize; 3], ImageError> {
    match format(bytes)? {
        ImageFormat::Jpeg => jpeg::size(bytes, color),
        ImageFormat::Png => png::size(bytes, color),
    }
}

/// What the first bytes of a file say.
fn format(bytes: &[u8]) -> Result<ImageFormat, ImageError> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Ok(ImageFormat::Jpeg),
        [0x89, b'P', b'N', b'G', ..] => Ok(ImageFormat::Png),
        _ => Err(ImageError::UnknownFormat),
    }
}

/// Decodes one JPEG or PNG file.
pub fn decode(bytes: &[u8], color: Color) -> Result<DecodedImage, ImageError> {
    let mut image = DecodedImage::default();
    ImageDecoder::default().decode(bytes, color, &mut image)?;
    Ok(image)
}

/// Checks a size that a header announces.
pub(crate) fn check_size(height: usize, width: usize) -> Result<(), ImageError> {
    if height == 0 || width == 0 {
        return Err(ImageError::Empty { height, width });
    }
    if height.saturating_mul(width) > PIXELS_MAX {
        return Err(ImageError::TooLarge { height, width });
    }
    Ok(())
}

/// Red first to blue first, in place.
fn swap_red_and_blue(pixels: &mut [u8], channels: usize) {
    for pixel in pixels.chunks_exact_mut(channels) {
        pixel.swap(0, 2);
    }
}

/// Grey of a blue, green, red pixel: libpng's weights in 15 bits, which OpenCV asks for.
fn luma(pixel: &[u8]) -> u8 {
    let [b, g, r] = [pixel[0], pixel[1], pixel[2]].map(u32::from);
    u8::try_from((9797 * r + 19234 * g + 3737 * b) >> 15).expect("the weights add up to 1")
}

impl DecodedImage {
    /// Keeps a region only.
    pub(crate) fn crop(&mut self, region: PixelRegion) -> Result<(), ImageError> {
        region.check(self.height, self.width)?;
        let PixelRegion { top, left, height, width } = region;
        let pixel = |y: usize, x: usize| (y * self.width + x) * self.channels;
        for y in 0..height {
            let row = pixel(top + y, left)..pixel(top + y, left + width);
            // No row moves down, so none is overwritten before it has moved.
            self.pixels.copy_within(row, y * width * self.channels);
        }
        self.pixels.truncate(height * width * self.channels);
        (self.height, self.width) = (height, width);
        Ok(())
    }

    /// Changes the number of channels to `N`, each pixel through `map`.
    fn remap<const N: usize>(&mut self, spare: &mut Vec<u8>, map: impl Fn(&[u8]) -> [u8; N]) {
        spare.clear();
        spare.reserve(self.height * self.width * N);
        spare.extend(self.pixels.chunks_exact(self.channels).flat_map(map));
        std::mem::swap(&mut self.pixels, spare);
        self.channels = N;
    }
}
