//! Values divided by their Euclidean norm, then one factor per channel: `y = gamma · x / |x|`.
//!
//! A norm is over `len` neighbouring values: the channels of a pixel, or all of an image. Sums of
//! squares are carried to f64 every 256 values. Forward reads `x` twice, backward `x` and `dy`
//! twice (three times with the gradient of gamma); nothing but one factor per norm is kept.

use crate::{
    column_sums::{self, lanes_sum, put, round},
    cpu::{Cpu, TASK_FLOATS},
    view::Write,
};

/// Values added in f32 before the sum is carried to f64.
const CARRY: usize = 256;

/// A blob of pixels with `c` channels, in groups that have one norm each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct L2NormDims {
    /// Groups.
    pub groups: usize,
    /// Pixels of a group.
    pub pixels: usize,
    /// Channels of a pixel.
    pub c: usize,
}

impl L2NormDims {
    /// Values of the blob.
    #[must_use]
    pub fn count(&self) -> usize {
        self.groups * self.len()
    }

    /// Values of a group.
    fn len(&self) -> usize {
        self.pixels * self.c
    }

    /// Values of a task: whole pixels.
    fn block(&self) -> usize {
        TASK_FLOATS.div_ceil(self.c.max(1)) * self.c.max(1)
    }

    fn check(&self, blobs: &[&[f32]], per_group: &[f32], per_channel: &[f32]) {
        assert!(blobs.iter().all(|blob| blob.len() == self.count()), "values of {self:?}");
        assert_eq!(per_group.len(), self.groups, "one norm per group of {self:?}");
        assert_eq!(per_channel.len(), self.c, "one factor per channel of {self:?}");
    }
}

/// `inv = 1 / sqrt(Σ x² + eps)` of each group.
///
/// * `x`: (groups, pixels, c)
/// * `inv`: (groups)
///
/// # Panics
///
/// If an operand does not fit.
pub fn inverse_norms(cpu: &Cpu, dims: &L2NormDims, eps: f32, x: &[f32], inv: &mut [f32]) {
    assert_eq!([x.len(), inv.len()], [dims.count(), dims.groups], "operands of {dims:?}");
    each_group(cpu, dims, inv, |at| {
        let x = &x[at..][..dims.len()];
        let squares = carried(x.chunks(CARRY).map(|x| lanes_sum(x.iter().map(|x| x * x))));
        1.0 / (squares + f64::from(eps)).sqrt()
    });
}

/// Calls `value` with where each group begins, and stores what it returns.
fn each_group(cpu: &Cpu, dims: &L2NormDims, into: &mut [f32], value: impl Fn(usize) -> f64 + Sync) {
    let groups = TASK_FLOATS.div_ceil(dims.len().max(1));
    cpu.run_blocks(into, groups, |task, into| {
        for (i, into) in into.iter_mut().enumerate() {
            *into = round(vectorize!(cpu, value((task * groups + i) * dims.len())));
        }
    });
}

/// The sum of sums, in f64.
#[inline(always)]
fn carried(sums: impl Iterator<Item = f32>) -> f64 {
    sums.map(f64::from).sum()
}

/// `y = gamma · x · inv`.
///
/// * `x`, `y`: (groups, pixels, c)
/// * `inv`: (groups)
/// * `gamma`: (c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn normalize(
    cpu: &Cpu,
    dims: &L2NormDims,
    inv: &[f32],
    gamma: &[f32],
    x: &[f32],
    y: &mut [f32],
) {
    dims.check(&[x, y], inv, gamma);
    let block = dims.block();
    cpu.run_blocks(y, block, |task, y| {
        let first = task * block / dims.c;
        vectorize!(cpu, {
            for (i, y) in y.chunks_exact_mut(dims.c).enumerate() {
                let (pixel, inv) = (first + i, inv[(first + i) / dims.pixels]);
                let x = &x[pixel * dims.c..][..dims.c];
                for ((y, &x), &gamma) in y.iter_mut().zip(x).zip(gamma) {
                    *y = x * inv * gamma;
                }
            }
        });
    });
}

/// `dgamma = Σ dy · x · inv` over all pixels, or `dgamma += ..`.
///
/// * `x`, `dy`: (groups, pixels, c)
/// * `inv`: (groups)
/// * `dgamma`: (c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_scale(
    cpu: &Cpu,
    dims: &L2NormDims,
    inv: &[f32],
    (x, dy): (&[f32], &[f32]),
    write: Write,
    dgamma: &mut [f32],
) {
    dims.check(&[x, dy], inv, dgamma);
    column_sums::fold_strips(
        cpu,
        dims.groups * dims.pixels,
        [dims.c, 1],
        #[inline(always)]
        |pixels, at, sums| {
            for pixel in pixels {
                let inv = inv[pixel / dims.pixels];
                let x = &x[pixel * dims.c..][at.clone()];
                let dy = &dy[pixel * dims.c..][at.clone()];
                sums.iter_mut()
                    .zip(x.iter().zip(dy))
                    .for_each(|(sum, (x, dy))| *sum += dy * x * inv);
            }
        },
        |sums| dgamma.iter_mut().zip(sums).for_each(|(d, &sum)| put(write, sum, d)),
    );
}

/// `dx = (d − x · Σ(x · d) · inv²) · inv` with `d = gamma · dy` and the sum over the group.
///
/// * `x`, `dy`, `dx`: (groups, pixels, c)
/// * `inv`, `scratch`: (groups)
/// * `gamma`: (c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(
    cpu: &Cpu,
    dims: &L2NormDims,
    (inv, gamma): (&[f32], &[f32]),
    (x, dy): (&[f32], &[f32]),
    scratch: &mut [f32],
    dx: &mut [f32],
) {
    dims.check(&[x, dy, dx], inv, gamma);
    assert_eq!(scratch.len(), dims.groups, "one value per group of {dims:?}");
    let c = dims.c;
    each_group(cpu, dims, scratch, |at| {
        let pixels = x[at..][..dims.len()].chunks_exact(c).zip(dy[at..].chunks_exact(c));
        let inv = f64::from(inv[at / dims.len()]);
        inv * inv * carried(pixels.map(|(x, dy)| lanes_dot(x, dy, gamma)))
    });
    let (factors, block) = (&*scratch, dims.block());
    cpu.run_blocks(dx, block, |task, dx| {
        let first = task * block / c;
        vectorize!(cpu, {
            for (i, dx) in dx.chunks_exact_mut(c).enumerate() {
                let (pixel, group) = (first + i, (first + i) / dims.pixels);
                let (inv, factor) = (inv[group], factors[group]);
                let (x, dy) = (&x[pixel * c..][..c], &dy[pixel * c..][..c]);
                for (((dx, &x), &dy), &gamma) in dx.iter_mut().zip(x).zip(dy).zip(gamma) {
                    *dx = (dy * gamma - x * factor) * inv;
                }
            }
        });
    });
}

/// `Σ x · dy · gamma` of one pixel.
#[inline(always)]
fn lanes_dot(x: &[f32], dy: &[f32], gamma: &[f32]) -> f32 {
    lanes_sum(x.iter().zip(dy).zip(gamma).map(|((x, dy), gamma)| x * dy * gamma))
}

#[cfg(test)]
mod tests;
