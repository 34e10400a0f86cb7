//! Exif's orientation: how the camera was held. OpenCV rotates and mirrors images accordingly when
//! it converts colours.

use crate::image::DecodedImage;

/// The tag of the orientation.
const TAG: u16 = 0x0112;
/// A directory with more entries is not read to its end.
const ENTRIES_MAX: usize = 256;

/// The orientation in an Exif segment, from 1 to 8.
pub(super) fn read(segment: &[u8]) -> Option<u8> {
    let tiff = segment.strip_prefix(b"Exif\0\0")?;
    let big = match tiff.first_chunk()? {
        b"MM" => true,
        b"II" => false,
        _ => return None,
    };
    let u16_at = |at: usize| {
        let bytes = *tiff.get(at..)?.first_chunk()?;
        Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    let (high, low) = if big { (u16_at(4)?, u16_at(6)?) } else { (u16_at(6)?, u16_at(4)?) };
    let start = usize::from(high) << 16 | usize::from(low);
    let entries = usize::from(u16_at(start)?).min(ENTRIES_MAX);
    (0..entries)
        .map(|entry| start + 2 + 12 * entry)
        .find(|&at| u16_at(at) == Some(TAG))
        .and_then(|at| u8::try_from(u16_at(at + 8)?).ok())
        .filter(|value| (1..=8).contains(value))
}

/// Whether rows become columns.
pub(super) fn is_transposed(orientation: u8) -> bool {
    orientation >= 5
}

/// Rotates and mirrors the image so that it is upright.
pub(super) fn make_upright(image: &mut DecodedImage, orientation: u8, spare: &mut Vec<u8>) {
    if orientation <= 1 {
        return;
    }
    let (h, w, c) = (image.height, image.width, image.channels);
    let (height, width) = if is_transposed(orientation) { (w, h) } else { (h, w) };
    spare.clear();
    spare.reserve(image.pixels.len());
    for y in 0..height {
        for x in 0..width {
            let (row, column) = match orientation {
                2 => (y, w - 1 - x),
                3 => (h - 1 - y, w - 1 - x),
                4 => (h - 1 - y, x),
                5 => (x, y),
                6 => (h - 1 - x, y),
                7 => (h - 1 - x, w - 1 - y),
                _ => (x, w - 1 - y),
            };
            spare.extend_from_slice(&image.pixels[(row * w + column) * c..][..c]);
        }
    }
    std::mem::swap(&mut image.pixels, spare);
    (image.height, image.width) = (height, width);
}
