//! Pixel arithmetic of JPEG, bit for bit as libjpeg computes it: inverse DCT, chroma upsampling,
//! colour conversion.
//!
//! Integers only, so every SIMD level gives the same bits; `data` may use the best one. A call
//! covers one row of blocks or of pixels, runs on the calling thread and takes a [`Simd`] instead
//! of a [`Cpu`](crate::Cpu): images are decoded on threads of their own. The plain versions of
//! `idct` and `color` are the definition, the fallback and what tests compare AVX2 with. Upsampling
//! is one plain loop that the compiler vectorises.

mod color;
mod idct;
#[cfg(test)]
mod tests;
mod upsample;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use color::{ycc_pixel, ycc_to_bgr};
pub use idct::inverse_dct;
pub use upsample::{double_both, double_height, double_width};

use crate::simd::{Simd, SimdLevel};

/// 64 values of an 8 by 8 block, in natural (row-major) order.
pub type DctBlock = [i16; 64];

/// Divisors of the coefficients of a block, in natural order.
pub type QuantTable = [u16; 64];

fn level(simd: Simd) -> SimdLevel {
    SimdLevel::new(simd).unwrap_or_else(|| panic!("this CPU does not support {simd}"))
}
