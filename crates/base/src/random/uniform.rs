//! Uniform values: boost's `uniform_real<float>` between Caffe's bounds, and its
//! `uniform_01<float>`.
//!
//! A word converted to f32 may round up to 2^32, and `min + share * (max - min)` may round up to
//! the end; both draws are discarded and repeated, so a value can cost more than one word.

use super::Mt19937;

/// 2^32: what boost divides words by, after rounding its largest word to f32.
const WORD_RANGE: f32 = 4_294_967_296.0;

impl Mt19937 {
    /// One value from `min` to `max`, both included, as one call of Caffe's `caffe_rng_uniform`.
    ///
    /// # Panics
    ///
    /// If `min <= max` does not hold or a bound is not finite: no draw would ever be accepted.
    pub fn uniform(&mut self, min: f32, max: f32) -> f32 {
        assert!(min <= max && min.is_finite() && max.is_finite(), "uniform from {min} to {max}");
        // The end is excluded, so Caffe moves it one step up (but never to infinity).
        let end = if max < f32::MAX { max.next_up() } else { max };
        if end / 2.0 - min / 2.0 > f32::MAX / 2.0 {
            // `end - min` would overflow: draw half of it.
            return 2.0 * self.uniform_below(min / 2.0, end / 2.0);
        }
        self.uniform_below(min, end)
    }

    /// Fills `values` as [`uniform`](Self::uniform) does one by one.
    pub fn fill_uniform(&mut self, min: f32, max: f32, values: &mut [f32]) {
        for value in values {
            *value = self.uniform(min, max);
        }
    }

    fn uniform_below(&mut self, min: f32, end: f32) -> f32 {
        loop {
            let value = self.next_u32() as f32 / WORD_RANGE * (end - min) + min;
            if value < end {
                return value;
            }
        }
    }

    /// From 0 to 1, the end excluded.
    pub(super) fn uniform_01(&mut self) -> f32 {
        loop {
            let value = self.next_u32() as f32 * (1.0 / WORD_RANGE);
            if value < 1.0 {
                return value;
            }
        }
    }
}
