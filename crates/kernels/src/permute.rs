//! Exchange of a blob's axes, and of channels between groups: `y` has the values of `x` in another
//! order.
//!
//! A [`Permutation`] is made once per shape. It merges axes that stay neighbours, so that common
//! cases become what they are: a copy, a copy of rows, or a transposition of matrices. The result
//! is written once, in order, in blocks for the threads; reads follow with a constant step.

use smallvec::SmallVec;

use crate::cpu::{Cpu, TASK_FLOATS};

/// Where the values of a result come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permutation {
    /// Axes of the result, outermost first.
    axes: Vec<PermutedAxis>,
}

/// An axis of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PermutedAxis {
    size: usize,
    /// Values of the source between neighbours along this axis.
    step: usize,
}

impl Permutation {
    /// Axis `i` of the result is axis `order[i]` of a source with sizes `dims`.
    ///
    /// # Panics
    ///
    /// If `order` does not have every axis once.
    #[must_use]
    pub fn new(dims: &[usize], order: &[usize]) -> Self {
        let mut sorted: SmallVec<[usize; 8]> = order.iter().copied().collect();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..dims.len()), "{order:?} are not the axes of {dims:?}");
        let mut axes: Vec<PermutedAxis> = Vec::new();
        for &axis in order.iter().filter(|&&axis| dims[axis] != 1) {
            let next = PermutedAxis { size: dims[axis], step: dims[axis + 1..].iter().product() };
            match axes.last_mut() {
                Some(last) if last.step == next.size * next.step => {
                    *last = PermutedAxis { size: last.size * next.size, step: next.step };
                }
                _ => axes.push(next),
            }
        }
        Self { axes }
    }

    /// Values of the blob.
    #[must_use]
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.size).product()
    }

    /// `y` = `x` in the order of the result.
    ///
    /// # Panics
    ///
    /// If a length is not [`count`](Self::count).
    pub fn apply(&self, cpu: &Cpu, x: &[f32], y: &mut [f32]) {
        assert_eq!([x.len(), y.len()], [self.count(); 2], "values of {self:?}");
        let Some((inner, outer)) = self.axes.split_last() else { return y.copy_from_slice(x) };
        if y.is_empty() {
            return;
        }
        let rows = TASK_FLOATS.div_ceil(inner.size);
        cpu.run_blocks(y, rows * inner.size, |task, y| {
            let mut from = RowStart::at(outer, task * rows);
            for y in y.chunks_exact_mut(inner.size) {
                let x = &x[from.start..];
                match inner.step {
                    1 => y.copy_from_slice(&x[..inner.size]),
                    step => y.iter_mut().zip(x.iter().step_by(step)).for_each(|(y, &x)| *y = x),
                }
                from.advance(outer);
            }
        });
    }
}

/// Where a row of the result begins in the source, counted instead of divided.
struct RowStart {
    start: usize,
    /// Along each outer axis.
    index: SmallVec<[usize; 8]>,
}

impl RowStart {
    fn at(outer: &[PermutedAxis], row: usize) -> Self {
        let (mut rest, mut start) = (row, 0);
        let mut index: SmallVec<[usize; 8]> = outer.iter().map(|_| 0).collect();
        for (index, axis) in index.iter_mut().zip(outer).rev() {
            *index = rest % axis.size;
            rest /= axis.size;
            start += *index * axis.step;
        }
        Self { start, index }
    }

    /// The next row; after the last one the first.
    fn advance(&mut self, outer: &[PermutedAxis]) {
        for (index, axis) in self.index.iter_mut().zip(outer).rev() {
            *index += 1;
            self.start += axis.step;
            if *index < axis.size {
                return;
            }
            *index = 0;
            self.start -= axis.size * axis.step;
        }
    }
}

#[cfg(test)]
mod tests;
