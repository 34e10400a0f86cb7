//! From planes to blue, green and red, or to grey, as libjpeg and OpenCV convert.

use kernels::{
    Simd,
    jpeg::{ycc_pixel, ycc_to_bgr},
};

use super::{COMPONENTS_MAX, PerComponent, frame::JpegFrame, planes::JpegPlanes, upsample};
use crate::image::{Color, DecodedImage, PixelRegion};

/// How the components code colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColorModel {
    Gray,
    /// Luma and two chromas.
    Ycc,
    Rgb,
    Cmyk,
    /// Cyan, magenta and yellow coded as luma and chromas, and black.
    Ycck,
}

impl ColorModel {
    /// libjpeg's rules, from the components' ids and the segments before the first scan.
    pub(super) fn new(ids: &[u8], jfif: bool, adobe_transform: Option<u8>) -> Self {
        match (ids, jfif, adobe_transform) {
            ([_], _, _) => Self::Gray,
            ([_, _, _], true, _) => Self::Ycc,
            ([_, _, _], false, Some(0)) => Self::Rgb,
            ([b'R', b'G', b'B'], false, None) => Self::Rgb,
            ([_, _, _], ..) => Self::Ycc,
            (_, _, Some(0) | None) => Self::Cmyk,
            _ => Self::Ycck,
        }
    }
}

/// Channels of the image: 1 or 3.
pub(super) fn channels(model: ColorModel, color: Color) -> usize {
    let gray = color == Color::Gray || color == Color::AsStored && model == ColorModel::Gray;
    if gray { 1 } else { 3 }
}

/// How many of a frame's components are needed: grey needs luma only.
pub(super) fn components_used(model: ColorModel, color: Color, components: usize) -> usize {
    if model == ColorModel::Ycc && channels(model, color) == 1 { 1 } else { components }
}

/// One row of samples at full size per component, and scratch of upsampling.
#[derive(Debug, Default)]
pub(super) struct RowBuffers {
    lines: [Vec<u8>; COMPONENTS_MAX],
    sums: Vec<u16>,
}

/// Makes `image` of a region of the frame, in the channels that were asked for.
pub(super) fn convert(
    simd: Simd,
    frame: &JpegFrame,
    color: Color,
    region: PixelRegion,
    planes: &JpegPlanes,
    buffers: &mut RowBuffers,
    image: &mut DecodedImage,
) {
    let PixelRegion { top, left, height, width } = region;
    let channels = channels(frame.model, color);
    let used = components_used(frame.model, color, frame.components.len());
    let components = &frame.components[..used];
    image.pixels.resize(height * width * channels, 0);
    (image.channels, image.height, image.width) = (channels, height, width);
    let RowBuffers { lines, sums } = buffers;
    for (y, out) in (top..).zip(image.pixels.chunks_exact_mut(width * channels)) {
        let rows = components.iter().enumerate().zip(&mut *lines);
        let rows = rows.map(|(component, line)| {
            upsample::row(simd, planes, component, (y, left..left + width), line, sums)
        });
        let rows: PerComponent<&[u8]> = rows.collect();
        let (pixels, _) = out.as_chunks_mut::<3>();
        match (channels, rows.as_slice()) {
            (1, [luma]) => out.copy_from_slice(luma),
            (1, rows) => to_gray(frame.model, rows, out),
            (_, [luma]) => pixels.iter_mut().zip(*luma).for_each(|(out, &y)| *out = [y; 3]),
            (_, rows) => to_bgr(simd, frame.model, rows, pixels),
        }
    }
}

fn to_bgr(simd: Simd, model: ColorModel, rows: &[&[u8]], out: &mut [[u8; 3]]) {
    match (model, rows) {
        (ColorModel::Ycc, [y, cb, cr]) => ycc_to_bgr(simd, y, cb, cr, out),
        (ColorModel::Cmyk | ColorModel::Ycck, [_, _, _, _]) => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = inks_to_bgr(model, std::array::from_fn(|c| rows[c][i]));
            }
        }
        _ => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = std::array::from_fn(|c| rows[2 - c][i]);
            }
        }
    }
}

fn to_gray(model: ColorModel, rows: &[&[u8]], out: &mut [u8]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = match rows {
            // OpenCV's weights in 14 bits, after it has converted CMYK to BGR.
            [_, _, _, _] => {
                let bgr = inks_to_bgr(model, std::array::from_fn(|c| rows[c][i]));
                weigh(bgr, [1868, 9617, 4899], 14)
            }
            // libjpeg's in 16 bits.
            _ => weigh(std::array::from_fn(|c| rows[2 - c][i]), [7471, 38470, 19595], 16),
        };
    }
}

fn weigh(bgr: [u8; 3], weights: [u32; 3], bits: u32) -> u8 {
    let sum: u32 = bgr.iter().zip(weights).map(|(&x, weight)| u32::from(x) * weight).sum();
    ((sum + (1 << (bits - 1))) >> bits).to_le_bytes()[0]
}

/// OpenCV's conversion of CMYK, which is stored inverted.
fn inks_to_bgr(model: ColorModel, inks: [u8; 4]) -> [u8; 3] {
    let [c, m, y, k] = inks;
    let [c, m, y] = match model {
        ColorModel::Ycck => {
            let [b, g, r] = ycc_pixel(c, m, y);
            [255 - r, 255 - g, 255 - b]
        }
        _ => [c, m, y],
    };
    let k = u32::from(k);
    [y, m, c].map(|ink| (k - (((255 - u32::from(ink)) * k) >> 8)).to_le_bytes()[0])
}
