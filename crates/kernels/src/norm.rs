//! Sum of squares, for gradient clipping and LARS.

use crate::{cpu::Cpu, cpu::Pieces};

/// Values a block; the arithmetic contract of `DESIGN.md` fixes it.
pub const BLOCK: usize = 4096;

/// `Σ x²` in f64: blocks of 4,096 values from the start, added in order.
///
/// Within a block, eight sums (value `i` goes to sum `i % 8`) are added first to last, on every SIMD
/// level alike.
#[must_use]
pub fn sum_of_squares(cpu: &Cpu, x: &[f32]) -> f64 {
    let blocks = x.len().div_ceil(BLOCK);
    cpu.with_shared_f64(blocks, |sums| {
        let pieces = Pieces::new(sums, 16);
        cpu.run(pieces.count(), |task| {
            // SAFETY: each piece is one task's.
            let sums = unsafe { pieces.get(task) };
            for (sum, x) in sums.iter_mut().zip(x[task * 16 * BLOCK..].chunks(BLOCK)) {
                *sum = vectorize!(cpu, block(x));
            }
        });
        sums.iter().sum()
    })
}

#[inline(always)]
fn block(x: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (chunks, tail) = x.as_chunks::<8>();
    for chunk in chunks {
        for (sum, &x) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(x) * f64::from(x);
        }
    }
    for (sum, &x) in sums.iter_mut().zip(tail) {
        *sum += f64::from(x) * f64::from(x);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests;
