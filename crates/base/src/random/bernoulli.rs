//! Yes or no: boost's `bernoulli_distribution`, one word per value, none when `p` is 0.
//!
//! Caffe has it in two types. The sparse filler asks with an f32; Dropout writes `1. - threshold`,
//! which is a double, so its words are compared without rounding. About one word in ten million
//! falls between the two.

use super::Mt19937;

impl Mt19937 {
    /// `true` with probability `p`, as Dropout draws.
    ///
    /// # Panics
    ///
    /// If `p` is not from 0 to 1.
    pub fn bernoulli(&mut self, p: f64) -> bool {
        assert!((0.0..=1.0).contains(&p), "probability {p}");
        p != 0.0 && f64::from(self.next_u32()) <= p * f64::from(u32::MAX)
    }

    /// `true` with probability `p`, as the sparse filler draws.
    ///
    /// # Panics
    ///
    /// If `p` is not from 0 to 1.
    pub fn bernoulli_f32(&mut self, p: f32) -> bool {
        assert!((0.0..=1.0).contains(&p), "probability {p}");
        p != 0.0 && self.next_u32() as f32 <= p * u32::MAX as f32
    }
}
