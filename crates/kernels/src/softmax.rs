//! Softmax over one axis of (outer, classes, inner), and its gradient.

use crate::{channel::Channels, columns::round, cpu::Cpu, math::exp, view::Unary};

/// `y = exp(x) / Σ exp(x)` over the classes; in place or apart.
///
/// * `values`: (outer, classes, inner), the classes being `dims.c`
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(cpu: &Cpu, dims: Channels, values: Unary<'_>) {
    assert_eq!(values.count(), dims.count(), "values of {dims:?}");
    let slice = dims.c * dims.inner;
    if dims.count() == 0 {
        return;
    }
    match values {
        Unary::InPlace(y) => cpu.run_chunks(y, slice, |_, y| {
            cpu.vectorize(|| softmax_slice(dims, y));
        }),
        Unary::Apart { x, y } => cpu.run_chunks(y, slice, |index, y| {
            y.copy_from_slice(&x[index * slice..][..slice]);
            cpu.vectorize(|| softmax_slice(dims, y));
        }),
    }
}

/// One (classes, inner) slice.
#[inline(always)]
fn softmax_slice(dims: Channels, y: &mut [f32]) {
    for i in 0..dims.inner {
        let mut max = f32::NEG_INFINITY;
        for y in y[i..].iter().step_by(dims.inner) {
            max = max.max(*y);
        }
        if dims.inner == 1 {
            y.iter_mut().for_each(|y| *y = exp(*y - max));
            let sum: f64 = y.iter().map(|&y| f64::from(y)).sum();
            let inverse = round(1.0 / sum);
            y.iter_mut().for_each(|y| *y *= inverse);
        } else {
            y[i..].iter_mut().step_by(dims.inner).for_each(|y| *y = exp(*y - max));
            let sum: f64 = y[i..].iter().step_by(dims.inner).map(|&y| f64::from(y)).sum();
            let inverse = round(1.0 / sum);
            y[i..].iter_mut().step_by(dims.inner).for_each(|y| *y *= inverse);
        }
    }
}

/// `dx = y · (dy − Σ dy · y)`, the sum over the classes; in place or apart.
///
/// * `y`: (outer, classes, inner), from [`forward`]
/// * `gradient`: `dy` to `dx`, the same shape
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(cpu: &Cpu, dims: Channels, y: &[f32], gradient: Unary<'_>) {
    assert_eq!([y.len(), gradient.count()], [dims.count(); 2], "values of {dims:?}");
    let slice = dims.c * dims.inner;
    if dims.count() == 0 {
        return;
    }
    let rows = |y: &[f32], d: &mut [f32]| {
        for i in 0..dims.inner {
            let pairs = || y[i..].iter().step_by(dims.inner);
            let dot: f64 = pairs()
                .zip(d[i..].iter().step_by(dims.inner))
                .map(|(&y, &d)| f64::from(y) * f64::from(d))
                .sum();
            for (&y, d) in pairs().zip(d[i..].iter_mut().step_by(dims.inner)) {
                *d = y * (*d - round(dot));
            }
        }
    };
    match gradient {
        Unary::InPlace(d) => {
            cpu.run_chunks(d, slice, |index, d| rows(&y[index * slice..][..slice], d))
        }
        Unary::Apart { x: dy, y: dx } => cpu.run_chunks(dx, slice, |index, dx| {
            dx.copy_from_slice(&dy[index * slice..][..slice]);
            rows(&y[index * slice..][..slice], dx);
        }),
    }
}

#[cfg(test)]
mod tests;
