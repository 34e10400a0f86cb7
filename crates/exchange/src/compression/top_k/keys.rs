//! Magnitudes as whole numbers, and the k-th largest of them without sorting.
//!
//! The bits of an `f32` without its sign have the order of magnitudes, with infinity above all
//! numbers and NaN above infinity: what is not finite is always among the largest.
//!
//! The k-th largest is found digit by digit: a histogram of the upper bits says in which bin it is,
//! one of the next bits within that bin where in it, and so on. A reading per digit, no copy, and
//! histograms of several ranks can be added in between.

use crate::compression::blocks::word;

/// Magnitude of a value: 31 bits.
#[inline(always)]
pub(super) fn key(value: f32) -> u32 {
    value.to_bits() & 0x7fff_ffff
}

/// Most bins of a histogram.
pub(super) const BINS_MAX: usize = 1 << 11;

/// A digit: bits below it, and its own bits.
pub(super) type KeyDigit = (u32, u32);

/// For a rank's own values: few readings.
pub(super) const LOCAL_DIGITS: &[KeyDigit] = &[(20, 11), (10, 10), (0, 10)];

/// For sums between ranks: short histograms.
pub(super) const GLOBAL_DIGITS: &[KeyDigit] = &[(24, 7), (16, 8), (8, 8), (0, 8)];

/// Keys whose upper digits are known; they are to be counted by the next digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyPrefix {
    digits: u32,
    shift: u32,
    bits: u32,
}

impl KeyPrefix {
    /// Counts the keys of `values` that begin with these digits.
    pub(super) fn count(self, values: impl Iterator<Item = f32>, bins: &mut [u32]) {
        let mask = (1 << self.bits) - 1;
        for key in values.map(key).filter(|&key| key != 0) {
            let digits = key >> self.shift;
            if digits >> self.bits == self.digits {
                bins[(digits & mask) as usize] += 1;
            }
        }
    }
}

/// Finds the key of the k-th largest value that is not zero. `count` adds to the bins how often
/// each next digit occurs. If there are fewer than k, the result is 1, the smallest key but zero.
pub(super) fn kth_largest<E>(
    k: usize,
    digits_of_key: &[KeyDigit],
    mut count: impl FnMut(KeyPrefix, &mut [u32]) -> Result<(), E>,
) -> Result<u32, E> {
    let (mut digits, mut wanted) = (0, k.max(1) as u64);
    for &(shift, bits) in digits_of_key {
        let mut bins = [0_u32; BINS_MAX];
        let bins = &mut bins[..1 << bits];
        count(KeyPrefix { digits, shift, bits }, bins)?;
        let mut found = None;
        for (digit, &bin) in bins.iter().enumerate().rev() {
            if u64::from(bin) >= wanted {
                found = Some(word(digit));
                break;
            }
            wanted -= u64::from(bin);
        }
        let Some(digit) = found else { return Ok(1) };
        digits = digits << bits | digit;
    }
    Ok(digits)
}

#[cfg(test)]
mod tests {
    use super::{GLOBAL_DIGITS, LOCAL_DIGITS, key, kth_largest};
    use std::convert::Infallible;

    fn kth(values: &[f32], k: usize) -> u32 {
        let count = |prefix: super::KeyPrefix, bins: &mut [u32]| {
            prefix.count(values.iter().copied(), bins);
            Ok::<(), Infallible>(())
        };
        let [local, global] = [LOCAL_DIGITS, GLOBAL_DIGITS]
            .map(|digits| kth_largest(k, digits, count).unwrap_or_else(|never| match never {}));
        assert_eq!(local, global);
        local
    }

    #[test]
    fn as_sorting_would_find_it() {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits(state & 0xbfff_ffff) // finite, of all sizes and both signs
        };
        let values: Vec<f32> = (0..500).map(|_| next()).collect();
        let mut keys: Vec<u32> = values.iter().copied().map(key).filter(|&key| key > 0).collect();
        keys.sort_unstable_by(|a, b| b.cmp(a));
        for k in 1..=keys.len() {
            assert_eq!(kth(&values, k), keys[k - 1], "{k}");
        }
        assert_eq!(kth(&values, keys.len() + 1), 1);
    }

    #[test]
    fn zeros_do_not_count_and_what_is_not_finite_is_largest() {
        assert_eq!(kth(&[0.0, -0.0, 0.0], 1), 1);
        assert_eq!(kth(&[0.0, 2.0, -3.0], 2), key(2.0));
        let odd = [1.0, f32::NEG_INFINITY, f32::NAN, f32::MAX];
        assert_eq!(kth(&odd, 1), key(f32::NAN));
        assert_eq!(kth(&odd, 2), key(f32::INFINITY));
        assert_eq!(kth(&[5.0; 40], 17), key(5.0));
    }
}
