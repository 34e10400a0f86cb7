//! ReLU, `y = x` where `x > 0`, else `slope · x`.
//!
//! Alone it is a pass over memory of its own; layers that have a ReLU behind them apply it in their own
//! passes, and a convolution masks while it adds up its bias gradient
//! ([`backward_rows`]).

use crate::{
    columns,
    cpu::{CHUNK, Cpu, Pieces},
    elementwise::{ReluMask, backward as gradient_of, map},
    view::{StridedRows, StridedRowsMut, Unary, Write},
};

/// What a ReLU multiplies by: 1 changes no bit. A choice between two constants is one instruction on a
/// vector, where a choice between two results would become a branch.
#[inline(always)]
fn factor(v: f32, slope: f32) -> f32 {
    if v > 0.0 { 1.0 } else { slope }
}

/// One value. Not `f32::max`: it turns NaN into 0, and a diverged net must look diverged.
#[inline(always)]
pub(crate) fn relu(x: f32, slope: f32) -> f32 {
    x * factor(x, slope)
}

/// `dy` where `v > 0`, else `slope · dy`: the gradient of one value.
#[inline(always)]
pub(crate) fn masked(v: f32, slope: f32, dy: f32) -> f32 {
    dy * factor(v, slope)
}

/// `y = relu(x)`, in place or out of place.
pub fn forward(cpu: &Cpu, slope: f32, values: Unary<'_>) {
    map(cpu, values, |x| relu(x, slope));
}

/// `dx = dy` where `v > 0`, else `slope · dy`; `v` is the input, or (if `slope >= 0`) the output.
///
/// # Panics
///
/// If the lengths differ.
pub fn backward(cpu: &Cpu, slope: f32, v: &[f32], gradient: Unary<'_>) {
    gradient_of(cpu, gradient, v, |dy, v| masked(v, slope, dy));
}

/// Masks `d` by the output `y` in place, and adds up its columns (a bias gradient) on the way.
///
/// * `y`, `d`: `rows` rows of `c`
/// * `sums`: (c), written or added to; `None` when nobody wants them
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_rows(
    cpu: &Cpu,
    [rows, c]: [usize; 2],
    slope: f32,
    y: StridedRows<'_>,
    d: StridedRowsMut<'_>,
    sums: Option<(Write, &mut [f32])>,
) {
    y.check(rows, c);
    d.check(rows, c);
    let StridedRowsMut { data, stride, offset } = d;
    let pieces = Pieces::new(data, 1);
    let Some((write, into)) = sums else {
        let per_task = CHUNK.div_ceil(c.max(1));
        return cpu.run(rows.div_ceil(per_task), |task| {
            let mine = task * per_task..rows.min((task + 1) * per_task);
            vectorize!(cpu, {
                for r in mine {
                    // SAFETY: rows do not overlap, and each is visited by one task.
                    let d = unsafe { pieces.range(r * stride + offset, c) };
                    ReluMask { y: y.row(r, c), slope }.apply(d);
                }
            });
        });
    };
    assert_eq!(into.len(), c, "one sum a column");
    columns::fold_strips(
        cpu,
        rows,
        [c, 1],
        #[inline(always)]
        |rows, at, sums| {
            for r in rows {
                // SAFETY: as above, and strips do not overlap either.
                let d = unsafe { pieces.range(r * stride + offset + at.start, at.len()) };
                let y = &y.row(r, c)[at.clone()];
                for ((d, &y), sum) in d.iter_mut().zip(y).zip(&mut *sums) {
                    *d = masked(y, slope, *d);
                    *sum += *d;
                }
            }
        },
        |sums| into.iter_mut().zip(sums).for_each(|(into, &sum)| columns::put(write, sum, into)),
    );
}

#[cfg(test)]
mod tests;
