//! Operations on vectors of eight floats.

use crate::{
    half::{F16Codec, HalfCodec},
    simd::LANES,
};

/// Balances the positive and negative errors of [`SimdLanes::quarter_guess`].
pub(super) const QUARTER: u32 = 0x4F58_1800;

/// Eight floats at a time. Implementors are zero-sized proofs that the CPU supports the level.
pub(crate) trait SimdLanes: Copy + Send + Sync {
    /// Eight floats.
    type F: Copy;

    /// `value` in every lane.
    fn splat(self, value: f32) -> Self::F;
    /// `a * b + c`, rounded once where the level has FMA and twice otherwise.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `a + b`.
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`.
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        self.fma(b, self.splat(-1.0), a)
    }
    /// Lane `j` of vector `i` becomes lane `i` of vector `j`.
    fn transpose(self, rows: [Self::F; LANES]) -> [Self::F; LANES];
    /// `d` where `v > 0`, else `slope * d`.
    fn masked(self, v: Self::F, slope: f32, d: Self::F) -> Self::F;
    /// `x` where `x > 0`, else `slope * x`; NaN stays NaN.
    #[inline(always)]
    fn relu(self, x: Self::F, slope: f32) -> Self::F {
        self.masked(x, slope, x)
    }
    /// `[x, number]` where `x` is larger than `best[0]`, else `best`. `number` may be any bits.
    fn larger(self, best: [Self::F; 2], x: Self::F, number: Self::F) -> [Self::F; 2];
    /// `x` where `a` and `b` have the same bits, else 0.
    fn where_same(self, a: Self::F, b: Self::F, x: Self::F) -> Self::F;

    /// `s^-1/4` to 3 %, for a positive `s`. The bits of a float approximate its logarithm, so a
    /// quarter of them is subtracted from a constant.
    #[inline(always)]
    fn quarter_guess(self, s: Self::F) -> Self::F {
        let mut lanes = [0.0_f32; LANES];
        // SAFETY: `lanes` is eight floats.
        unsafe { self.store(lanes.as_mut_ptr(), s) };
        for lane in &mut lanes {
            *lane = f32::from_bits(QUARTER - (lane.to_bits() >> 2));
        }
        // SAFETY: as above.
        unsafe { self.load(lanes.as_ptr()) }
    }

    /// Prefetches the cache line at `at` into L2. Any address is allowed.
    #[inline(always)]
    fn prefetch(self, at: *const f32) {
        let _ = at;
    }

    /// Reads eight floats, any alignment.
    ///
    /// # Safety
    ///
    /// `from` must be readable for eight floats.
    unsafe fn load(self, from: *const f32) -> Self::F;

    /// Writes eight floats, any alignment.
    ///
    /// # Safety
    ///
    /// `to` must be writable for eight floats.
    unsafe fn store(self, to: *mut f32, x: Self::F);

    /// Reads `count` floats; the other lanes are 0.
    ///
    /// # Safety
    ///
    /// `from` must be readable for `count` floats, at most eight.
    #[inline(always)]
    unsafe fn load_first(self, from: *const f32, count: usize) -> Self::F {
        let mut lanes = [0.0; LANES];
        for (i, lane) in lanes.iter_mut().enumerate().take(count) {
            // SAFETY: the caller guarantees `count` floats.
            *lane = unsafe { *from.wrapping_add(i) };
        }
        // SAFETY: `lanes` is eight floats.
        unsafe { self.load(lanes.as_ptr()) }
    }

    /// Writes the first `count` of eight floats.
    ///
    /// # Safety
    ///
    /// `to` must be writable for `count` floats, at most eight.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, x: Self::F, count: usize) {
        let mut lanes = [0.0; LANES];
        // SAFETY: `lanes` is eight floats.
        unsafe { self.store(lanes.as_mut_ptr(), x) };
        for (i, &lane) in lanes.iter().enumerate().take(count) {
            // SAFETY: the caller guarantees `count` floats.
            unsafe { *to.wrapping_add(i) = lane };
        }
    }

    /// Reads eight f16, any alignment.
    ///
    /// # Safety
    ///
    /// `from` must be readable for eight values.
    #[inline(always)]
    unsafe fn load_f16(self, from: *const u16) -> Self::F {
        // SAFETY: the caller guarantees eight values.
        let stored = unsafe { from.cast::<[u16; LANES]>().read_unaligned() };
        let mut lanes = [0.0; LANES];
        F16Codec.expand_row(&stored, &mut lanes);
        // SAFETY: `lanes` is eight floats.
        unsafe { self.load(lanes.as_ptr()) }
    }

    /// Writes eight values as f16, rounded to nearest even, any alignment.
    ///
    /// # Safety
    ///
    /// `to` must be writable for eight values.
    #[inline(always)]
    unsafe fn store_f16(self, to: *mut u16, x: Self::F) {
        let (mut lanes, mut stored) = ([0.0; LANES], [0; LANES]);
        // SAFETY: `lanes` is eight floats.
        unsafe { self.store(lanes.as_mut_ptr(), x) };
        F16Codec.compress_row(&lanes, &mut stored);
        // SAFETY: the caller guarantees eight values.
        unsafe { to.cast::<[u16; LANES]>().write_unaligned(stored) };
    }

    /// Reads one float into every lane.
    ///
    /// # Safety
    ///
    /// `from` must be readable.
    unsafe fn splat_at(self, from: *const f32) -> Self::F;

    /// Adds `a[i][r * step] * b[r][j]` over `r` in `0..len` to the six rows of two vectors
    /// `acc[i][j]`.
    ///
    /// # Safety
    ///
    /// Each of `a` must be readable at `len` addresses `step` apart, and `b` for `16 * len` floats.
    #[inline(always)]
    unsafe fn rows_times_panel(
        self,
        acc: [[Self::F; 2]; 6],
        a: &[*const f32; 6],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> [[Self::F; 2]; 6] {
        // SAFETY: the caller upholds the contract.
        unsafe { crate::tile::accumulate_plain::<Self, 6, 2>(self, acc, a, step, b, len) }
    }
}
