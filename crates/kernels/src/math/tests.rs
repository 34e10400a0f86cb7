use proptest::prelude::*;

use super::{
    abs, exp, exp_scaled, ln_scaled, pow_scaled, sigmoid, sigmoid_backward, sigmoid_difference,
    sigmoid_one, tanh, tanh_backward, tanh_one,
};
use crate::{
    Cpu, Unary,
    column_sums::round,
    reference::{pointwise, widen},
    testing::{assert_close, noise, on_every_cpu},
};

#[test]
fn exp_is_within_two_units_in_the_last_place() {
    for i in -104_000..89_000 {
        let x = i as f32 / 1000.0;
        let (got, want) = (f64::from(exp(x)), f64::from(x).exp());
        let unit = f64::from(f32::EPSILON) * want.max(f64::from(f32::MIN_POSITIVE));
        let fits =
            (got - want).abs() <= 2.0 * unit || (want > f64::from(f32::MAX) && got.is_infinite());
        assert!(fits, "e^{x}: got {got}, want {want}");
    }
    assert_eq!([exp(f32::INFINITY), exp(f32::NEG_INFINITY)], [f32::INFINITY, 0.0]);
    assert!(exp(f32::NAN).is_nan());
}

/// The exact value, rounded: half a unit in the last place, and a little for the f64 arithmetic.
#[track_caller]
fn check_rounded(function: fn(f32) -> f32, want: fn(f64) -> f64) {
    for i in -110_000..110_000 {
        let x = i as f32 / 1000.0;
        let (got, want) = (f64::from(function(x)), want(f64::from(x)));
        let rounded = round(want.abs());
        let unit = f64::from(rounded.next_up()) - f64::from(rounded);
        assert!((got - want).abs() <= 0.501 * unit, "at {x}: got {got}, want {want}");
    }
    assert!(function(f32::NAN).is_nan());
}

#[test]
fn sigmoid_and_tanh_are_rounded_once() {
    check_rounded(sigmoid_one, pointwise::sigmoid);
    check_rounded(tanh_one, f64::tanh);
    let [largest, smallest] = [f32::INFINITY, f32::NEG_INFINITY];
    assert_eq!([sigmoid_one(largest), sigmoid_one(smallest)], [1.0, 0.0]);
    assert_eq!([tanh_one(largest), tanh_one(smallest)], [1.0, -1.0]);
    for small in [1e-3_f32, 1e-5, 1e-20, 1e-40] {
        assert_eq!([tanh_one(small), tanh_one(-small)], [small.tanh(), -small.tanh()]);
    }
}

type UnaryKernel = fn(&Cpu, Unary<'_>);

/// Compares one function with its f64 form, in place and out of place.
fn check(x: &[f32], map: UnaryKernel, want: fn(f64) -> f64) {
    let want: Vec<f64> = widen(x).into_iter().map(want).collect();
    on_every_cpu(|cpu| {
        let mut y = vec![7.0; x.len()];
        map(cpu, Unary::OutOfPlace { x, y: &mut y });
        assert_close(&y, &want, 1e-6);
        let mut in_place = x.to_vec();
        map(cpu, Unary::InPlace(&mut in_place));
        assert_eq!(in_place, y);
        y
    });
}

proptest! {
    #[test]
    fn functions_equal_the_reference(len in 0..50_usize, seed: u64) {
        let x: Vec<f32> = noise(len, seed).iter().map(|x| x * 3.0).collect();
        check(&x, abs, f64::abs);
        check(&x, sigmoid, pointwise::sigmoid);
        check(&x, tanh, f64::tanh);
        check(&x, |cpu, v| exp_scaled(cpu, 1.0, 0.5, 0.25, v), |x| (0.5 * x + 0.25).exp());
        check(&x, |cpu, v| ln_scaled(cpu, 1.0, 0.25, 1.0, v), |x| (0.25 * x + 1.0).ln());
        check(&x, |cpu, v| pow_scaled(cpu, 1.5, 0.25, 1.0, v), |x| (0.25 * x + 1.0).powf(1.5));
        check(&x, |cpu, v| pow_scaled(cpu, 2.0, 0.5, 1.0, v), |x| (0.5 * x + 1.0).powi(2));
        check(&x, |cpu, v| pow_scaled(cpu, 1.0, 0.5, 1.0, v), |x| 0.5 * x + 1.0);
    }

    #[test]
    fn gradients_equal_the_formula(len in 0..50_usize, seed: u64) {
        let (y, dy) = (noise(len, seed), noise(len, seed ^ 1));
        let pairs = || y.iter().zip(&dy).map(|(&y, &dy)| (f64::from(y), f64::from(dy)));
        let want_sigmoid: Vec<f64> = pairs().map(|(y, dy)| dy * y * (1.0 - y)).collect();
        let want_tanh: Vec<f64> = pairs().map(|(y, dy)| dy * (1.0 - y * y)).collect();
        let want_difference: Vec<f64> =
            pairs().map(|(y, dy)| 0.3 * (pointwise::sigmoid(y) - dy)).collect();
        on_every_cpu(|cpu| {
            let mut dx = vec![7.0; len];
            sigmoid_backward(cpu, &y, Unary::OutOfPlace { x: &dy, y: &mut dx });
            assert_close(&dx, &want_sigmoid, 1e-6);
            sigmoid_difference(cpu, 0.3, (&y, &dy), &mut dx);
            assert_close(&dx, &want_difference, 1e-6);
            dx.copy_from_slice(&dy);
            tanh_backward(cpu, &y, Unary::InPlace(&mut dx));
            assert_close(&dx, &want_tanh, 1e-6);
            dx
        });
    }
}
