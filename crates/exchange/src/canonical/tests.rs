//! Every form of the sum against the definition, in every format.

use super::{Accumulator, BLOCK, tree_sum};
use crate::wire::{WIRE_FORMATS, WireFormat};

/// The definition, on one value per input.
fn reference(format: &WireFormat, values: &[f32]) -> f32 {
    let mut sum = [match values {
        [only] => *only,
        _ => {
            let mut half = 1;
            while 2 * half < values.len() {
                half *= 2;
            }
            reference(format, &values[..half]) + reference(format, &values[half..])
        }
    }];
    format.round(&mut sum);
    sum[0]
}

/// Values whose sum loses bits in every other order of additions.
fn touchy(input: usize, index: usize) -> f32 {
    let power = if (input + index).is_multiple_of(3) { 3 } else { -4 };
    (1.0 + (input * 7 + index % 101) as f32 * 0.37).powi(power)
}

fn inputs(count: usize, len: usize) -> Vec<Vec<f32>> {
    (0..count).map(|input| (0..len).map(|index| touchy(input, index)).collect()).collect()
}

fn want(format: &WireFormat, count: usize, len: usize) -> Vec<f32> {
    let at = |index| (0..count).map(|input| touchy(input, index)).collect::<Vec<_>>();
    (0..len).map(|index| reference(format, &at(index))).collect()
}

#[test]
fn all_at_once() {
    for format in WIRE_FORMATS {
        for count in 1..=33 {
            let inputs = inputs(count, 40);
            let mut sums = vec![f32::NAN; 37];
            tree_sum(format, &inputs, 3, &mut sums);
            assert_eq!(sums, want(format, count, 40)[3..], "{format}, {count} inputs");
        }
        let (inputs, len) = (inputs(5, 2 * BLOCK + 9), 2 * BLOCK + 8);
        let mut sums = vec![f32::NAN; len];
        tree_sum(format, &inputs, 1, &mut sums);
        assert_eq!(sums, want(format, 5, len + 1)[1..], "{format}");
    }
}

#[test]
fn one_after_another() {
    let len = BLOCK + 50;
    for format in WIRE_FORMATS {
        let mut accumulator = Accumulator::new(format);
        // The memory of earlier, larger counts must not show.
        for count in (1..=9).rev().chain([16, 17]) {
            let scale = if count == 5 { 0.25 } else { 1.0 };
            accumulator.reset(scale);
            let mut inputs = inputs(count, len);
            inputs.iter_mut().flatten().for_each(|value| *value /= scale);
            let mut last = inputs.pop().unwrap();
            inputs.iter_mut().for_each(|input| accumulator.push(input));
            for range in [0..7, 7..BLOCK + 20, BLOCK + 20..len] {
                accumulator.finish_range(&mut last[range.clone()], range);
            }
            assert_eq!(last, want(format, count, len), "{format}, {count} inputs");
        }
    }
}
