//! Chroma at full size: libjpeg's triangle filter, with its roundings and its borders.
//!
//! A new sample lies a quarter of the way from one stored sample to the next, so it is 3/4 of
//! the near one plus 1/4 of the far one. Roundings alternate between up and down so that no drift
//! arises. Beyond the image's border the last sample is repeated.

use super::frame::{JpegComponent, JpegFrame, SamplePlane};

/// Writes row `y` of the full-size image to `out`.
pub(super) fn row(
    frame: &JpegFrame<'_>,
    component: &JpegComponent<'_>,
    plane: &SamplePlane<'_>,
    y: usize,
    out: &mut Vec<u8>,
) {
    let line = |row: usize| {
        let row = row.min(component.height - 1);
        &plane.samples[row * plane.stride..][..component.width]
    };
    let (across, down) = (frame.h_max / component.h, frame.v_max / component.v);
    let near = line(y / down);
    // Above the upper sample row of a pair, below the lower one; at the top, the row itself.
    let upper = y.is_multiple_of(2);
    let far = if upper { line((y / 2).saturating_sub(1)) } else { line(y / 2 + 1) };
    out.resize(near.len() * across, 0);
    match (across, down) {
        (1, 1) => out.copy_from_slice(near),
        (2, 1) if near.len() > 2 => {
            let (pairs, _) = out.as_chunks_mut();
            neighbours(near.len(), |i| u16::from(near[i]), [1, 2], 2, pairs);
        }
        (2, 2) if near.len() > 2 => {
            let (pairs, _) = out.as_chunks_mut();
            let mixed = |i: usize| 3 * u16::from(near[i]) + u16::from(far[i]);
            neighbours(near.len().min(far.len()), mixed, [8, 7], 4, pairs);
        }
        (1, 2) => {
            let round = if upper { 1 } else { 2 };
            for ((out, &near), &far) in out.iter_mut().zip(near).zip(far) {
                *out = low_byte((3 * u16::from(near) + u16::from(far) + round) >> 2);
            }
        }
        _ => {
            let copies = out.chunks_exact_mut(across).zip(near);
            copies.for_each(|(copies, &sample)| copies.fill(sample));
        }
    }
}

/// Two values for each of `len` samples: each mixed with its left and with its right neighbour. The
/// rounding comes once, at the end: for the left values `rounds[0]`, for the right ones the other.
#[inline(always)]
fn neighbours(
    len: usize,
    sample: impl Fn(usize) -> u16,
    rounds: [u16; 2],
    shift: u32,
    out: &mut [[u8; 2]],
) {
    let mix = |near: u16, far: u16, round: u16| low_byte((3 * near + far + round) >> shift);
    let last = len - 1;
    let mut left = sample(0);
    let mut this = left;
    for (i, out) in out[..last].iter_mut().enumerate() {
        let right = sample(i + 1);
        *out = [mix(this, left, rounds[0]), mix(this, right, rounds[1])];
        (left, this) = (this, right);
    }
    out[last] = [mix(this, left, rounds[0]), mix(this, this, rounds[1])];
}

fn low_byte(value: u16) -> u8 {
    value.to_le_bytes()[0]
}
