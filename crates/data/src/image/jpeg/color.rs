//! From planes to blue, green and red, or to grey, as libjpeg and OpenCV convert.

use super::{
    COMPONENTS_MAX, JpegProblem, PerComponent,
    frame::{JpegFrame, SamplePlane},
    upsample,
};
use crate::image::{Color, DecodedImage, ImageError};

/// How the components code colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColorModel {
    Gray,
    /// Luma and two chromas.
    Ycc,
    Rgb,
    Cmyk,
    /// Cyan, magenta and yellow coded as luma and chromas, and black.
    Ycck,
}

/// libjpeg's rules where the file does not say.
fn model(frame: &JpegFrame<'_>) -> ColorModel {
    let ids: PerComponent<u8> = frame.components.iter().map(|component| component.id).collect();
    match (ids.as_slice(), frame.jfif, frame.adobe_transform) {
        ([_], _, _) => ColorModel::Gray,
        ([_, _, _], true, _) => ColorModel::Ycc,
        ([_, _, _], false, Some(0)) => ColorModel::Rgb,
        ([b'R', b'G', b'B'], false, None) => ColorModel::Rgb,
        ([_, _, _], ..) => ColorModel::Ycc,
        (_, _, Some(0) | None) => ColorModel::Cmyk,
        _ => ColorModel::Ycck,
    }
}

/// Makes `image` of the frame, in the channels that were asked for; `planes` and `lines` are
/// scratch.
pub(super) fn convert(
    frame: &JpegFrame<'_>,
    color: Color,
    planes: &mut [Vec<u8>; COMPONENTS_MAX],
    lines: &mut [Vec<u8>; COMPONENTS_MAX],
    image: &mut DecodedImage,
) -> Result<(), ImageError> {
    for component in &frame.components {
        let whole =
            frame.h_max.is_multiple_of(component.h) && frame.v_max.is_multiple_of(component.v);
        if !whole {
            return Err(JpegProblem::Unsupported("fractional sampling").into());
        }
    }
    let model = model(frame);
    let gray = color == Color::Gray || color == Color::AsStored && model == ColorModel::Gray;
    let channels = if gray { 1 } else { 3 };
    // Grey needs luma only.
    let used = if gray && model == ColorModel::Ycc { 1 } else { frame.components.len() };
    let components = &frame.components[..used];
    let planes = components.iter().zip(planes).map(|(component, plane)| component.plane(plane));
    let planes: PerComponent<SamplePlane<'_>> = planes.collect::<Result<_, _>>()?;
    image.pixels.resize(frame.width * frame.height * channels, 0);
    let lines = &mut lines[..used];
    for (y, out) in image.pixels.chunks_exact_mut(frame.width * channels).enumerate() {
        for ((component, plane), line) in components.iter().zip(&planes).zip(&mut *lines) {
            upsample::row(frame, component, plane, y, line);
        }
        let (pixels, _) = out.as_chunks_mut::<3>();
        match (gray, &*lines) {
            (true, [luma]) => out.copy_from_slice(&luma[..out.len()]),
            (false, [luma]) => pixels.iter_mut().zip(luma).for_each(|(out, &y)| *out = [y; 3]),
            (true, lines) => to_gray(model, lines, out),
            (false, lines) => to_bgr(model, lines, pixels),
        }
    }
    (image.channels, image.height, image.width) = (channels, frame.height, frame.width);
    Ok(())
}

fn to_bgr(model: ColorModel, lines: &[Vec<u8>], out: &mut [[u8; 3]]) {
    match (model, lines) {
        (ColorModel::Ycc, [y, cb, cr]) => {
            for (((out, &y), &cb), &cr) in out.iter_mut().zip(y).zip(cb).zip(cr) {
                *out = ycc_to_bgr(y, cb, cr);
            }
        }
        (ColorModel::Cmyk | ColorModel::Ycck, [_, _, _, _]) => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = inks_to_bgr(model, std::array::from_fn(|c| lines[c][i]));
            }
        }
        _ => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = std::array::from_fn(|c| lines[2 - c][i]);
            }
        }
    }
}

fn to_gray(model: ColorModel, lines: &[Vec<u8>], out: &mut [u8]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = match lines {
            // OpenCV's weights in 14 bits, after it has converted CMYK to BGR.
            [_, _, _, _] => {
                let bgr = inks_to_bgr(model, std::array::from_fn(|c| lines[c][i]));
                weigh(bgr, [1868, 9617, 4899], 14)
            }
            // libjpeg's in 16 bits.
            _ => weigh(std::array::from_fn(|c| lines[2 - c][i]), [7471, 38470, 19595], 16),
        };
    }
}

fn weigh(bgr: [u8; 3], weights: [u32; 3], bits: u32) -> u8 {
    let sum: u32 = bgr.iter().zip(weights).map(|(&x, weight)| u32::from(x) * weight).sum();
    ((sum + (1 << (bits - 1))) >> bits).to_le_bytes()[0]
}

/// `R = Y + 1.402 Cr`, `G = Y - 0.34414 Cb - 0.71414 Cr`, `B = Y + 1.772 Cb`, in 16 bits.
#[inline(always)]
fn ycc_to_bgr(y: u8, cb: u8, cr: u8) -> [u8; 3] {
    const HALF: i32 = 1 << 15;
    let (y, cb, cr) = (i32::from(y), i32::from(cb) - 128, i32::from(cr) - 128);
    [
        clamp(y + ((116_130 * cb + HALF) >> 16)),
        clamp(y + ((-22_554 * cb - 46_802 * cr + HALF) >> 16)),
        clamp(y + ((91_881 * cr + HALF) >> 16)),
    ]
}

/// OpenCV's conversion of CMYK, which is stored inverted.
fn inks_to_bgr(model: ColorModel, inks: [u8; 4]) -> [u8; 3] {
    let [c, m, y, k] = inks;
    let [c, m, y] = match model {
        ColorModel::Ycck => {
            let [b, g, r] = ycc_to_bgr(c, m, y);
            [255 - r, 255 - g, 255 - b]
        }
        _ => [c, m, y],
    };
    let k = u32::from(k);
    [y, m, c].map(|ink| (k - (((255 - u32::from(ink)) * k) >> 8)).to_le_bytes()[0])
}

#[inline(always)]
fn clamp(value: i32) -> u8 {
    value.clamp(0, 255).cast_unsigned().to_le_bytes()[0]
}
