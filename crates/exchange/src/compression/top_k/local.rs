//! What one rank selects: accumulates velocity, and finds the largest values by a threshold that is
//! used again until it selects too many or too few.

use super::keys::{KeyPrefix, LOCAL_DIGITS, key, kth_largest};
use crate::compression::MomentumSetup;
use crate::compression::blocks::word;
use std::convert::Infallible;

/// Values that are accumulated before they are looked at: they stay in the first-level cache.
const BLOCK: usize = 2048;

/// How many entries count as about `k`: a third more or less.
pub(super) fn about(k: usize) -> std::ops::RangeInclusive<usize> {
    k - k / 3..=k + k / 3
}

/// Takes in a gradient (`u = m u + g`, `v = v + u`; Nesterov's: `u = m (u + g)`, `v = v + u + g`)
/// and appends to `selected` the indices of accumulated values from `threshold` on.
pub(super) fn accumulate(
    momentum: MomentumSetup,
    gradient: &[f32],
    (velocity, accumulated): (&mut [f32], &mut [f32]),
    threshold: u32,
    selected: &mut Vec<u32>,
) {
    let m = momentum.value;
    let states = velocity.chunks_mut(BLOCK).zip(accumulated.chunks_mut(BLOCK));
    for (block, (gradient, (velocity, accumulated))) in
        gradient.chunks(BLOCK).zip(states).enumerate()
    {
        let values = gradient.iter().zip(velocity.iter_mut().zip(accumulated.iter_mut()));
        if momentum.nesterov {
            for (&g, (u, v)) in values {
                *u = m * (*u + g);
                *v += *u + g;
            }
        } else {
            for (&g, (u, v)) in values {
                *u = m * *u + g;
                *v += *u;
            }
        }
        select_from(accumulated, threshold, word(block * BLOCK), selected);
    }
}

/// Appends the indices of values from `threshold` on; `values` begin at index `start`.
fn select_from(values: &[f32], threshold: u32, start: u32, selected: &mut Vec<u32>) {
    for (group, start) in values.chunks(16).zip((start..).step_by(16)) {
        // Few groups have any: this test of all sixteen uses vector instructions.
        if group.iter().fold(false, |any, &value| any | (key(value) >= threshold)) {
            for (&value, index) in group.iter().zip(start..) {
                if key(value) >= threshold {
                    selected.push(index);
                }
            }
        }
    }
}

/// Selects the `k` largest values, of equal ones the first, and returns the threshold that does.
/// Reads all values four times.
pub(super) fn select_exactly(values: &[f32], k: usize, selected: &mut Vec<u32>) -> u32 {
    let threshold = kth_largest_of(|| values.iter().copied(), k);
    selected.clear();
    select_from(values, threshold, 0, selected);
    keep_first(values, k, threshold, selected);
    threshold
}

/// The same where `selected` has the `k` largest values among others, so that only those are read:
/// accumulated values grow, and a threshold that is used again mostly selects too many.
pub(super) fn narrow_exactly(values: &[f32], k: usize, selected: &mut Vec<u32>) -> u32 {
    let threshold = kth_largest_of(|| selected.iter().map(|&index| values[index as usize]), k);
    selected.retain(|&index| key(values[index as usize]) >= threshold);
    keep_first(values, k, threshold, selected);
    threshold
}

fn kth_largest_of<I: Iterator<Item = f32>>(values: impl Fn() -> I, k: usize) -> u32 {
    let count = |prefix: KeyPrefix, bins: &mut [u32]| {
        prefix.count(values(), bins);
        Ok::<(), Infallible>(())
    };
    kth_largest(k, LOCAL_DIGITS, count).unwrap_or_else(|never| match never {})
}

/// Of the values that equal the threshold only the first are kept, `k` values in all.
fn keep_first(values: &[f32], k: usize, threshold: u32, selected: &mut Vec<u32>) {
    let larger = selected.iter().filter(|&&index| key(values[index as usize]) > threshold).count();
    let mut equal = k.saturating_sub(larger);
    selected.retain(|&index| {
        if key(values[index as usize]) > threshold {
            return true;
        }
        let is_kept = equal > 0;
        equal = equal.saturating_sub(1);
        is_kept
    });
}

#[cfg(test)]
mod tests {
    use super::{about, accumulate, key, narrow_exactly, select_exactly, select_from};
    use crate::compression::MomentumSetup;

    /// By hand, momentum 0.5: u = 0.5 · 2 + 1 = 2, v = 10 + 2; Nesterov's u = 0.5 (2 + 1) = 1.5,
    /// v = 10 + 1.5 + 1.
    #[test]
    fn velocity_is_accumulated() {
        for (nesterov, want) in [(false, (2.0, 12.0)), (true, (1.5, 12.5))] {
            let (mut u, mut v, mut selected) = ([2.0; 3], [10.0; 3], Vec::new());
            let momentum = MomentumSetup { value: 0.5, nesterov };
            accumulate(momentum, &[1.0; 3], (&mut u, &mut v), key(12.1), &mut selected);
            assert_eq!((u, v), ([want.0; 3], [want.1; 3]));
            assert_eq!(selected.len(), if nesterov { 3 } else { 0 });
        }
    }

    #[test]
    fn blocks_are_numbered_through() {
        let len = 5000;
        let gradient: Vec<f32> = (0..len).map(|i| if i % 777 == 0 { -2.0 } else { 1.0 }).collect();
        let (mut u, mut v, mut selected) = (vec![0.0; len], vec![0.0; len], Vec::new());
        let momentum = MomentumSetup { value: 0.9, nesterov: false };
        accumulate(momentum, &gradient, (&mut u, &mut v), key(2.0), &mut selected);
        assert_eq!(selected, [0, 777, 1554, 2331, 3108, 3885, 4662]);
    }

    #[test]
    fn of_equal_values_the_first_are_taken() {
        let values = [1.0, -3.0, 2.0, 2.0, f32::NAN, 2.0, 0.0];
        let mut selected = Vec::new();
        for (k, want, threshold) in [
            (1, &[4][..], f32::NAN),
            (2, &[1, 4], 3.0),
            (3, &[1, 2, 4], 2.0),
            (4, &[1, 2, 3, 4], 2.0),
            (6, &[0, 1, 2, 3, 4, 5], 1.0),
        ] {
            assert_eq!(select_exactly(&values, k, &mut selected), key(threshold), "{k}");
            assert_eq!(selected, want, "{k}");
            selected.clear();
            select_from(&values, key(1.0), 0, &mut selected); // more than enough
            assert_eq!(narrow_exactly(&values, k, &mut selected), key(threshold), "{k}");
            assert_eq!(selected, want, "{k}");
        }
        assert_eq!(select_exactly(&values, 7, &mut selected), 1); // there are only six
        assert_eq!(selected.len(), 6);
        assert_eq!(about(9), 6..=12);
        assert_eq!(about(1), 1..=1);
    }
}
