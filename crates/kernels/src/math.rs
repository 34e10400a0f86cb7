//! Elementwise functions: exp, ln, pow, sigmoid, tanh, and the gradients that need only the output.
//!
//! `exp` is implemented here, so that loops vectorise: reduced to `2^n · e^r`, `|r| <= ln 2 / 2`,
//! and a polynomial of degree 7; within 2 units in the last place. `sigmoid` and `tanh` compute in
//! f64 and round once, as Caffe's Sigmoid does: gradients contain `1 − y`, which near `y = 1` keeps
//! no digit that `y` lost. `ln` and `pow` are the standard library's.

use crate::{
    column_sums::round,
    cpu::Cpu,
    elementwise::{backward, map, zip_apart},
    view::Unary,
};

/// `e^x`; overflows to infinity, underflows to 0, and keeps NaN.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "clamped to what fits")]
pub(crate) fn exp(x: f32) -> f32 {
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    // Comparisons in this order let NaN through.
    let clamped = if x > 89.0 { 89.0 } else { x };
    let clamped = if clamped < -104.0 { -104.0 } else { clamped };
    // Adding and subtracting 1.5 · 2^23 rounds to the nearest integer, in any vector unit.
    let n = (clamped * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    let r = clamped - n * LN2_HIGH - n * LN2_LOW;
    let mut p = 1.984_127e-4;
    for c in [1.388_888_9e-3, 8.333_333e-3, 4.166_666_6e-2, 0.166_666_67, 0.5, 1.0, 1.0] {
        p = p * r + c;
    }
    // Two factors: 2^n alone would overflow at 128 and underflow below -126.
    let n = n as i32;
    let half = n >> 1;
    p * power_of_two(half) * power_of_two(n - half)
}

/// `2^n` for `n` in -126..=127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) << 23).cast_unsigned())
}

/// `e^x` in f64, within 1e-11 of it, for `|x|` up to 110; beyond, as for 110. Keeps NaN.
#[inline(always)]
fn exp_f64(x: f64) -> f64 {
    /// Adding it to a number rounds that to an integer, which the lowest bits of the sum hold.
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    const COEFFICIENTS: [f64; 9] = [
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    // Comparisons in this order let NaN through.
    let clamped = if x > 110.0 { 110.0 } else { x };
    let clamped = if clamped < -110.0 { -110.0 } else { clamped };
    let shifted = clamped * std::f64::consts::LOG2_E + ROUND;
    let r = clamped - (shifted - ROUND) * std::f64::consts::LN_2;
    let mut p = 1.0 / 362_880.0;
    for c in COEFFICIENTS {
        p = p * r + c;
    }
    // The integer moves to the exponent, where 1023 stands for 2^0.
    p * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
}

/// One value of [`sigmoid`].
#[inline(always)]
fn sigmoid_one(x: f32) -> f32 {
    round(1.0 / (1.0 + exp_f64(-f64::from(x))))
}

/// One value of [`tanh`].
#[inline(always)]
fn tanh_one(x: f32) -> f32 {
    let x = f64::from(x);
    let e = exp_f64(-2.0 * x.abs());
    let large = ((1.0 - e) / (1.0 + e)).copysign(x);
    // Near 0 the quotient loses digits; there the series needs two terms.
    let small = x - x * x * x / 3.0;
    round(if x.abs() < 1e-3 { small } else { large })
}

/// `y = base^(scale · x + shift)` with `ln_base = ln(base)`; in place or out of place. Caffe's Exp
/// layer.
pub fn exp_scaled(cpu: &Cpu, ln_base: f32, scale: f32, shift: f32, values: Unary<'_>) {
    map(cpu, values, |x| exp(ln_base * (scale * x + shift)));
}

/// `y = ln(scale · x + shift) / ln_base`; in place or out of place. Caffe's Log layer.
pub fn ln_scaled(cpu: &Cpu, ln_base: f32, scale: f32, shift: f32, values: Unary<'_>) {
    map(cpu, values, |x| (scale * x + shift).ln() / ln_base);
}

/// `y = (scale · x + shift)^power`; in place or out of place. Caffe's Power layer.
#[expect(clippy::float_cmp, reason = "exactly these powers have a faster form")]
pub fn pow_scaled(cpu: &Cpu, power: f32, scale: f32, shift: f32, values: Unary<'_>) {
    if power == 1.0 {
        map(cpu, values, |x| scale * x + shift);
    } else if power == 2.0 {
        map(cpu, values, |x| (scale * x + shift) * (scale * x + shift));
    } else {
        map(cpu, values, |x| (scale * x + shift).powf(power));
    }
}

/// `y = |x|`; in place or out of place.
pub fn abs(cpu: &Cpu, values: Unary<'_>) {
    map(cpu, values, f32::abs);
}

/// `y = 1 / (1 + e^-x)`; in place or out of place.
pub fn sigmoid(cpu: &Cpu, values: Unary<'_>) {
    map(cpu, values, sigmoid_one);
}

/// `y = alpha · (sigmoid(x) − target)`, the gradient of a cross entropy.
///
/// # Panics
///
/// If the lengths differ.
pub fn sigmoid_difference(cpu: &Cpu, alpha: f32, (x, target): (&[f32], &[f32]), y: &mut [f32]) {
    zip_apart(cpu, (x, target), y, |x, target| alpha * (sigmoid_one(x) - target));
}

/// `dx = dy · y · (1 − y)`; in place or out of place.
///
/// # Panics
///
/// If the lengths differ.
pub fn sigmoid_backward(cpu: &Cpu, y: &[f32], gradient: Unary<'_>) {
    backward(cpu, gradient, y, |dy, y| dy * y * (1.0 - y));
}

/// `y = tanh(x)`; in place or out of place.
pub fn tanh(cpu: &Cpu, values: Unary<'_>) {
    map(cpu, values, tanh_one);
}

/// `dx = dy · (1 − y²)`; in place or out of place.
///
/// # Panics
///
/// If the lengths differ.
pub fn tanh_backward(cpu: &Cpu, y: &[f32], gradient: Unary<'_>) {
    backward(cpu, gradient, y, |dy, y| dy * (1.0 - y * y));
}

#[cfg(test)]
mod tests;
