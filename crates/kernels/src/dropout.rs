//! Dropout: multiplies by a mask of kept values. Backward applies the same mask to `dy`.

use crate::{
    cpu::{Cpu, TASK_FLOATS},
    view::Unary,
};

/// `y = x · scale` where `keep` is 1, and 0 where it is 0; in place or out of place.
///
/// # Panics
///
/// If the lengths differ.
pub fn apply(cpu: &Cpu, keep: &[u8], scale: f32, values: Unary<'_>) {
    assert_eq!(keep.len(), values.count(), "one mask entry per value");
    match values {
        Unary::InPlace(y) => cpu.run_blocks(y, TASK_FLOATS, |index, y| {
            let keep = &keep[index * TASK_FLOATS..][..y.len()];
            vectorize!(
                cpu,
                y.iter_mut().zip(keep).for_each(|(y, &keep)| *y = kept(*y, scale, keep))
            );
        }),
        Unary::OutOfPlace { x, y } => cpu.run_blocks(y, TASK_FLOATS, |index, y| {
            let keep = &keep[index * TASK_FLOATS..][..y.len()];
            let x = &x[index * TASK_FLOATS..][..y.len()];
            vectorize!(cpu, {
                for ((y, &x), &keep) in y.iter_mut().zip(x).zip(keep) {
                    *y = kept(x, scale, keep);
                }
            });
        }),
    }
}

/// One value. Bitwise, since a conditional would become a branch, which random masks mispredict.
#[inline(always)]
fn kept(x: f32, scale: f32, keep: u8) -> f32 {
    f32::from_bits((x * scale).to_bits() & u32::from(keep).wrapping_neg())
}

#[cfg(test)]
mod tests;
