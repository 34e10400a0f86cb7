//! Luma and chromas to blue, green and red, rounded as libjpeg's tables are.

use super::level;
use crate::simd::{Simd, SimdLevel};

/// One row of pixels.
///
/// * `y`, `cb`, `cr`: n samples each
/// * `bgr`: n pixels
///
/// # Panics
///
/// If the lengths differ, or this CPU does not support `simd`.
pub fn ycc_to_bgr(simd: Simd, y: &[u8], cb: &[u8], cr: &[u8], bgr: &mut [[u8; 3]]) {
    assert_eq!([y.len(), cb.len(), cr.len()], [bgr.len(); 3], "a sample of each per pixel");
    let done = match level(simd) {
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2(proof) => super::x86::color::ycc_to_bgr(proof, y, cb, cr, bgr),
        _ => 0,
    };
    for (((bgr, &y), &cb), &cr) in
        bgr[done..].iter_mut().zip(&y[done..]).zip(&cb[done..]).zip(&cr[done..])
    {
        *bgr = ycc_pixel(y, cb, cr);
    }
}

/// `B = Y + 1.772 Cb`, `G = Y - 0.34414 Cb - 0.71414 Cr`, `R = Y + 1.402 Cr`, in 16 bits.
#[inline(always)]
#[must_use]
pub fn ycc_pixel(y: u8, cb: u8, cr: u8) -> [u8; 3] {
    const HALF: i32 = 1 << 15;
    let (y, cb, cr) = (i32::from(y), i32::from(cb) - 128, i32::from(cr) - 128);
    [
        clamp(y + ((116_130 * cb + HALF) >> 16)),
        clamp(y + ((-22_554 * cb - 46_802 * cr + HALF) >> 16)),
        clamp(y + ((91_881 * cr + HALF) >> 16)),
    ]
}

#[inline(always)]
fn clamp(value: i32) -> u8 {
    value.clamp(0, 255).cast_unsigned().to_le_bytes()[0]
}
