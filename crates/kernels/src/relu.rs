//! ReLU, `y = x` where `x > 0`, else `slope · x`.

use crate::{
    cpu::Cpu,
    elementwise::{backward as gradient_of, map},
    view::Unary,
};

/// One value. Not `f32::max`: it turns NaN into 0, and a diverged net must look diverged.
#[inline(always)]
pub(crate) fn relu(x: f32, slope: f32) -> f32 {
    if x > 0.0 { x } else { slope * x }
}

/// `y = relu(x)`, in place or apart.
pub fn forward(cpu: &Cpu, slope: f32, values: Unary<'_>) {
    map(cpu, values, |x| relu(x, slope));
}

/// `dx = dy` where `v > 0`, else `slope · dy`; `v` is the input, or (if `slope >= 0`) the output.
///
/// # Panics
///
/// If the lengths differ.
pub fn backward(cpu: &Cpu, slope: f32, v: &[f32], gradient: Unary<'_>) {
    gradient_of(cpu, gradient, v, |dy, v| if v > 0.0 { dy } else { slope * dy });
}

#[cfg(test)]
mod tests;
