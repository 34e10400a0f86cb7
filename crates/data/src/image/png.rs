//! PNG through `png`, with the limits set and OpenCV's conversions.
//!
//! Palettes and fewer than 8 bits are expanded. For colour and grey, alpha is dropped and 16 bits
//! become their upper 8; as stored, alpha stays and 16 bits are refused, as Caffe refuses them.

use png::{BitDepth, ColorType, Decoder, Limits, Transformations};

use super::{Color, DecodedImage, ImageError, PIXELS_MAX, check_size, luma, swap_red_and_blue};

/// What the decoder may allocate: the largest image at 4 channels of 16 bits.
const BYTES_MAX: usize = 8 * PIXELS_MAX;

pub(super) fn decode(
    bytes: &[u8],
    color: Color,
    image: &mut DecodedImage,
    spare: &mut Vec<u8>,
) -> Result<(), ImageError> {
    let mut decoder =
        Decoder::new_with_limits(std::io::Cursor::new(bytes), Limits { bytes: BYTES_MAX });
    decoder.set_ignore_text_chunk(true);
    let mut transformations = Transformations::EXPAND;
    if color != Color::AsStored {
        transformations |= Transformations::STRIP_16;
    }
    decoder.set_transformations(transformations);
    let info = decoder.read_header_info().map_err(ImageError::Png)?;
    let (height, width) = (info.height as usize, info.width as usize);
    check_size(height, width)?;
    let mut reader = decoder.read_info().map_err(ImageError::Png)?;
    let (kind, depth) = reader.output_color_type();
    if depth == BitDepth::Sixteen {
        return Err(ImageError::Deep);
    }
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
