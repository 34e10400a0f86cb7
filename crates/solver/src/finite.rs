//! Whether gradients are finite, asked before any weight is written.
//!
//! One read of the gradients, a fifth of what the update reads and writes: 1 % of an iteration of
//! AlexNet with 32 images, which has the most parameters for its work, and less for other nets. It
//! is free for values that are in the cache anyway ([`block_is_finite`]), and solvers that need
//! norms do without it: a sum of squares is finite exactly when every gradient is.

use std::sync::atomic::{AtomicBool, Ordering};

use kernels::Cpu;

use crate::BLOCK;

/// Values a thread takes at a time.
const TASK: usize = 16 * BLOCK;

/// Whether no value is infinite or not a number.
#[must_use]
pub fn all_finite(cpu: &Cpu, values: &[f32]) -> bool {
    let finite = AtomicBool::new(true);
    cpu.run(values.len().div_ceil(TASK), |task| {
        let start = task * TASK;
        let values = &values[start..values.len().min(start + TASK)];
        if !block_is_finite(cpu, values) {
            finite.store(false, Ordering::Relaxed);
        }
    });
    finite.into_inner()
}

/// As [`all_finite`], on the calling thread.
#[must_use]
pub fn block_is_finite(cpu: &Cpu, values: &[f32]) -> bool {
    // As bits, magnitudes have their own order, with NaN above infinity.
    let magnitude = kernels::vectorize!(
        cpu,
        values.iter().fold(0_u32, |max, x| max.max(x.to_bits() & !(1 << 31)))
    );
    magnitude < f32::INFINITY.to_bits()
}

#[cfg(test)]
mod tests {
    use kernels::{Cpu, Simd};

    use super::{TASK, all_finite};

    #[test]
    fn one_value_is_enough_wherever_it_is() {
        for simd in [Simd::Portable, Simd::detect()] {
            let cpu = Cpu::new(2, simd);
            let mut values = vec![f32::MAX; 2 * TASK + 5];
            values[3] = f32::MIN;
            assert!(all_finite(&cpu, &values) && all_finite(&cpu, &[]));
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                for at in [0, 17, TASK - 1, TASK, 2 * TASK + 4] {
                    let good = std::mem::replace(&mut values[at], bad);
                    assert!(!all_finite(&cpu, &values), "{bad} at {at}");
                    values[at] = good;
                }
            }
        }
    }
}
