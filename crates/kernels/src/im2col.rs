//! `im2col` and `col2im` of row-major images with any number of spatial axes.
//!
//! For the Im2col layer and for convolutions that are not two-dimensional; two-dimensional ones
//! have [`conv`](crate::conv), which needs no columns.

use smallvec::{SmallVec, smallvec};

use crate::cpu::Cpu;

/// One spatial axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpatialAxis {
    /// Input size.
    pub size: usize,
    /// Kernel size.
    pub kernel: usize,
    /// Input values between neighbouring outputs.
    pub stride: usize,
    /// Zeros before the first value.
    pub pad: usize,
    /// Zeros after the last.
    pub pad_end: usize,
    /// Input values between neighbouring taps.
    pub dilation: usize,
}

impl SpatialAxis {
    /// Output size; zero if the kernel does not fit.
    #[must_use]
    pub fn out(&self) -> usize {
        let extent = self.dilation * (self.kernel - 1) + 1;
        let padded = self.pad + self.size + self.pad_end;
        if padded < extent { 0 } else { (padded - extent) / self.stride + 1 }
    }

    /// The input index of an output and a tap, if it is not padding.
    fn input(&self, out: usize, tap: usize) -> Option<usize> {
        (out * self.stride + tap * self.dilation)
            .checked_sub(self.pad)
            .filter(|&input| input < self.size)
    }
}

/// Spreads one image into columns.
///
/// * `x`: (c, sizes..)
/// * `col`: (c, kernels.., outs..)
///
/// # Panics
///
/// If an operand does not fit.
pub fn im2col(cpu: &Cpu, c: usize, axes: &[SpatialAxis], x: &[f32], col: &mut [f32]) {
    let lens = lengths(c, axes, x.len(), col.len());
    cpu.run_blocks(col, lens.col.max(1), |channel, col| {
        let x = &x[channel * lens.image..][..lens.image];
        walk(axes, |at, from| col[at] = from.map_or(0.0, |from| x[from]));
    });
}

/// Adds columns into one image, overwriting it.
///
/// * `col`: (c, kernels.., outs..)
/// * `x`: (c, sizes..)
///
/// # Panics
///
/// If an operand does not fit.
pub fn col2im(cpu: &Cpu, c: usize, axes: &[SpatialAxis], col: &[f32], x: &mut [f32]) {
    let lens = lengths(c, axes, x.len(), col.len());
    cpu.run_blocks(x, lens.image.max(1), |channel, x| {
        let col = &col[channel * lens.col..][..lens.col];
        x.fill(0.0);
        walk(axes, |at, to| {
            if let Some(to) = to {
                x[to] += col[at];
            }
        });
    });
}

/// Values of one channel of the image and of the columns.
struct ColumnLengths {
    image: usize,
    col: usize,
}

fn lengths(c: usize, axes: &[SpatialAxis], x: usize, col: usize) -> ColumnLengths {
    let image: usize = axes.iter().map(|axis| axis.size).product();
    let rows: usize = axes.iter().map(|axis| axis.kernel).product();
    let outs: usize = axes.iter().map(SpatialAxis::out).product();
    assert_eq!(x, c * image, "image of {c} channels, {axes:?}");
    assert_eq!(col, c * rows * outs, "columns of {c} channels, {axes:?}");
    ColumnLengths { image, col: rows * outs }
}

/// Calls `visit(index in the columns, index in the image)` for one channel, columns in order.
fn walk(axes: &[SpatialAxis], mut visit: impl FnMut(usize, Option<usize>)) {
    let mut at = 0;
    over(axes, SpatialAxis::kernel_size, &mut index(axes), 0, &mut |taps| {
        over(axes, SpatialAxis::out, &mut index(axes), 0, &mut |outs| {
            let inputs = axes.iter().zip(outs.iter().zip(taps));
            let input = inputs
                .map(|(axis, (&out, &tap))| axis.input(out, tap).map(|input| (axis.size, input)))
                .try_fold(0, |sum, input| input.map(|(size, input)| sum * size + input));
            visit(at, input);
            at += 1;
        });
    });
}

/// Room for one number per axis, on the stack for as many axes as occur.
fn index(axes: &[SpatialAxis]) -> SmallVec<[usize; 8]> {
    smallvec![0; axes.len()]
}

impl SpatialAxis {
    fn kernel_size(&self) -> usize {
        self.kernel
    }
}

/// Calls `visit` for every index below the axes' sizes, last axis fastest.
fn over(
    axes: &[SpatialAxis],
    size: fn(&SpatialAxis) -> usize,
    index: &mut [usize],
    depth: usize,
    visit: &mut dyn FnMut(&[usize]),
) {
    let Some(axis) = axes.get(depth) else { return visit(index) };
    for i in 0..size(axis) {
        index[depth] = i;
        over(axes, size, index, depth + 1, visit);
    }
}

#[cfg(test)]
mod tests;
