//! The gradient of weights: R×R taps are the outputs, and M×M values of `dy` take the role of the
//! filter.
//!
//! `dw[k, c] = output(Σ_tile filter(dy[tile, k]) · input(x[tile, c]))`: N² matrix products whose
//! reduction runs over tiles. A task owns some output and some input channels. It processes its
//! tiles in blocks: transforms `dy` into (N², tiles, k) and, one panel of 16 channels after
//! another, `x` into (N², tiles, 16), both small enough for L2, and accumulates into sums stored
//! register tile by register tile in scratch. Partial sums over tiles are added in order when the
//! sums are transformed into taps.

mod blocking;
mod collect;

use std::ops::Range;

use crate::{
    conv::{
        ConvShape,
        backward_weights::for_output_channels,
        split_k::{PartialSums, SplitKTask},
        winograd::{
            gradient::{
                blocking::{BLOCK, WinogradBlocking},
                collect::WinogradCollect,
            },
            input_tile::{self, ChannelRange},
            plane_layout::PlaneLayout,
            points::{PointSet, WinogradPoints},
            transform,
        },
    },
    cpu::{Cpu, DisjointMut},
    simd::{Kernel, LANES, SimdLanes},
    tile::{self, COLS, KSlice, ROWS, TileInit, TileOutput},
    view::{StridedRows, Write},
};

/// As [`backward_weights`](crate::conv::backward_weights), with tiles of M×M outputs and N×N
/// inputs.
pub(super) fn run<const M: usize, const R: usize, const N: usize>(
    cpu: &Cpu,
    conv: &ConvShape,
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) where
    PointSet<N>: WinogradPoints<N>,
{
    let blocking = WinogradBlocking::<M, N>::of(conv);
    cpu.with_shared(blocking.partition.splits() * blocking.sums_len, |sums| {
        let (x, sums_of) = (StridedRows::dense(x, conv.c), DisjointMut::new(&mut *sums, 1));
        let gradient = WinogradGradient { conv, blocking: &blocking, x, dy, sums: sums_of };
        cpu.run_scratch(blocking.partition.tasks(), blocking.scratch_len(), |task, scratch| {
            let (dy_matrices, x_matrices) = scratch.split_at_mut(N * N * blocking.dy.plane);
            cpu.enter(WinogradGradientTask {
                of: &gradient,
                task: blocking.partition.task(task),
                dy_matrices,
                x_matrices,
            });
        });
        let row = conv.group_c() * conv.taps();
        let sums =
            PartialSums { sums, splits: blocking.partition.splits(), len: blocking.sums_len };
        for_output_channels(cpu, conv, ROWS, dw, |group, first, dw| {
            let tile = first / ROWS;
            cpu.enter(WinogradCollect::<M, R, N> {
                blocking: &blocking,
                sums,
                group,
                tile,
                write,
                row,
                dw,
            });
        });
    });
}

/// The operands of the gradient, shared by all tasks.
struct WinogradGradient<'a, const M: usize, const N: usize> {
    conv: &'a ConvShape,
    blocking: &'a WinogradBlocking<M, N>,
    x: StridedRows<'a>,
    dy: StridedRows<'a>,
    sums: DisjointMut<'a, f32>,
}

/// One task of the split-K partition.
struct WinogradGradientTask<'a, const M: usize, const N: usize> {
    of: &'a WinogradGradient<'a, M, N>,
    task: SplitKTask,
    /// Transformed `dy`, (N², 48, k rounded up).
    dy_matrices: &'a mut [f32],
    /// Transformed panel of `x`, (N², 48, 24).
    x_matrices: &'a mut [f32],
}

impl<const M: usize, const N: usize> Kernel for WinogradGradientTask<'_, M, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(mut self, s: S) {
        let blocking = self.of.blocking;
        let tiles = blocking.tiling.tiles();
        let blocks = self.task.blocks.clone();
        for block in blocks.clone() {
            let tiles = block * BLOCK..tiles.min((block + 1) * BLOCK);
            self.transform_dy(s, tiles.clone());
            for panel in self.task.panels.clone() {
                self.transform_x(s, tiles.clone(), panel);
                for point in 0..N * N {
                    self.multiply(s, (point, panel), tiles.len(), block == blocks.start);
                }
            }
        }
    }
}

