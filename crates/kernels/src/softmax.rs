//! Softmax over one axis of (outer, classes, inner), and its gradient.
//!
//! Vectors run along the classes where those are contiguous, else along the inner axis. Sums are in
//! f64.

use crate::{
    channel::ChannelDims, column_sums::round, cpu::Cpu, math::exp, simd::LANES, view::Unary,
};

/// Inner positions whose maxima and sums are held at the same time.
const BLOCK: usize = 64;

/// `y = exp(x) / Σ exp(x)` over the classes; in place or out of place.
///
/// * `values`: (outer, classes, inner), the classes being `dims.c`
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(cpu: &Cpu, dims: ChannelDims, values: Unary<'_>) {
    assert_eq!(values.count(), dims.count(), "values of {dims:?}");
    let slice = dims.c * dims.inner;
    if dims.count() == 0 {
        return;
    }
    match values {
        Unary::InPlace(y) => cpu.run_blocks(y, slice, |_, y| {
            vectorize!(cpu, softmax_slice(dims, y));
        }),
        Unary::OutOfPlace { x, y } => cpu.run_blocks(y, slice, |index, y| {
            y.copy_from_slice(&x[index * slice..][..slice]);
            vectorize!(cpu, softmax_slice(dims, y));
        }),
    }
}

/// One (classes, inner) slice.
#[inline(always)]
fn softmax_slice(dims: ChannelDims, y: &mut [f32]) {
    if dims.inner == 1 {
        return softmax_row(y);
    }
    for start in (0..dims.inner).step_by(BLOCK) {
        let block = start..dims.inner.min(start + BLOCK);
        let (mut max, mut sum) = ([f32::NEG_INFINITY; BLOCK], [0.0_f64; BLOCK]);
        for y in y.chunks_exact(dims.inner) {
            for (max, &y) in max.iter_mut().zip(&y[block.clone()]) {
                *max = larger(*max, y);
            }
        }
        for y in y.chunks_exact_mut(dims.inner) {
            let y = &mut y[block.clone()];
            y.iter_mut().zip(&max).for_each(|(y, max)| *y = exp(*y - max));
            sum.iter_mut().zip(y).for_each(|(sum, y)| *sum += f64::from(*y));
        }
        let inverse = sum.map(|sum| round(1.0 / sum));
        for y in y.chunks_exact_mut(dims.inner) {
            y[block.clone()].iter_mut().zip(&inverse).for_each(|(y, inverse)| *y *= inverse);
        }
    }
}

/// A softmax with contiguous classes. Maxima and sums in lanes, class `i` in lane `i % 8`.
#[inline(always)]
fn softmax_row(y: &mut [f32]) {
    let mut max = [f32::NEG_INFINITY; LANES];
    for y in y.chunks(LANES) {
        max.iter_mut().zip(y).for_each(|(max, &y)| *max = larger(*max, y));
    }
    let max = max.into_iter().fold(f32::NEG_INFINITY, larger);
    y.iter_mut().for_each(|y| *y = exp(*y - max));
    let mut sums = [0.0_f64; LANES];
    for y in y.chunks(LANES) {
        sums.iter_mut().zip(y).for_each(|(sum, &y)| *sum += f64::from(y));
    }
    let inverse = round(1.0 / sums.iter().sum::<f64>());
    y.iter_mut().for_each(|y| *y *= inverse);
}

/// The larger of two; the first if the other is NaN. `f32::max` treats both symmetrically, which
/// takes more than one instruction.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// `dx = y · (dy − Σ dy · y)`, the sum over the classes; in place or out of place.
///
/// * `y`: (outer, classes, inner), from [`forward`]
/// * `gradient`: `dy` to `dx`, the same shape
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(cpu: &Cpu, dims: ChannelDims, y: &[f32], gradient: Unary<'_>) {
    assert_eq!([y.len(), gradient.count()], [dims.count(); 2], "values of {dims:?}");
    let slice = dims.c * dims.inner;
    if dims.count() == 0 {
        return;
    }
    let (dy, dx) = match gradient {
        Unary::InPlace(d) => (None, d),
        Unary::OutOfPlace { x: dy, y: dx } => (Some(dy), dx),
    };
    cpu.run_blocks(dx, slice, |index, dx| {
        let at = index * slice;
        if let Some(dy) = dy {
            dx.copy_from_slice(&dy[at..][..slice]);
        }
        vectorize!(cpu, backward_slice(dims, &y[at..][..slice], dx));
    });
}

/// One (classes, inner) slice, from `dy` to `dx`.
#[inline(always)]
fn backward_slice(dims: ChannelDims, y: &[f32], d: &mut [f32]) {
    if dims.inner == 1 {
        let mut dots = [0.0_f64; LANES];
        for (y, d) in y.chunks(LANES).zip(d.chunks(LANES)) {
            for ((dot, &y), &d) in dots.iter_mut().zip(y).zip(d) {
                *dot += f64::from(y) * f64::from(d);
            }
        }
        let dot = round(dots.iter().sum());
        d.iter_mut().zip(y).for_each(|(d, y)| *d = y * (*d - dot));
        return;
    }
    for start in (0..dims.inner).step_by(BLOCK) {
        let block = start..dims.inner.min(start + BLOCK);
        let mut dots = [0.0_f64; BLOCK];
        for (y, d) in y.chunks_exact(dims.inner).zip(d.chunks_exact(dims.inner)) {
            for ((dot, &y), &d) in dots.iter_mut().zip(&y[block.clone()]).zip(&d[block.clone()]) {
                *dot += f64::from(y) * f64::from(d);
            }
        }
        let dots = dots.map(round);
        for (y, d) in y.chunks_exact(dims.inner).zip(d.chunks_exact_mut(dims.inner)) {
            for ((d, y), dot) in d[block.clone()].iter_mut().zip(&y[block.clone()]).zip(&dots) {
                *d = y * (*d - dot);
            }
        }
    }
}

#[cfg(test)]
mod tests;
