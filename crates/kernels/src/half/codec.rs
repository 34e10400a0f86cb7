//! 16-bit floats in integer arithmetic: loops without branches, which the compiler vectorises.
//!
//! A fused layer rounds at every inner border. Its loops are compiled once per [`Rounder`], so that
//! f32 pays nothing. They read through [`RowReader`], which converts 16 bits in registers.

/// Rounds at a border between two layers that run as one.
pub(crate) trait Rounder: Copy + Send + Sync {
    /// Half the smallest positive value of the format, which ties round to 0: `round(v) > 0` where
    /// `v` is greater.
    const ROUNDS_TO_ZERO: f32;

    /// The nearest value that the format represents.
    fn round(self, v: f32) -> f32;
}

/// A 16-bit format.
pub(crate) trait HalfCodec: Rounder {
    /// The value.
    fn expand(self, stored: u16) -> f32;
    /// The nearest value, stored.
    fn compress(self, v: f32) -> u16;

    /// `y = x`; both have one length.
    #[inline(always)]
    fn expand_row(self, x: &[u16], y: &mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = self.expand(x));
    }

    /// `y = x`, rounded; both have one length.
    #[inline(always)]
    fn compress_row(self, x: &[f32], y: &mut [u16]) {
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = self.compress(x));
    }
}

/// Values of a blob, read as f32.
pub(crate) trait RowReader: Copy + Send + Sync {
    /// `len` values from `at` on.
    fn row(self, at: usize, len: usize) -> Self;
    /// One of them.
    fn value(self, index: usize) -> f32;
}

/// f32: nothing is rounded.
#[derive(Clone, Copy)]
pub(crate) struct NoRounding;

impl Rounder for NoRounding {
    const ROUNDS_TO_ZERO: f32 = 0.0;

    #[inline(always)]
    fn round(self, v: f32) -> f32 {
        v
    }
}

impl RowReader for &[f32] {
    #[inline(always)]
    fn row(self, at: usize, len: usize) -> Self {
        &self[at..][..len]
    }

    #[inline(always)]
    fn value(self, index: usize) -> f32 {
        self[index]
    }
}

/// 16-bit values and how to read them.
#[derive(Clone, Copy)]
pub(crate) struct HalfValues<'a, C>(pub(crate) C, pub(crate) &'a [u16]);

impl<C: HalfCodec> RowReader for HalfValues<'_, C> {
    #[inline(always)]
    fn row(self, at: usize, len: usize) -> Self {
        Self(self.0, &self.1[at..][..len])
    }

    #[inline(always)]
    fn value(self, index: usize) -> f32 {
        self.0.expand(self.1[index])
    }
}

/// bf16.
#[derive(Clone, Copy)]
pub(crate) struct Bf16Codec;

impl Bf16Codec {
    /// The upper half of the nearest value, in the lower half; NaN keeps its sign and is quiet.
    #[inline(always)]
    fn upper_half(v: f32) -> u32 {
        let bits = v.to_bits();
        let rounded = bits.wrapping_add(0x7FFF + ((bits >> 16) & 1)) >> 16;
        if v.is_nan() { (bits >> 16) | 0x40 } else { rounded }
    }
}

impl HalfCodec for Bf16Codec {
    #[inline(always)]
    fn expand(self, stored: u16) -> f32 {
        f32::from_bits(u32::from(stored) << 16)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the upper half has 16 bits")]
    fn compress(self, v: f32) -> u16 {
        Self::upper_half(v) as u16
    }
}

impl Rounder for Bf16Codec {
    const ROUNDS_TO_ZERO: f32 = f32::from_bits(1 << 15); // 2^-134

    #[inline(always)]
    fn round(self, v: f32) -> f32 {
        f32::from_bits(Self::upper_half(v) << 16)
    }
}

/// IEEE 754 half precision.
#[derive(Clone, Copy)]
pub(crate) struct F16Codec;

/// Difference of the exponents' biases, in the place of an f32's exponent.
const BIAS: u32 = 112 << 23;
/// The smallest normal f16, 2^-14, as an f32.
const NORMAL_MIN: u32 = 113 << 23;
/// 65536 as an f32: what rounds to it or beyond is infinite.
const OVERFLOW: u32 = 143 << 23;
/// Bits of an infinite f32.
const INFINITE: u32 = 255 << 23;
/// Added to a number below 2^-14, it leaves a multiple of 2^-24, the smallest f16.
const HALF: f32 = 0.5;

impl F16Codec {
    /// `|v|` rounded to 11 significant bits, as bits of an f32; for what is not subnormal.
    #[inline(always)]
    fn rounded(magnitude: u32) -> u32 {
        magnitude.wrapping_add(0xFFF + ((magnitude >> 13) & 1)) & !0x1FFF
    }
}

impl HalfCodec for F16Codec {
    #[inline(always)]
    fn expand(self, stored: u16) -> f32 {
        let (sign, magnitude) = (u32::from(stored & 0x8000) << 16, u32::from(stored & 0x7FFF));
        let normal = (magnitude << 13) + BIAS;
        let infinite = normal + BIAS;
        let subnormal = (magnitude.cast_signed() as f32 / 16_777_216.0).to_bits();
        let bits = if magnitude >= 0x7C00 { infinite } else { normal };
        f32::from_bits(sign | if magnitude < 0x400 { subnormal } else { bits })
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "every case fits 16 bits")]
    fn compress(self, v: f32) -> u16 {
        let (sign, magnitude) = (v.to_bits() >> 16 & 0x8000, v.to_bits() & 0x7FFF_FFFF);
        let rounded = Self::rounded(magnitude);
        let normal = rounded.wrapping_sub(BIAS) >> 13;
        let subnormal = (f32::from_bits(magnitude) + HALF).to_bits().wrapping_sub(HALF.to_bits());
        let large = if magnitude > INFINITE { 0x7E00 } else { 0x7C00 };
        let bits = if rounded >= OVERFLOW { large } else { normal };
        (sign | if magnitude < NORMAL_MIN { subnormal } else { bits }) as u16
    }
}

impl Rounder for F16Codec {
    const ROUNDS_TO_ZERO: f32 = 1.0 / 33_554_432.0; // 2^-25

    #[inline(always)]
    fn round(self, v: f32) -> f32 {
        let (sign, magnitude) = (v.to_bits() & 0x8000_0000, v.to_bits() & 0x7FFF_FFFF);
        let rounded = Self::rounded(magnitude);
        let subnormal = (f32::from_bits(magnitude) + HALF - HALF).to_bits();
        let large = if magnitude > INFINITE { magnitude | 0x40_0000 } else { INFINITE };
        let bits = if rounded >= OVERFLOW { large } else { rounded };
        f32::from_bits(sign | if magnitude < NORMAL_MIN { subnormal } else { bits })
    }
}
