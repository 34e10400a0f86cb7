//! One factor or summand per channel: Caffe's Scale and Bias layers, and biases.
//!
//! A blob is (outer, c, inner). Channels-last images have `inner = 1` and `outer = n · h · w`.

use crate::{
    column_sums,
    cpu::{Cpu, TASK_FLOATS},
    view::{StridedRows, Unary, Write},
};

/// Shape of a blob relative to its channel axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelDims {
    /// Product of the axes before.
    pub outer: usize,
    /// Channels.
    pub c: usize,
    /// Product of the axes after.
    pub inner: usize,
}

impl ChannelDims {
    /// Values of the blob.
    #[must_use]
    pub fn count(&self) -> usize {
        self.outer * self.c * self.inner
    }

    /// Values of a task: whole (c, inner) slices.
    fn block(&self) -> usize {
        let slice = (self.c * self.inner).max(1);
        TASK_FLOATS.div_ceil(slice) * slice
    }

    fn check(&self, len: usize, per_channel: &[f32]) {
        assert_eq!(len, self.count(), "values of {self:?}");
        assert_eq!(per_channel.len(), self.c, "one value per channel of {self:?}");
    }
}

/// `y = x · gamma + beta`, in place or out of place; `beta` may be missing.
///
/// * `values`: (outer, c, inner)
/// * `gamma`, `beta`: (c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn scale(cpu: &Cpu, dims: ChannelDims, gamma: &[f32], beta: Option<&[f32]>, values: Unary<'_>) {
    dims.check(values.count(), gamma);
    match beta {
        None => apply(cpu, dims, [gamma, gamma], values, |x, gamma, _| x * gamma),
        Some(beta) => {
            dims.check(dims.count(), beta);
            apply(cpu, dims, [gamma, beta], values, |x, gamma, beta| x * gamma + beta);
        }
    }
}

/// `y = x + beta`, in place or out of place.
///
/// * `values`: (outer, c, inner)
/// * `beta`: (c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn bias(cpu: &Cpu, dims: ChannelDims, beta: &[f32], values: Unary<'_>) {
    dims.check(values.count(), beta);
    apply(cpu, dims, [beta, beta], values, |x, beta, _| x + beta);
}

/// `y = f(x, a, b)`, with `a` and `b` of the channel.
fn apply(
    cpu: &Cpu,
    dims: ChannelDims,
    [a, b]: [&[f32]; 2],
    values: Unary<'_>,
    f: impl Fn(f32, f32, f32) -> f32 + Sync,
) {
    if dims.count() == 0 {
        return;
    }
    let (slice, inner) = (dims.c * dims.inner, dims.inner);
    let rows = |x: Option<&[f32]>, y: &mut [f32]| {
        vectorize!(cpu, {
            for (s, y) in y.chunks_exact_mut(slice).enumerate() {
                if let Some(x) = x {
                    y.copy_from_slice(&x[s * slice..][..slice]);
                }
                if inner == 1 {
                    y.iter_mut().zip(a).zip(b).for_each(|((y, &a), &b)| *y = f(*y, a, b));
                } else {
                    for ((y, &a), &b) in y.chunks_exact_mut(inner).zip(a).zip(b) {
                        y.iter_mut().for_each(|y| *y = f(*y, a, b));
                    }
                }
            }
        });
    };
    let block = dims.block();
    match values {
        Unary::InPlace(y) => cpu.run_blocks(y, block, |_, y| rows(None, y)),
        Unary::OutOfPlace { x, y } => cpu.run_blocks(y, block, |index, y| {
            rows(Some(&x[index * block..][..y.len()]), y);
        }),
    }
}

/// `dgamma = Σ dy · x` over all but the channel axis, or `dgamma += ..`.
///
/// * `dy`, `x`: (outer, c, inner)
/// * `dgamma`: (c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_scale(
    cpu: &Cpu,
    dims: ChannelDims,
    x: &[f32],
    dy: &[f32],
    write: Write,
    dgamma: &mut [f32],
) {
    dims.check(x.len(), dgamma);
    dims.check(dy.len(), dgamma);
    reduce(cpu, dims, |at| (&x[at.clone()], &dy[at]), |x, dy| x * dy, write, dgamma);
}

/// `dbeta = Σ dy` over all but the channel axis, or `dbeta += ..`.
///
/// * `dy`: (outer, c, inner)
/// * `dbeta`: (c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_bias(cpu: &Cpu, dims: ChannelDims, dy: &[f32], write: Write, dbeta: &mut [f32]) {
    dims.check(dy.len(), dbeta);
    if dims.inner == 1 {
        column_sums::sums_into(
            cpu,
            dims.outer,
            dims.c,
            StridedRows::dense(dy, dims.c),
            write,
            dbeta,
        );
    } else {
        reduce(cpu, dims, |at| (&dy[at.clone()], &dy[at]), |dy, _| dy, write, dbeta);
    }
}

/// `into[channel] = Σ term(a, b)`, where `slices` returns a and b of a range of values.
fn reduce<'a>(
    cpu: &Cpu,
    dims: ChannelDims,
    slices: impl Fn(std::ops::Range<usize>) -> (&'a [f32], &'a [f32]) + Sync,
    term: impl Fn(f32, f32) -> f32 + Sync,
    write: Write,
    into: &mut [f32],
) {
    let slice = dims.c * dims.inner;
    let take = |sums: &[f64]| {
        into.iter_mut().zip(sums).for_each(|(into, &sum)| column_sums::put(write, sum, into));
    };
    if dims.inner == 1 {
        return column_sums::fold_strips(
            cpu,
            dims.outer,
            [dims.c, 1],
            #[inline(always)]
            |rows, at, sums| {
                for r in rows {
                    let (a, b) = slices(r * slice + at.start..r * slice + at.end);
                    for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
                        *sum += term(a, b);
                    }
                }
            },
            take,
        );
    }
    column_sums::fold(
        cpu,
        if slice == 0 { 0 } else { dims.outer },
        dims.c,
        #[inline(always)]
        |r, sums| {
            let (a, b) = slices(r * slice..(r + 1) * slice);
            let pairs = a.chunks_exact(dims.inner).zip(b.chunks_exact(dims.inner));
            for (sum, (a, b)) in sums.iter_mut().zip(pairs) {
                *sum += column_sums::lanes_sum(a.iter().zip(b).map(|(&a, &b)| term(a, b)));
            }
        },
        take,
    );
}

#[cfg(test)]
mod tests;
