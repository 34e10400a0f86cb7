//! Loops over values that several rows need. Sums have a fixed number of lanes, so that they are
//! repeatable and still use vector instructions.

/// Values of a block of a norm, as everywhere in the workspace.
const NORM_BLOCK: usize = 4096;

/// Sum of absolute values: in `f64` over blocks, which are added in order.
pub(super) fn l1_norm(values: &[f32]) -> f64 {
    values.chunks(NORM_BLOCK).map(|block| lane_sum(block, |value| f64::from(value.abs()))).sum()
}

/// Sum of `term` over a block, in eight lanes.
#[inline(always)]
fn lane_sum(block: &[f32], term: impl Fn(f32) -> f64) -> f64 {
    let (groups, rest) = block.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for group in groups {
        for (lane, &value) in lanes.iter_mut().zip(group) {
            *lane += term(value);
        }
    }
    let rest: f64 = rest.iter().map(|&value| term(value)).sum();
    lanes.iter().sum::<f64>() + rest
}

/// Inner product in sixteen lanes.
pub(super) fn dot(x: &[f32], y: &[f32]) -> f32 {
    assert_eq!(x.len(), y.len(), "vectors of a product have one length");
    let ((x_groups, x_rest), (y_groups, y_rest)) = (x.as_chunks::<16>(), y.as_chunks::<16>());
    let mut lanes = [0.0_f32; 16];
    for (x, y) in x_groups.iter().zip(y_groups) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += x * y;
        }
    }
    let rest: f32 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    lanes.iter().sum::<f32>() + rest
}

/// `sums += factor · values`.
pub(super) fn add_scaled(factor: f32, values: &[f32], sums: &mut [f32]) {
    add_terms([(factor, values)], sums);
}

/// `sums += factor · values` for all terms, one after another: four in one pass over the sums.
pub(super) fn add_scaled_all<'a>(
    mut terms: impl Iterator<Item = (f32, &'a [f32])>,
    sums: &mut [f32],
) {
    loop {
        match [terms.next(), terms.next(), terms.next(), terms.next()] {
            [Some(a), Some(b), Some(c), Some(d)] => add_terms([a, b, c, d], sums),
            [Some(a), Some(b), Some(c), _] => return add_terms([a, b, c], sums),
            [Some(a), Some(b), ..] => return add_terms([a, b], sums),
            [Some(a), ..] => return add_terms([a], sums),
            _ => return,
        }
    }
}

#[inline(always)]
fn add_terms<const N: usize>(terms: [(f32, &[f32]); N], sums: &mut [f32]) {
    for (_, values) in terms {
        assert_eq!(sums.len(), values.len(), "both sides of a sum have one length");
    }
    for (index, sum) in sums.iter_mut().enumerate() {
        *sum = terms.iter().fold(*sum, |sum, (factor, values)| sum + factor * values[index]);
    }
}

/// Multiplies all values.
pub(super) fn scale(factor: f32, values: &mut [f32]) {
    for value in values {
        *value *= factor;
    }
}

/// Replaces what is not finite by zero.
pub(super) fn zero_not_finite(values: &mut [f32]) {
    for value in values {
        *value = if value.is_finite() { *value } else { 0.0 };
    }
}

/// `f64` to the nearest `f32`.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what is meant")]
pub(super) fn single(value: f64) -> f32 {
    value as f32
}

/// `fraction · count`, rounded up, and at most `count`. Products that miss a whole number by a
/// rounding error (0.07 · 100) are that number.
#[expect(clippy::cast_possible_truncation, reason = "at most `count`")]
#[expect(clippy::cast_sign_loss, reason = "a fraction is above 0")]
pub(super) fn fraction_of(fraction: f64, count: usize) -> usize {
    let product = fraction * count as f64;
    ((product * (1.0 - 1e-12)).ceil() as usize).min(count)
}

#[cfg(test)]
mod tests {
    use super::{add_scaled, add_scaled_all, dot, fraction_of, l1_norm, zero_not_finite};

    #[test]
    fn norms_and_products_of_every_length() {
        for len in [0, 1, 7, 8, 9, 16, 17, 4095, 4096, 4097, 10_000] {
            let values: Vec<f32> = (0..len).map(|i| ((i * 7) % 11) as f32 - 5.0).collect();
            let want: f64 = values.iter().map(|&value| f64::from(value.abs())).sum();
            assert_eq!(l1_norm(&values), want, "{len}");
            let ones = vec![1.0; len];
            let sum: f32 = values.iter().sum();
            assert_eq!(dot(&values, &ones), sum, "{len}"); // small whole numbers add exactly
            let mut sums = ones.clone();
            add_scaled(2.0, &values, &mut sums);
            assert!(sums.iter().zip(&values).all(|(sum, value)| *sum == 1.0 + 2.0 * value));
        }
        assert!(l1_norm(&[1.0, f32::NAN]).is_nan());
    }

    #[test]
    fn many_terms_have_the_bits_of_one_after_another() {
        for count in 0..=9 {
            let vectors: Vec<Vec<f32>> = (0..count)
                .map(|k| (0..50).map(|i| 1.0 / (1 + i * 3 + k) as f32).collect())
                .collect();
            let terms = || vectors.iter().zip([0.3, -0.7].iter().cycle());
            let mut want = vec![0.1; 50];
            terms().for_each(|(vector, factor)| add_scaled(*factor, vector, &mut want));
            let mut sums = vec![0.1; 50];
            add_scaled_all(terms().map(|(vector, factor)| (*factor, &vector[..])), &mut sums);
            assert_eq!(sums, want, "{count}");
        }
    }

    #[test]
    fn fractions_are_rounded_up() {
        for (fraction, count, want) in [
            (0.07, 100, 7), // 7.000000000000001 as a product
            (0.15, 1903, 286),
            (0.5, 3, 2),
            (1e-9, 10, 1),
            (1.0, 10, 10),
            (0.5, 0, 0),
        ] {
            assert_eq!(fraction_of(fraction, count), want, "{fraction} of {count}");
        }
    }

    #[test]
    fn what_is_not_finite_becomes_zero() {
        let mut values = [1.0, f32::NAN, f32::INFINITY, -2.0, f32::NEG_INFINITY];
        zero_not_finite(&mut values);
        assert_eq!(values, [1.0, 0.0, 0.0, -2.0, 0.0]);
    }
}
