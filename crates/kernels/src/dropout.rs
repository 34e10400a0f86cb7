//! Dropout: multiplies by a mask of kept values. Its own backward: apply the same mask to `dy`.

use crate::{
    cpu::{CHUNK, Cpu},
    view::Unary,
};

/// `y = x · scale` where `keep` is not 0, else 0; in place or apart.
///
/// # Panics
///
/// If the lengths differ.
pub fn apply(cpu: &Cpu, keep: &[u8], scale: f32, values: Unary<'_>) {
    assert_eq!(keep.len(), values.count(), "one mask entry a value");
    let kept = |x: f32, keep: u8| if keep == 0 { 0.0 } else { x * scale };
    match values {
        Unary::InPlace(y) => cpu.run_chunks(y, CHUNK, |index, y| {
            let keep = &keep[index * CHUNK..][..y.len()];
            cpu.vectorize(|| y.iter_mut().zip(keep).for_each(|(y, &keep)| *y = kept(*y, keep)));
        }),
        Unary::Apart { x, y } => cpu.run_chunks(y, CHUNK, |index, y| {
            let keep = &keep[index * CHUNK..][..y.len()];
            let x = &x[index * CHUNK..][..y.len()];
            cpu.vectorize(|| {
                for ((y, &x), &keep) in y.iter_mut().zip(x).zip(keep) {
                    *y = kept(x, keep);
                }
            });
        }),
    }
}

#[cfg(test)]
mod tests;
