//! Colour conversion of 32 pixels in 16-bit lanes.
//!
//! A product with a constant of 17 bits is a multiple of the sample plus a product with what is
//! left of the constant, which fits 16 bits: 116,130 = 2 · 65,536 - 14,942,
//! 91,881 = 65,536 + 26,345, -46,802 = -65,536 + 18,734. `round(x·c)` of 16 fractional bits is then
//! `(high(2x·c) + 1) >> 1`, where `high` is the upper half of a product: dropping bits twice is
//! dropping them once.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_blendv_epi8, _mm256_madd_epi16,
    _mm256_mulhi_epi16, _mm256_packs_epi32, _mm256_packus_epi16, _mm256_permute2x128_si256,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srai_epi16, _mm256_srai_epi32, _mm256_sub_epi16, _mm256_unpackhi_epi8,
    _mm256_unpackhi_epi16, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16,
};

use super::{load32, store32};
use crate::simd::Avx2;

/// Pixels per step.
const STEP: usize = 32;

/// Converts as many pixels as fill whole steps and returns their number. The last step overlaps the
/// one before, so that all are converted from 32 on.
pub(in crate::jpeg) fn ycc_to_bgr(
    _: Avx2,
    y: &[u8],
    cb: &[u8],
    cr: &[u8],
    bgr: &mut [[u8; 3]],
) -> usize {
    if bgr.len() < STEP {
        return 0;
    }
    // SAFETY: the argument proves that the CPU has AVX2.
    unsafe { steps(y, cb, cr, bgr) }
    bgr.len()
}

#[target_feature(enable = "avx2")]
fn steps(y: &[u8], cb: &[u8], cr: &[u8], bgr: &mut [[u8; 3]]) {
    let last = bgr.len() - STEP;
    for at in (0..last).step_by(STEP).chain([last]) {
        let [y, cb, cr] = [y, cb, cr]
            .map(|samples| samples[at..].first_chunk().expect("as many samples as pixels"));
        let out = bgr[at..].first_chunk_mut::<STEP>().expect("a step fits");
        step(load32(y), load32(cb), load32(cr), out);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn step(y: __m256i, cb: __m256i, cr: __m256i, out: &mut [[u8; 3]; STEP]) {
    let zero = _mm256_setzero_si256();
    // Each half of the result has the samples that `unpack` took from both 128-bit lanes;
    // `packus` puts them back in order.
    let [b, g, r] = half(
        _mm256_unpacklo_epi8(y, zero),
        _mm256_unpacklo_epi8(cb, zero),
        _mm256_unpacklo_epi8(cr, zero),
    );
    let [b_high, g_high, r_high] = half(
        _mm256_unpackhi_epi8(y, zero),
        _mm256_unpackhi_epi8(cb, zero),
        _mm256_unpackhi_epi8(cr, zero),
    );
    let b = _mm256_packus_epi16(b, b_high);
    let g = _mm256_packus_epi16(g, g_high);
    let r = _mm256_packus_epi16(r, r_high);
    interleave(b, g, r, out);
}

/// Blue, green and red of 16 pixels, not yet limited to a byte.
#[inline]
#[target_feature(enable = "avx2")]
fn half(y: __m256i, cb: __m256i, cr: __m256i) -> [__m256i; 3] {
    let middle = _mm256_set1_epi16(128);
    let (cb, cr) = (_mm256_sub_epi16(cb, middle), _mm256_sub_epi16(cr, middle));
    let (cb2, cr2) = (_mm256_add_epi16(cb, cb), _mm256_add_epi16(cr, cr));
    let b = _mm256_add_epi16(cb2, product(cb2, -14_942));
    let r = _mm256_add_epi16(cr, product(cr2, 26_345));
    // Two products with one rounding: pairs of (cb, cr) by pairs of constants.
    let constants = _mm256_set1_epi32(18_734 << 16 | (-22_554 & 0xffff));
    let round = _mm256_set1_epi32(1 << 15);
    let low = _mm256_madd_epi16(_mm256_unpacklo_epi16(cb, cr), constants);
    let high = _mm256_madd_epi16(_mm256_unpackhi_epi16(cb, cr), constants);
    let low = _mm256_srai_epi32::<16>(_mm256_add_epi32(low, round));
    let high = _mm256_srai_epi32::<16>(_mm256_add_epi32(high, round));
    let g = _mm256_sub_epi16(_mm256_packs_epi32(low, high), cr);
    [_mm256_add_epi16(y, b), _mm256_add_epi16(y, g), _mm256_add_epi16(y, r)]
}

/// `round(x * constant / 2^16)`, given `2x`.
#[inline]
#[target_feature(enable = "avx2")]
fn product(doubled: __m256i, constant: i16) -> __m256i {
    let high = _mm256_mulhi_epi16(doubled, _mm256_set1_epi16(constant));
    _mm256_srai_epi16::<1>(_mm256_add_epi16(high, _mm256_set1_epi16(1)))
}

/// Writes three planes as pixels.
///
/// In each 128-bit lane, byte `i` of channel `c` belongs at `3i + c` of 48. Since 3 and 16 have no
/// common divisor, one shuffle per channel brings each byte to its place modulo 16, and blends
/// choose the channel.
#[inline]
#[target_feature(enable = "avx2")]
fn interleave(b: __m256i, g: __m256i, r: __m256i, out: &mut [[u8; 3]; STEP]) {
    let b = _mm256_shuffle_epi8(b, load32(&SHUFFLES[0]));
    let g = _mm256_shuffle_epi8(g, load32(&SHUFFLES[1]));
    let r = _mm256_shuffle_epi8(r, load32(&SHUFFLES[2]));
    let masks = (load32(&MASKS[0]), load32(&MASKS[1]), load32(&MASKS[2]));
    let first = _mm256_blendv_epi8(_mm256_blendv_epi8(b, g, masks.1), r, masks.2);
    let second = _mm256_blendv_epi8(_mm256_blendv_epi8(b, g, masks.0), r, masks.1);
    let last = _mm256_blendv_epi8(_mm256_blendv_epi8(b, g, masks.2), r, masks.0);
    let (to, _) = out.as_flattened_mut().as_chunks_mut::<32>();
    store32(&mut to[0], _mm256_permute2x128_si256::<0x20>(first, second));
    store32(&mut to[1], _mm256_permute2x128_si256::<0x30>(last, first));
    store32(&mut to[2], _mm256_permute2x128_si256::<0x31>(second, last));
}

/// For channel `c`: which byte comes to each place, the `i` with `3i + c = place (mod 16)`.
static SHUFFLES: [[u8; 32]; 3] = {
    let mut shuffles = [[0; 32]; 3];
    let mut c = 0;
    while c < 3 {
        let mut i: u8 = 0;
        while i < 16 {
            let place = (3 * i as usize + c) % 16;
            shuffles[c][place] = i;
            shuffles[c][place + 16] = i;
            i += 1;
        }
        c += 1;
    }
    shuffles
};

/// Places of each lane that are `residue (mod 3)`. Third `t` begins at byte `16t`, so channel `c`
/// has the places that are `c - 16t = c + 2t (mod 3)`.
static MASKS: [[u8; 32]; 3] = {
    let mut masks = [[0; 32]; 3];
    let mut place = 0;
    while place < 16 {
        masks[place % 3][place] = 0xff;
        masks[place % 3][place + 16] = 0xff;
        place += 1;
    }
    masks
};
