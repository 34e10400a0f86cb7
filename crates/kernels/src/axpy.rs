//! One factor per image and channel, and a sum: `y = a · x + z`.
//!
//! SENet's excitation and shortcut in one pass over memory, where Scale and Eltwise take two and
//! keep the product. Images are channels-last, so vectors run along channels.

use crate::{
    column_sums::{self, put},
    cpu::{Cpu, TASK_FLOATS},
    view::Write,
};

/// Images of `pixels` pixels with `c` channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AxpyDims {
    /// Images.
    pub n: usize,
    /// Pixels of an image.
    pub pixels: usize,
    /// Channels of a pixel.
    pub c: usize,
}

impl AxpyDims {
    fn check(&self, blobs: &[&[f32]], factors: &[f32]) {
        let count = self.n * self.pixels * self.c;
        assert!(blobs.iter().all(|blob| blob.len() == count), "values of {self:?}");
        assert_eq!(factors.len(), self.n * self.c, "factors of {self:?}");
    }

    /// Calls `row(y, factors, where y begins)` for every pixel of `y`.
    fn each_pixel(
        &self,
        cpu: &Cpu,
        a: &[f32],
        y: &mut [f32],
        row: impl Fn(&mut [f32], &[f32], usize) + Sync,
    ) {
        let c = self.c.max(1);
        let block = TASK_FLOATS.div_ceil(c) * c;
        cpu.run_blocks(y, block, |task, y| {
            vectorize!(cpu, {
                for (i, y) in y.chunks_exact_mut(c).enumerate() {
                    let pixel = task * (block / c) + i;
                    row(y, &a[pixel / self.pixels * c..][..c], pixel * c);
                }
            });
        });
    }
}

/// `y = a · x + z`.
///
/// * `a`: (n, c)
/// * `x`, `z`, `y`: (n, pixels, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(cpu: &Cpu, dims: &AxpyDims, a: &[f32], (x, z): (&[f32], &[f32]), y: &mut [f32]) {
    dims.check(&[x, z, y], a);
    dims.each_pixel(
        cpu,
        a,
        y,
        #[inline(always)]
        |y, a, at| {
            let (x, z) = (&x[at..][..y.len()], &z[at..][..y.len()]);
            for (((y, &a), &x), &z) in y.iter_mut().zip(a).zip(x).zip(z) {
                *y = a * x + z;
            }
        },
    );
}

/// `dx = a · dy`.
///
/// * `a`: (n, c)
/// * `dy`, `dx`: (n, pixels, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(cpu: &Cpu, dims: &AxpyDims, a: &[f32], dy: &[f32], dx: &mut [f32]) {
    dims.check(&[dy, dx], a);
    dims.each_pixel(
        cpu,
        a,
        dx,
        #[inline(always)]
        |dx, a, at| {
            let dy = &dy[at..][..dx.len()];
            dx.iter_mut().zip(a).zip(dy).for_each(|((dx, &a), &dy)| *dx = a * dy);
        },
    );
}

/// `da = Σ dy · x` over the pixels of each image.
///
/// * `x`, `dy`: (n, pixels, c)
/// * `da`: (n, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_factors(cpu: &Cpu, dims: &AxpyDims, x: &[f32], dy: &[f32], da: &mut [f32]) {
    dims.check(&[x, dy], da);
    let c = dims.c;
    for (image, da) in da.chunks_exact_mut(c.max(1)).enumerate() {
        column_sums::fold_strips(
            cpu,
            dims.pixels,
            [c, 1],
            #[inline(always)]
            |pixels, at, sums| {
                for pixel in pixels {
                    let row = (image * dims.pixels + pixel) * c;
                    let (x, dy) = (&x[row..][at.clone()], &dy[row..][at.clone()]);
                    sums.iter_mut().zip(x.iter().zip(dy)).for_each(|(sum, (x, dy))| *sum += x * dy);
                }
            },
            |sums| da.iter_mut().zip(sums).for_each(|(da, &sum)| put(Write::Set, sum, da)),
        );
    }
}

#[cfg(test)]
mod tests;