impl<const M: usize, const N: usize> WinogradGradientTask<'_, M, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    /// Transforms a panel of input channels of some tiles.
    #[inline(always)]
    fn transform_x<S: SimdLanes>(&mut self, s: S, tiles: Range<usize>, panel: usize) {
        let WinogradGradient { conv, blocking, x, .. } = *self.of;
        let first = self.task.group * conv.group_c() + panel * COLS;
        let channels = ChannelRange { x, first, count: blocking.panels.cols(panel) };
        let PlaneLayout { row, plane } = blocking.x(panel);
        assert!(self.x_matrices.len() >= N * N * plane, "all matrices");
        for (row, tile) in self.x_matrices[..BLOCK * row].chunks_exact_mut(row).zip(tiles) {
            let (to, tile) = (row.as_mut_ptr(), blocking.tiling.tile(tile));
            // SAFETY: `x` has all pixels, and this row of each of the N² matrices has a panel's
            // width.
            unsafe { input_tile::transform_tile(s, channels, (&blocking.tiling, tile), to, plane) };
        }
    }

    /// Transforms the gradients of the outputs of some tiles.
    #[inline(always)]
    fn transform_dy<S: SimdLanes>(&mut self, s: S, tiles: Range<usize>) {
        let WinogradGradient { conv, blocking, dy, .. } = *self.of;
        let k = self.task.tiles.start * ROWS;
        let count = (self.task.tiles.len() * ROWS).min(conv.group_k() - k);
        let first = self.task.group * conv.group_k() + k;
        let PlaneLayout { row, plane } = blocking.dy;
        assert!(self.dy_matrices.len() >= N * N * plane, "all matrices");
        for (row, tile) in self.dy_matrices[..BLOCK * row].chunks_exact_mut(row).zip(tiles) {
            let pixels = blocking.tiling.output_pixels(blocking.tiling.tile(tile), dy, first);
            for channel in (0..count).step_by(LANES) {
                let live = LANES.min(count - channel);
                let mut values = [[s.splat(0.0); M]; M];
                let each = values.as_flattened_mut().iter_mut();
                for (value, pixel) in each.zip(pixels.as_flattened()) {
                    let from = pixel.wrapping_add(channel);
                    *value = if live == LANES {
                        // SAFETY: the pixel, or zeros, have these channels.
                        unsafe { s.load(from) }
                    } else {
                        // SAFETY: as above.
                        unsafe { s.load_first(from, live) }
                    };
                }
                let points: [[S::F; N]; N] = transform::filter(s, &values);
                for (point, &value) in points.as_flattened().iter().enumerate() {
                    let to = row.as_mut_ptr().wrapping_add(point * plane + channel);
                    // SAFETY: this row of each of the N² matrices has whole vectors for all
                    // channels.
                    unsafe { s.store(to, value) };
                }
            }
        }
    }

    /// Adds product `point` of a block to the sums of a panel.
    #[inline(always)]
    fn multiply<S: SimdLanes>(
        &self,
        s: S,
        (point, panel): (usize, usize),
        len: usize,
        first: bool,
    ) {
        let blocking = self.of.blocking;
        let SplitKTask { split, group, tiles, .. } = &self.task;
        let start = if first { TileInit::Zero } else { TileInit::Output };
        let dy = &self.dy_matrices[point * blocking.dy.plane..][..blocking.dy.plane];
        let PlaneLayout { row: width, plane } = blocking.x(panel);
        let b = self.x_matrices[point * plane..][..plane].as_ptr();
        for (index, tile) in tiles.clone().enumerate() {
            let rows = std::array::from_fn(|i| dy[index * ROWS + i..].as_ptr());
            let to = self.of.sums.pointer(blocking.sums_at(*split, *group, point, panel, tile));
            let to: [_; ROWS] = std::array::from_fn(|i| to.wrapping_add(i * width));
            let output = TileOutput { rows: &to, valid: ROWS, cols: width, step: 1 };
            let slice = KSlice { rows, panel_row: 0, len };
            // SAFETY: a row of `dy` has six channels from the first of each register tile on, the
            // panel is (48, width), and the sums belong to this task only.
            unsafe {
                tile::sum_panel(s, width, &[slice], blocking.dy.row, b, (start, None), &output)
            };
        }
    }
}
