//! PNG through `png`, with the limits set and OpenCV's conversions.
//!
//! Palettes and fewer than 8 bits are expanded. For colour and grey, alpha is dropped and 16 bits
//! become their upper 8; as stored, alpha stays and 16 bits are refused, as Caffe refuses them.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Limits, Reader, Transformations};

use super::{Color, DecodedImage, ImageError, PIXELS_MAX, check_size, luma, swap_red_and_blue};

/// What the decoder may allocate: the largest image at 4 channels of 16 bits.
const BYTES_MAX: usize = 8 * PIXELS_MAX;

type PngReader<'a> = Reader<Cursor<&'a [u8]>>;

/// The decoder with its header read.
fn open(bytes: &[u8], color: Color) -> Result<PngReader<'_>, ImageError> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: BYTES_MAX });
    decoder.set_ignore_text_chunk(true);
    let mut transformations = Transformations::EXPAND;
    if color != Color::AsStored {
        transformations |= Transformations::STRIP_16;
    }
    decoder.set_transformations(transformations);
    let info = decoder.read_header_info().map_err(ImageError::Png)?;
    let (height, width) = (info.height as usize, info.width as usize);
    check_size(height, width)?;
    let reader = decoder.read_info().map_err(ImageError::Png)?;
    if reader.output_color_type().1 == BitDepth::Sixteen {
        return Err(ImageError::Deep);
    }
    Ok(reader)
}

/// Channels, height and width of the image that [`decode`] makes.
pub(super) fn size(bytes: &[u8], color: Color) -> Result<[usize; 3], ImageError> {
    let reader = open(bytes, color)?;
    let channels = match (color, reader.output_color_type().0) {
        (Color::Bgr, _) => 3,
        (Color::Gray, _) => 1,
        (Color::AsStored, ColorType::GrayscaleAlpha) => 4,
        (Color::AsStored, kind) => kind.samples(),
    };
    let info = reader.info();
    Ok([channels, info.height as usize, info.width as usize])
}

pub(super) fn decode(
    bytes: &[u8],
    color: Color,
    image: &mut DecodedImage,
    spare: &mut Vec<u8>,
) -> Result<(), ImageError> {
    let mut reader = open(bytes, color)?;
    let (kind, _) = reader.output_color_type();
    let (height, width) = (reader.info().height as usize, reader.info().width as usize);
    (image.channels, image.height, image.width) = (kind.samples(), height, width);
    image.pixels.clear();
    image.pixels.resize(reader.output_buffer_size().unwrap_or(0), 0);
    reader.next_frame(&mut image.pixels).map_err(ImageError::Png)?;
    if matches!(kind, ColorType::Rgb | ColorType::Rgba) {
        swap_red_and_blue(&mut image.pixels, image.channels);
    }
    match (color, image.channels) {
        (Color::AsStored, 2) => image.remap(spare, |p| [p[0], p[0], p[0], p[1]]),
        (Color::Bgr, 1 | 2) => image.remap(spare, |p| [p[0]; 3]),
        (Color::Bgr, 4) => image.remap(spare, |p| [p[0], p[1], p[2]]),
        (Color::Gray, 2) => image.remap(spare, |p| [p[0]]),
        (Color::Gray, 3 | 4) => image.remap(spare, |p| [luma(p)]),
        _ => {}
    }
    Ok(())
}
