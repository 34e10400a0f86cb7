//! Elementwise arithmetic on whole slices: copies, sums, products, maxima.
//!
//! All run at memory bandwidth: one pass, in blocks of 64 KiB distributed over the threads.

mod sums;

pub use sums::{ReluMask, sum, weighted_sum};

use crate::{
    cpu::{Cpu, TASK_FLOATS},
    view::Unary,
};

/// `y[i] = f(x[i])`, in place or out of place.
pub(crate) fn map(cpu: &Cpu, values: Unary<'_>, f: impl Fn(f32) -> f32 + Sync) {
    match values {
        Unary::InPlace(y) => cpu.run_blocks(y, TASK_FLOATS, |_, y| {
            vectorize!(cpu, y.iter_mut().for_each(|y| *y = f(*y)));
        }),
        Unary::OutOfPlace { x, y } => {
            assert_eq!(x.len(), y.len(), "input and output have one length");
            cpu.run_blocks(y, TASK_FLOATS, |index, y| {
                let x = &x[index * TASK_FLOATS..][..y.len()];
                vectorize!(cpu, y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x)));
            });
        }
    }
}

/// `y[i] = f(y[i], x[i])`.
pub(crate) fn zip(cpu: &Cpu, x: &[f32], y: &mut [f32], f: impl Fn(f32, f32) -> f32 + Sync) {
    assert_eq!(x.len(), y.len(), "operands have one length");
    cpu.run_blocks(y, TASK_FLOATS, |index, y| {
        let x = &x[index * TASK_FLOATS..][..y.len()];
        vectorize!(cpu, y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(*y, x)));
    });
}

/// `y[i] = f(a[i], b[i])`.
pub(crate) fn zip_apart(
    cpu: &Cpu,
    (a, b): (&[f32], &[f32]),
    y: &mut [f32],
    f: impl Fn(f32, f32) -> f32 + Sync,
) {
    assert_eq!(a.len(), y.len(), "operands have one length");
    assert_eq!(b.len(), y.len(), "operands have one length");
    cpu.run_blocks(y, TASK_FLOATS, |index, y| {
        let (a, b) = (&a[index * TASK_FLOATS..][..y.len()], &b[index * TASK_FLOATS..][..y.len()]);
        vectorize!(cpu, {
            for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
                *y = f(a, b);
            }
        });
    });
}

/// `dx[i] = f(dy[i], v[i])`, where `dx` may be `dy` in place.
pub(crate) fn backward(
    cpu: &Cpu,
    gradient: Unary<'_>,
    v: &[f32],
    f: impl Fn(f32, f32) -> f32 + Sync,
) {
    match gradient {
        Unary::InPlace(d) => zip(cpu, v, d, f),
        Unary::OutOfPlace { x: dy, y: dx } => zip_apart(cpu, (dy, v), dx, f),
    }
}

/// `y = value`.
pub fn fill(cpu: &Cpu, value: f32, y: &mut [f32]) {
    cpu.run_blocks(y, TASK_FLOATS, |_, y| y.fill(value));
}

/// `y = x`.
///
/// # Panics
///
/// If the lengths differ.
pub fn copy(cpu: &Cpu, x: &[f32], y: &mut [f32]) {
    assert_eq!(x.len(), y.len(), "operands have one length");
    cpu.run_blocks(y, TASK_FLOATS, |index, y| {
        y.copy_from_slice(&x[index * TASK_FLOATS..][..y.len()])
    });
}

/// `y = alpha · x`, in place or out of place.
pub fn scale(cpu: &Cpu, alpha: f32, values: Unary<'_>) {
    map(cpu, values, |x| alpha * x);
}

/// `y += x`.
///
/// # Panics
///
/// If the lengths differ.
pub fn add(cpu: &Cpu, x: &[f32], y: &mut [f32]) {
    zip(cpu, x, y, |y, x| y + x);
}

/// `y = alpha · (a − b)`, the gradient of a loss. The difference comes first: scaled operands would
/// be rounded before they cancel.
///
/// # Panics
///
/// If the lengths differ.
pub fn scaled_difference(cpu: &Cpu, alpha: f32, (a, b): (&[f32], &[f32]), y: &mut [f32]) {
    zip_apart(cpu, (a, b), y, |a, b| alpha * (a - b));
}

/// `y *= x`.
///
/// # Panics
///
/// If the lengths differ.
pub fn mul(cpu: &Cpu, x: &[f32], y: &mut [f32]) {
    zip(cpu, x, y, |y, x| y * x);
}

/// `y = a · b`.
///
/// # Panics
///
/// If the lengths differ.
pub fn mul_apart(cpu: &Cpu, a: &[f32], b: &[f32], y: &mut [f32]) {
    zip_apart(cpu, (a, b), y, |a, b| a * b);
}

/// `y = x` and `which = index` where `x > y`: one operand of an elementwise maximum. Start with `y`
/// the first operand and `which` zero.
///
/// # Panics
///
/// If the lengths differ.
pub fn max_with(cpu: &Cpu, index: u32, x: &[f32], y: &mut [f32], which: &mut [u32]) {
    assert_eq!(x.len(), y.len(), "operands have one length");
    cpu.run_blocks2((y, which), [TASK_FLOATS; 2], |task, y, which| {
        let x = &x[task * TASK_FLOATS..][..y.len()];
        vectorize!(cpu, {
            for ((y, which), &x) in y.iter_mut().zip(which).zip(x) {
                if x > *y {
                    (*y, *which) = (x, index);
                }
            }
        });
    });
}

/// `dx = dy` where `which` is `index`, else 0: gradient of one operand of an elementwise maximum.
///
/// # Panics
///
/// If the lengths differ.
pub fn max_backward(cpu: &Cpu, index: u32, which: &[u32], dy: &[f32], dx: &mut [f32]) {
    assert_eq!(dy.len(), dx.len(), "operands have one length");
    assert_eq!(which.len(), dx.len(), "operands have one length");
    cpu.run_blocks(dx, TASK_FLOATS, |task, dx| {
        let which = &which[task * TASK_FLOATS..][..dx.len()];
        let dy = &dy[task * TASK_FLOATS..][..dx.len()];
        vectorize!(cpu, {
            for ((dx, &dy), &which) in dx.iter_mut().zip(dy).zip(which) {
                *dx = if which == index { dy } else { 0.0 };
            }
        });
    });
}

#[cfg(test)]
mod tests;
