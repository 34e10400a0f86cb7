//! Helpers of all kernel tests.

use crate::{Cpu, Simd};

/// Runs `test` on every SIMD level this machine has, with one and with three threads, and checks
/// that the threads do not change a bit.
#[track_caller]
pub(crate) fn on_every_cpu(test: impl Fn(&Cpu) -> Vec<f32>) {
    for simd in [Simd::Portable, Simd::Avx2] {
        if simd.is_supported() {
            let one = test(&Cpu::new(1, simd));
            let three = test(&Cpu::new(3, simd));
            let same = one.iter().zip(&three).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && one.len() == three.len(), "the number of threads changed {simd} bits");
        }
    }
}

/// Panics unless `got` is `want` to `tolerance`, relative to 1 or to `want`, whichever is larger.
#[track_caller]
pub(crate) fn assert_close(got: &[f32], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(got) - want).abs();
        assert!(error <= tolerance * want.abs().max(1.0), "value {i}: got {got}, want {want}");
    }
}

/// `len` pseudo-random values in -1..1, the same for the same seed.
pub(crate) fn noise(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..len).map(|_| next()).collect()
}
