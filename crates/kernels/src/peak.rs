//! Fused multiply-adds on registers only: the peak of a core, for roofline tables.

use crate::simd::{Kernel, LANES, Simd, SimdLanes, SimdLevel};

/// Independent sums: two FMAs per cycle with a latency of 4 need at least 8.
const SUMS: usize = 12;

/// Floating-point operations of [`multiply_adds`].
#[must_use]
pub fn flops(steps: usize) -> usize {
    steps * SUMS * LANES * 2
}

/// Runs `steps` times twelve vector multiply-adds on the best SIMD level. Returns a value that
/// depends on all of them, so that the compiler cannot remove the work.
#[must_use]
pub fn multiply_adds(steps: usize) -> f32 {
    SimdLevel::new(Simd::detect()).map_or(0.0, |level| level.run(MultiplyAdds { steps }))
}

struct MultiplyAdds {
    steps: usize,
}

impl Kernel for MultiplyAdds {
    type Out = f32;

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) -> f32 {
        let (a, b) = (s.splat(std::hint::black_box(0.5)), s.splat(std::hint::black_box(0.25)));
        // Different values, or the compiler would compute one sum for all.
        let mut sums = [s.splat(0.0); SUMS];
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = s.splat(std::hint::black_box(i as f32));
        }
        for _ in 0..self.steps {
            for sum in &mut sums {
                *sum = s.fma(a, *sum, b);
            }
        }
        let mut total = s.splat(0.0);
        for sum in sums {
            total = s.fma(sum, sum, total);
        }
        let mut lanes = [0.0; LANES];
        // SAFETY: `lanes` is eight floats.
        unsafe { s.store(lanes.as_mut_ptr(), total) };
        lanes[0]
    }
}
