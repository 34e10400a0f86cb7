//! JPEG through `zune-jpeg`, with the limits set.

use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use super::{Color, Image, ImageError, check_size, luma, swap_red_and_blue};

/// Longest side; JPEG cannot state more.
const SIDE_MAX: usize = 65_535;

pub(super) fn decode(bytes: &[u8], color: Color) -> Result<Image, ImageError> {
    let fail =
        |error: zune_jpeg::errors::DecodeErrors| ImageError::Jpeg { problem: error.to_string() };
    let options = DecoderOptions::default()
        .set_max_width(SIDE_MAX)
        .set_max_height(SIDE_MAX)
        .set_strict_mode(true)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(fail)?;
    let (width, height) =
        decoder.info().map_or((0, 0), |info| (usize::from(info.width), usize::from(info.height)));
    check_size(height, width)?;
    let stored = decoder.input_colorspace().unwrap_or(ColorSpace::YCbCr);
    let gray = color == Color::Gray || color == Color::AsStored && stored == ColorSpace::Luma;
    // Grey is the luma plane, as libjpeg gives it; other colour models have none.
    if gray && matches!(stored, ColorSpace::Luma | ColorSpace::YCbCr) {
        decoder.set_options(options.jpeg_set_out_colorspace(ColorSpace::Luma));
        let pixels = decoder.decode().map_err(fail)?;
        return Ok(Image { channels: 1, height, width, pixels });
    }
    let mut pixels = decoder.decode().map_err(fail)?;
    swap_red_and_blue(&mut pixels, 3);
    let image = Image { channels: 3, height, width, pixels };
    Ok(if gray { image.remap(|p| [luma(p)]) } else { image })
}
