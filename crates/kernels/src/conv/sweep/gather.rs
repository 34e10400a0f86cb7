//! Copies the short runs of a pixel together: a tile then has one run, whose loop is long.
//!
//! Pays for images of a few channels: an output of LeNet's first layer has five runs of five floats, and
//! to begin a run costs as much as five steps. The copy is a load and a store for eight floats that are
//! then multiplied by all output channels.

use std::ptr;

use crate::{
    conv::sweep::{RUNS, Sweep, TILES},
    simd::{LANES, Lanes},
    tile::ROWS,
};

/// Runs shorter than this are copied together.
pub(super) const SHORT: usize = 32;

/// Floats for a task's pixels, and what the last vector may write too much.
pub(super) fn scratch_len(depth: usize) -> usize {
    TILES * ROWS * depth + LANES
}

/// Where the runs of a pixel begin, counted from its tap (0, 0).
pub(super) struct Gather<'a> {
    x: &'a [f32],
    offsets: [usize; RUNS],
    taps: usize,
    len: usize,
}

impl<'a> Gather<'a> {
    /// For a sweep of at most `RUNS` taps, none of them in the padding.
    pub(super) fn new(of: &Sweep<'a>) -> Self {
        let mut offsets = [0; RUNS];
        for (offset, &[down, right]) in offsets.iter_mut().zip(of.taps) {
            let pixels = down.cast_unsigned() * of.x_grid.size[1] + right.cast_unsigned();
            *offset = pixels * of.x_grid.stride;
        }
        assert!(of.taps.len() <= RUNS, "runs of a tile");
        Self { x: of.x, offsets, taps: of.taps.len(), len: of.len }
    }

    /// Copies the runs of six pixels, whose tap (0, 0) is at `bases`, and tells where each now begins.
    #[inline(always)]
    pub(super) fn tile<S: Lanes>(
        &self,
        s: S,
        bases: &[*const f32; ROWS],
        tile: usize,
        scratch: &mut [f32],
    ) -> [*const f32; ROWS] {
        let (len, depth) = (self.len, self.taps * self.len);
        let scratch = &mut scratch[tile * ROWS * depth..][..ROWS * depth + LANES];
        let start = self.x.as_ptr() as usize;
        let offsets = &self.offsets[..self.taps];
        let mut rows = [ptr::null(); ROWS];
        for (i, (row, base)) in rows.iter_mut().zip(bases).enumerate() {
            let into = &mut scratch[i * depth..][..depth + LANES];
            *row = into.as_ptr();
            let first = (*base as usize - start) / size_of::<f32>();
            let end = first + self.offsets[self.taps - 1] + len.next_multiple_of(LANES);
            if end > self.x.len() {
                for (into, &offset) in into.chunks_exact_mut(len).zip(offsets) {
                    into.copy_from_slice(&self.x[first + offset..][..len]);
                }
                continue;
            }
            let mut to = into.as_mut_ptr();
            for &offset in offsets {
                let from = base.wrapping_add(offset);
                for at in (0..len).step_by(LANES) {
                    // SAFETY: `end`, past the last of the ascending runs, is inside the image.
                    let eight = unsafe { s.load(from.wrapping_add(at)) };
                    // SAFETY: `into` has eight floats to spare; what is too much is overwritten.
                    unsafe { s.store(to.wrapping_add(at), eight) };
                }
                to = to.wrapping_add(len);
            }
        }
        rows
    }
}
