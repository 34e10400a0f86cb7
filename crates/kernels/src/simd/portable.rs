//! Eight floats in an array: for CPUs without AVX2, and for Miri.

use std::array::from_fn;

use crate::simd::{LANES, SimdLanes};

/// Every CPU supports it, so it needs no proof.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

impl SimdLanes for Portable {
    type F = [f32; LANES];

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        [value; LANES]
    }

    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        // Not `mul_add`: without the instruction it is a library call.
        from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn transpose(self, rows: [Self::F; LANES]) -> [Self::F; LANES] {
        from_fn(|j| from_fn(|i| rows[i][j]))
    }

    #[inline(always)]
    fn masked(self, v: Self::F, slope: f32, d: Self::F) -> Self::F {
        from_fn(|i| if v[i] > 0.0 { d[i] } else { slope * d[i] })
    }

    #[inline(always)]
    fn larger(self, [best, which]: [Self::F; 2], x: Self::F, number: Self::F) -> [Self::F; 2] {
        // Bitwise, since a conditional would become a branch.
        let larger: [u32; LANES] = from_fn(|i| u32::from(x[i] > best[i]).wrapping_neg());
        [(best, x), (which, number)].map(|(old, new)| {
            from_fn(|i| {
                let (old, new) = (old[i].to_bits(), new[i].to_bits());
                f32::from_bits(old ^ (old ^ new) & larger[i])
            })
        })
    }

    #[inline(always)]
    fn where_same(self, a: Self::F, b: Self::F, x: Self::F) -> Self::F {
        from_fn(|i| if a[i].to_bits() == b[i].to_bits() { x[i] } else { 0.0 })
    }

    #[inline(always)]
    unsafe fn load(self, from: *const f32) -> Self::F {
        // SAFETY: the caller guarantees eight readable floats.
        unsafe { from.cast::<Self::F>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32, x: Self::F) {
        // SAFETY: the caller guarantees eight writable floats.
        unsafe { to.cast::<Self::F>().write_unaligned(x) }
    }

    #[inline(always)]
    unsafe fn splat_at(self, from: *const f32) -> Self::F {
        // SAFETY: the caller guarantees `from`.
        [unsafe { *from }; LANES]
    }
}
