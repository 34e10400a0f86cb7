//! The arithmetic of one group: signs as bits, and the two values that stand for them.
//!
//! A value is replaced by the mean of all values of its sign, which minimises the squared error.
//! A group with a value that is not finite is replaced by NaN.

use super::groups::WORD_BITS;
use crate::compression::arithmetic::single;

/// What the bits of a group stand for: below zero, and not below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SignMeans {
    pub(super) negative: f32,
    pub(super) positive: f32,
}

impl SignMeans {
    const NOT_FINITE: Self = Self { negative: f32::NAN, positive: f32::NAN };

    pub(super) fn is_finite(self) -> bool {
        self.negative.is_finite() && self.positive.is_finite()
    }

    fn of(self, value: f32) -> f32 {
        if value >= 0.0 { self.positive } else { self.negative }
    }
}

/// Writes the signs of `values` to `bits` and returns the means.
pub(super) fn quantise(values: &[f32], bits: &mut [u32]) -> SignMeans {
    let mut positives = 0;
    for (values, word) in values.chunks(WORD_BITS).zip(bits) {
        *word = pack(values);
        positives += word.count_ones() as usize;
    }
    let (negative, positive) = sums(values);
    let mean = |sum: f64, count: usize| single(sum / count.max(1) as f64);
    let means = SignMeans {
        negative: mean(negative, values.len() - positives),
        positive: mean(positive, positives),
    };
    if means.is_finite() { means } else { SignMeans::NOT_FINITE }
}

/// A bit per value, set unless it is below zero or NaN.
fn pack(values: &[f32]) -> u32 {
    let pack = |values: &[f32]| {
        let bits = values.iter().enumerate().map(|(bit, &value)| u32::from(value >= 0.0) << bit);
        bits.fold(0, |word, bit| word | bit)
    };
    match values.first_chunk::<WORD_BITS>() {
        Some(values) => pack(values), // of known length: without a branch per value
        None => pack(values),
    }
}

/// The sums of the values below zero and of the others, without a branch. In `f64`, in eight lanes.
/// A value that is not finite makes the first sum NaN.
fn sums(values: &[f32]) -> (f64, f64) {
    let (groups, rest) = values.as_chunks::<8>();
    let (mut negatives, mut positives) = ([0.0; 8], [0.0; 8]);
    let mut add = |lane: usize, value: f32| {
        let value = f64::from(value);
        let positive = if value >= 0.0 { value } else { 0.0 };
        positives[lane] += positive;
        negatives[lane] += value - positive;
    };
    for group in groups {
        (0..8).for_each(|lane| add(lane, group[lane]));
    }
    rest.iter().enumerate().for_each(|(lane, &value)| add(lane, value));
    (negatives.iter().sum(), positives.iter().sum())
}

/// `residual = values - what their bits stand for`.
pub(super) fn keep_error(values: &[f32], means: SignMeans, residual: &mut [f32]) {
    assert_eq!(values.len(), residual.len(), "a residual per value");
    for (residual, &value) in residual.iter_mut().zip(values) {
        *residual = value - means.of(value);
    }
}

/// Writes what `bits` stand for.
pub(super) fn decode(bits: &[u32], means: SignMeans, values: &mut [f32]) {
    for (values, &word) in values.chunks_mut(WORD_BITS).zip(bits) {
        for (bit, value) in values.iter_mut().enumerate() {
            *value = if word & (1 << bit) != 0 { means.positive } else { means.negative };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SignMeans, decode, keep_error, quantise};

    /// By hand: (1 + 3 + 0) / 3 and (-2 - 6) / 2; bits 0, 2 and 4 are set.
    #[test]
    fn five_values() {
        let values = [1.0, -2.0, 3.0, -6.0, 0.0];
        let mut bits = [u32::MAX];
        let means = quantise(&values, &mut bits);
        assert_eq!(bits, [0b10101]);
        assert_eq!(means, SignMeans { negative: -4.0, positive: single_third(4.0) });
        let mut decoded = [0.0; 5];
        decode(&bits, means, &mut decoded);
        let p = means.positive;
        assert_eq!(decoded, [p, -4.0, p, -4.0, p]);
        let mut residual = [9.0; 5];
        keep_error(&values, means, &mut residual);
        assert_eq!(residual, [1.0 - p, 2.0, 3.0 - p, -2.0, 0.0 - p]);
    }

    fn single_third(value: f32) -> f32 {
        value / 3.0
    }

    #[test]
    fn groups_of_one_sign_and_across_words() {
        let mut bits = [0; 3];
        let means = quantise(&[2.0; 70], &mut bits);
        assert_eq!((means.negative, means.positive), (0.0, 2.0));
        assert_eq!(bits, [u32::MAX, u32::MAX, 0b11_1111]);
        let means = quantise(&[-2.0; 70], &mut bits);
        assert_eq!((means.negative, means.positive, bits), (-2.0, 0.0, [0; 3]));
    }

    #[test]
    fn one_value_that_is_not_finite_spoils_the_group() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let means = quantise(&[1.0, bad, -1.0], &mut [0]);
            assert!(means.negative.is_nan() && means.positive.is_nan(), "{bad}");
        }
        // Sums beyond f32 are no problem: means are within it again.
        let means = quantise(&[f32::MAX, f32::MAX, -1.0], &mut [0]);
        assert_eq!((means.negative, means.positive), (-1.0, f32::MAX));
    }
}
