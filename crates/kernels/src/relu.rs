//! ReLU, `y = x` where `x > 0`, else `slope · x`.
//!
//! A separate ReLU costs a pass over memory; layers that are followed by one apply it in their own
//! pass, and a convolution applies its mask while it computes its bias gradient
//! ([`backward_rows`]).

use crate::{
    column_sums,
    cpu::{Cpu, DisjointMut, TASK_FLOATS},
    elementwise::{ReluMask, backward as gradient_of, map, zip},
    half::{Bf16Codec, F16Codec, HalfFormat, Rounder},
    view::{StridedRows, StridedRowsMut, Unary, Write},
};

/// The factor of a ReLU: 1 changes no bit. Selecting one of two constants is one vector
/// instruction, where selecting one of two results would become a branch.
#[inline(always)]
fn factor(v: f32, slope: f32) -> f32 {
    if v > 0.0 { 1.0 } else { slope }
}

/// One value. Not `f32::max`: it turns NaN into 0, which would hide divergence.
#[inline(always)]
pub(crate) fn relu(x: f32, slope: f32) -> f32 {
    x * factor(x, slope)
}

/// As [`masked`], where `v` is yet to be rounded: only its sign is needed, not its value.
#[inline(always)]
pub(crate) fn masked_before_rounding<R: Rounder>(_: R, v: f32, slope: f32, dy: f32) -> f32 {
    dy * if v > R::ROUNDS_TO_ZERO { 1.0 } else { slope }
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

/// `y = relu(y)` where `y` is first rounded, as it is at the border of the layer before the ReLU.
pub fn forward_rounded(cpu: &Cpu, format: HalfFormat, slope: f32, y: &mut [f32]) {
    let y = Unary::InPlace(y);
    match format {
        HalfFormat::Bf16 => map(cpu, y, |y| relu(Bf16Codec.round(y), slope)),
        HalfFormat::F16 => map(cpu, y, |y| relu(F16Codec.round(y), slope)),
    }
}

/// As [`backward`] in place, where `d` is first rounded, as it is at the border of the layer that
/// made it.
///
/// # Panics
///
/// If the lengths differ.
pub fn backward_rounded(cpu: &Cpu, format: HalfFormat, slope: f32, v: &[f32], d: &mut [f32]) {
    match format {
        HalfFormat::Bf16 => zip(cpu, v, d, |d, v| masked(v, slope, Bf16Codec.round(d))),
        HalfFormat::F16 => zip(cpu, v, d, |d, v| masked(v, slope, F16Codec.round(d))),
    }
}

/// Upper bound of ReLU6.
const CAP: f32 = 6.0;

/// `y = min(relu(x), 6)`, in place or out of place. NaN stays.
pub fn capped_forward(cpu: &Cpu, slope: f32, values: Unary<'_>) {
    map(cpu, values, |x| {
        let y = relu(x, slope);
        if y > CAP { CAP } else { y }
    });
}

/// Gradient of [`capped_forward`] from the output `y`; `slope` is 0 or more.
///
/// # Panics
///
/// If the lengths differ.
pub fn capped_backward(cpu: &Cpu, slope: f32, y: &[f32], gradient: Unary<'_>) {
    gradient_of(cpu, gradient, y, |dy, y| dy * if y >= CAP { 0.0 } else { factor(y, slope) });
}

/// Masks `d` by the output `y` in place, and sums its columns (a bias gradient) in the same pass.
///
/// * `y`, `d`: `rows` rows of `c`
/// * `sums`: (c), written or added to; `None` if they are not needed
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
    let d_rows = DisjointMut::new(data, 1);
    let Some((write, into)) = sums else {
        let per_task = TASK_FLOATS.div_ceil(c.max(1));
        return cpu.run(rows.div_ceil(per_task), |task| {
            let range = task * per_task..rows.min((task + 1) * per_task);
            vectorize!(cpu, {
                for r in range {
                    // SAFETY: rows do not overlap, and each belongs to one task.
                    let d = unsafe { d_rows.range(r * stride + offset, c) };
                    ReluMask { y: y.row(r, c), slope }.apply(d);
                }
            });
        });
    };
    assert_eq!(into.len(), c, "one sum per column");
    column_sums::fold_strips(
        cpu,
        rows,
        [c, 1],
        #[inline(always)]
        |rows, at, sums| {
            for r in rows {
                // SAFETY: as above, and strips do not overlap either.
                let d = unsafe { d_rows.range(r * stride + offset + at.start, at.len()) };
                let y = &y.row(r, c)[at.clone()];
                for ((d, &y), sum) in d.iter_mut().zip(y).zip(&mut *sums) {
                    *d = masked(y, slope, *d);
                    *sum += *d;
                }
            }
        },
        |sums| {
            into.iter_mut().zip(sums).for_each(|(into, &sum)| column_sums::put(write, sum, into))
        },
    );
}

#[cfg(test)]
mod tests;
