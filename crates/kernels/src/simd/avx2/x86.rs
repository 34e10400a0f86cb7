//! The AVX2, FMA and F16C instructions behind each operation.

use std::arch::x86_64::{
    __m256, _CMP_GT_OQ, _MM_FROUND_TO_NEAREST_INT, _MM_HINT_T1, _mm_loadu_si128, _mm_prefetch,
    _mm_storeu_si128, _mm256_add_ps, _mm256_and_ps, _mm256_blendv_ps, _mm256_broadcast_ss,
    _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpeq_epi32, _mm256_cvtph_ps,
    _mm256_cvtps_ph, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps, _mm256_mul_ps,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_srli_epi32, _mm256_storeu_ps, _mm256_sub_epi32,
};

use super::{Avx2, first, tile, transpose};
use crate::simd::{Kernel, LANES, SimdLanes, lanes::QUARTER};

impl Avx2 {
    /// The only constructor.
    pub(crate) fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        present.then_some(Self(()))
    }

    /// Runs `kernel` compiled with AVX2, FMA and F16C.
    #[inline]
    pub(crate) fn enter<K: Kernel>(self, kernel: K) -> K::Out {
        #[target_feature(enable = "avx2,fma,f16c")]
        fn inner<K: Kernel>(s: Avx2, kernel: K) -> K::Out {
            kernel.run(s)
        }
        // SAFETY: `self` exists, so the CPU has avx2, fma and f16c.
        unsafe { inner(self, kernel) }
    }
}

impl SimdLanes for Avx2 {
    type F = __m256;

    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    fn fma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        unsafe { _mm256_add_ps(a, b) }
    }

    #[inline(always)]
    fn masked(self, v: __m256, slope: f32, d: __m256) -> __m256 {
        let (zero, slope) = (self.splat(0.0), self.splat(slope));
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        let positive = unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(v, zero) };
        // SAFETY: as above.
        let scaled = unsafe { _mm256_mul_ps(d, slope) };
        // SAFETY: as above.
        unsafe { _mm256_blendv_ps(scaled, d, positive) }
    }

    #[inline(always)]
    fn larger(self, [best, which]: [__m256; 2], x: __m256, number: __m256) -> [__m256; 2] {
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        let larger = unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(x, best) };
        // SAFETY: as above. Gives its second operand unless the first is larger, also for NaN.
        let best = unsafe { _mm256_max_ps(x, best) };
        // SAFETY: as above.
        [best, unsafe { _mm256_blendv_ps(which, number, larger) }]
    }

    #[inline(always)]
    fn where_same(self, a: __m256, b: __m256, x: __m256) -> __m256 {
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        let a = unsafe { _mm256_castps_si256(a) };
        // SAFETY: as above.
        let b = unsafe { _mm256_castps_si256(b) };
        // SAFETY: as above.
        let same = unsafe { _mm256_cmpeq_epi32(a, b) };
        // SAFETY: as above.
        let same = unsafe { _mm256_castsi256_ps(same) };
        // SAFETY: as above.
        unsafe { _mm256_and_ps(same, x) }
    }

    #[inline(always)]
    fn quarter_guess(self, s: __m256) -> __m256 {
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        let bits = unsafe { _mm256_castps_si256(s) };
        // SAFETY: as above.
        let quarter = unsafe { _mm256_srli_epi32::<2>(bits) };
        // SAFETY: as above.
        let from = unsafe { _mm256_set1_epi32(QUARTER.cast_signed()) };
        // SAFETY: as above.
        let guess = unsafe { _mm256_sub_epi32(from, quarter) };
        // SAFETY: as above.
        unsafe { _mm256_castsi256_ps(guess) }
    }

    #[inline(always)]
    fn prefetch(self, at: *const f32) {
        // SAFETY: a prefetch reads nothing that the program can see, and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const f32) -> __m256 {
        // SAFETY: the caller guarantees `from`, `self` proves avx2.
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32, x: __m256) {
        // SAFETY: the caller guarantees `to`, `self` proves avx2.
        unsafe { _mm256_storeu_ps(to, x) }
    }

    #[inline(always)]
    unsafe fn load_f16(self, from: *const u16) -> __m256 {
        // SAFETY: the caller guarantees `from`, `self` proves avx2.
        let stored = unsafe { _mm_loadu_si128(from.cast()) };
        // SAFETY: `self` exists, so the CPU has f16c.
        unsafe { _mm256_cvtph_ps(stored) }
    }

    #[inline(always)]
    unsafe fn store_f16(self, to: *mut u16, x: __m256) {
        // SAFETY: `self` exists, so the CPU has f16c.
        let stored = unsafe { _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x) };
        // SAFETY: the caller guarantees `to`, `self` proves avx2.
        unsafe { _mm_storeu_si128(to.cast(), stored) }
    }

    #[inline(always)]
    unsafe fn load_first(self, from: *const f32, count: usize) -> __m256 {
        // SAFETY: the caller guarantees `from`, `self` proves avx2.
        unsafe { first::load(from, count) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, x: __m256, count: usize) {
        // SAFETY: the caller guarantees `to`, `self` proves avx2.
        unsafe { first::store(to, x, count) }
    }

    #[inline(always)]
    unsafe fn splat_at(self, from: *const f32) -> __m256 {
        // SAFETY: the caller guarantees `from`.
        let value = unsafe { &*from };
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        unsafe { _mm256_broadcast_ss(value) }
    }

    #[inline(always)]
    fn transpose(self, rows: [__m256; LANES]) -> [__m256; LANES] {
        // SAFETY: `self` exists, so the CPU has avx2 and fma.
        unsafe { transpose::transpose(rows) }
    }

    #[inline(always)]
    unsafe fn rows_times_panel(
        self,
        acc: [[__m256; 2]; 6],
        a: &[*const f32; 6],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> [[__m256; 2]; 6] {
        // SAFETY: the caller guarantees the pointers, `self` proves avx2 and fma.
        unsafe { tile::rows_times_panel(acc, a, step, b, len) }
    }
}
