//! `y += x`, the only arithmetic a collective does.

/// Adds `values` to `sums`. A plain loop: the compiler vectorises it, memory bounds it (9 to 10 GB
/// of sums a second on one core of the reference machine).
///
/// # Panics
///
/// If the lengths differ: both come from one plan.
pub fn add_assign(sums: &mut [f32], values: &[f32]) {
    assert_eq!(sums.len(), values.len(), "both sides of a message have one length");
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}
