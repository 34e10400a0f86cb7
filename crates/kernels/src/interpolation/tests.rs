//! Against the formula in f64, for any sizes and crops.

use std::ops::Range;

use proptest::prelude::*;

use super::{Interpolation, backward, forward};
use crate::reference::interpolation as reference;
use crate::testing::{assert_close, noise, on_every_cpu};

/// A size, a crop of it, and an output size.
fn axis() -> impl Strategy<Value = (usize, Range<usize>, usize)> {
    (1..=9_usize, 0..=2_usize, 0..=2_usize, 1..=14_usize)
        .prop_map(|(inner, begin, end, out)| (inner + begin + end, begin..begin + inner, out))
}

proptest! {
    #[test]
    fn equals_the_reference(
        n in 1..=2_usize,
        c in prop_oneof![1..=9_usize, 15..=18_usize],
        (h, rows, oh) in axis(),
        (w, cols, ow) in axis(),
    ) {
        let (crop, from, to) = ([rows, cols], [h, w], [oh, ow]);
        let shape = Interpolation::new((n, c), from, &crop, to);
        let (x, dy) = (noise(n * c * h * w, 1), noise(n * c * oh * ow, 2));
        let want = reference::forward((n, c), from, &crop, to, &x);
        let want_dx = reference::backward((n, c), from, &crop, to, &dy);
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; dy.len()];
            forward(cpu, &shape, &x, &mut y);
            // The f32 position is off by up to 14 · 2^-24 pixels.
            assert_close(&y, &want, 1e-5);
            let mut dx = vec![7.0; x.len()];
            backward(cpu, &shape, &dy, &mut dx);
            assert_close(&dx, &want_dx, 1e-5);
            [y, dx].concat()
        });
    }
}

#[test]
fn the_same_size_is_a_copy() {
    let shape = Interpolation::new((1, 2), [5, 7], &[0..5, 0..7], [5, 7]);
    let x = noise(70, 1);
    on_every_cpu(|cpu| {
        let mut y = vec![7.0; 70];
        forward(cpu, &shape, &x, &mut y);
        assert_eq!(y, x);
        y
    });
}
