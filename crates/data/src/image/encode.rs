//! Writing images, for converters that must store a changed one.

use std::str::FromStr;

use base::UnknownName;
use jpeg_encoder::{ColorType as JpegColor, Encoder, SamplingFactor};

use super::DecodedImage;

/// OpenCV's default.
const JPEG_QUALITY: u8 = 95;

/// A format that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// Lossy, quality 95, chroma at half size, as OpenCV writes.
    Jpeg,
    /// Lossless.
    Png,
}

impl ImageFormat {
    /// Extensions of file names.
    pub const NAMES: &'static [&'static str] = &["jpg", "jpeg", "png"];
}

impl FromStr for ImageFormat {
    type Err = UnknownName;

    /// Reads the extension of a file name, in any case.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text.to_ascii_lowercase().as_str() {
            "jpg" | "jpeg" => Ok(Self::Jpeg),
            "png" => Ok(Self::Png),
            _ => Err(UnknownName { given: text.to_owned(), known: Self::NAMES }),
        }
    }
}

/// The image as a file.
///
/// # Panics
///
/// If the image has neither one nor three channels, or a side above 65,535: converters decode to
/// these and limit sizes.
#[must_use]
pub fn encode(image: &DecodedImage, format: ImageFormat) -> Vec<u8> {
    match format {
        ImageFormat::Jpeg => jpeg(image),
        ImageFormat::Png => png(image),
    }
}

fn jpeg(image: &DecodedImage) -> Vec<u8> {
    let side = |side: usize| u16::try_from(side).expect("sides fit 16 bits");
    let color = if image.channels == 1 { JpegColor::Luma } else { JpegColor::Bgr };
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, JPEG_QUALITY);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder
        .encode(&image.pixels, side(image.width), side(image.height), color)
        .expect("the buffer fits the size and memory takes all bytes");
    bytes
}

fn png(image: &DecodedImage) -> Vec<u8> {
    let side = |side: usize| u32::try_from(side).expect("sides fit 32 bits");
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(image.width), side(image.height));
    encoder.set_depth(png::BitDepth::Eight);
    let gray = image.channels == 1;
    encoder.set_color(if gray { png::ColorType::Grayscale } else { png::ColorType::Rgb });
    let mut pixels = image.pixels.clone();
    if !gray {
        super::swap_red_and_blue(&mut pixels, image.channels);
    }
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&pixels))
        .expect("the buffer fits the size and memory takes all bytes");
    bytes
}
