use proptest::prelude::*;

use super::{
    ReluMask, add, copy, fill, max_backward, max_with, mul, mul_apart, scale, scaled_difference,
    sum, weighted_sum,
};
use crate::{
    Cpu, Unary,
    cpu::TASK_FLOATS,
    testing::{assert_close, noise, on_every_cpu},
};

/// Compares `y = run(x, y)` with `want(x, y)`.
fn check(len: usize, run: fn(&Cpu, &[f32], &mut [f32]), want: fn(f64, f64) -> f64) {
    let (x, y) = (noise(len, 1), noise(len, 2));
    let want: Vec<f64> =
        x.iter().zip(&y).map(|(&x, &y)| want(f64::from(x), f64::from(y))).collect();
    on_every_cpu(|cpu| {
        let mut y = y.clone();
        run(cpu, &x, &mut y);
        assert_close(&y, &want, 1e-6);
        y
    });
}

fn check_all(len: usize) {
    check(len, |cpu, _, y| fill(cpu, 0.5, y), |_, _| 0.5);
    check(len, copy, |x, _| x);
    check(len, |cpu, _, y| scale(cpu, 0.5, Unary::InPlace(y)), |_, y| 0.5 * y);
    check(len, |cpu, x, y| scale(cpu, 0.5, Unary::OutOfPlace { x, y }), |x, _| 0.5 * x);
    check(len, add, |x, y| x + y);
    check(len, mul, |x, y| x * y);
    check(len, |cpu, x, y| mul_apart(cpu, x, x, y), |x, _| x * x);
    check(len, |cpu, x, y| weighted_sum(cpu, &[(1.0, x), (2.0, x)], None, y), |x, _| 3.0 * x);
    check(
        len,
        |cpu, x, y| weighted_sum(cpu, &[(1.0, x), (2.0, x), (-4.0, x)], Some(0.5), y),
        |x, _| if x > 0.0 { -0.5 * x } else { -x },
    );
    check(len, |cpu, x, y| sum(cpu, Unary::InPlace(y), &[x, x], None), |x, y| y + x + x);
    check(
        len,
        |cpu, x, y| sum(cpu, Unary::OutOfPlace { x, y }, &[x], Some(ReluMask { y: x, slope: 0.5 })),
        |x, _| if x > 0.0 { 2.0 * x } else { x },
    );
}

/// Operands that differ in their last four bits keep all digits of the scaled difference.
fn check_difference(len: usize) {
    let a = noise(len, 1);
    let b: Vec<f32> = a.iter().map(|a| a * (1.0 + 8.0 * f32::EPSILON)).collect();
    let pairs = a.iter().zip(&b);
    let want: Vec<f64> = pairs.map(|(&a, &b)| 0.01 * (f64::from(a) - f64::from(b))).collect();
    on_every_cpu(|cpu| {
        let mut y = vec![7.0; len];
        scaled_difference(cpu, 0.01, (&a, &b), &mut y);
        for (&got, want) in y.iter().zip(&want) {
            assert!((f64::from(got) - want).abs() <= 1e-7 * want.abs(), "{got}, not {want}");
        }
        y
    });
}

proptest! {
    #[test]
    fn equal_their_formulas(len in 0..70_usize) {
        check_all(len);
        check_difference(len);
    }
}

#[test]
fn slices_beyond_one_task() {
    check_all(2 * TASK_FLOATS + 5);
    check_difference(2 * TASK_FLOATS + 5);
}

#[test]
fn a_maximum_remembers_which_operand_won() {
    let (a, b, dy) = (noise(100, 1), noise(100, 2), noise(100, 3));
    on_every_cpu(|cpu| {
        let (mut y, mut which) = (a.clone(), vec![0; 100]);
        max_with(cpu, 1, &b, &mut y, &mut which);
        let mut dx = vec![7.0; 100];
        max_backward(cpu, 1, &which, &dy, &mut dx);
        for i in 0..100 {
            assert_eq!(y[i].to_bits(), a[i].max(b[i]).to_bits());
            assert_eq!(dx[i].to_bits(), if b[i] > a[i] { dy[i] } else { 0.0 }.to_bits());
        }
        [y, dx].concat()
    });
}
