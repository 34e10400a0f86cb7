//! The Winograd product over all tiles of an image: forward, and the gradient of the input.
//!
//! A task takes 48 tiles and a group of column panels. It transforms the inputs of its tiles, all
//! channels, into N² matrices (tiles, depth); multiplies each by its panels, so that the 16 KiB of
//! a panel are used eight times and only one matrix at a time must stay in L2; and transforms the
//! N² results back, through bias and ReLU. Tasks with the same tiles all transform the inputs:
//! cheaper than reading all panels for fewer tiles.

use std::ops::Range;

use crate::{
    conv::{
        StackVec,
        winograd::{
            filters,
            input_tile::{self, ChannelRange},
            plane_layout::PlaneLayout,
            points::{PointSet, WinogradPoints},
            tiling::WinogradTiling,
            transform,
        },
    },
    cpu::{Cpu, DisjointMut},
    pack::even_ranges,
    simd::{Kernel, LANES, SimdLanes},
    tile::{self, COLS, KSlice, Panels, ROWS, TileInit, TileOutput},
    view::StridedRows,
};

/// Tiles of a task.
const TILES: usize = 8 * ROWS;
/// Depth of a slice of the reduction: a panel of 16 columns is then 16 KiB, half of L1.
const DEPTH: usize = 256;
/// Upper bound of the column panels of a task.
const PANELS: usize = 16;
/// Lower bound of the number of tasks, for load balance.
const TASKS: usize = 16;

/// The operands of the product, shared by all tasks.
pub(super) struct WinogradGemm<'a, const M: usize, const N: usize> {
    pub(super) tiling: WinogradTiling<M, N>,
    pub(super) group: usize,
    /// The image read; a group's channels begin at `group · depth`.
    pub(super) x: StridedRows<'a>,
    /// Channels of a group in the image read.
    pub(super) depth: usize,
    /// See [`filters`].
    pub(super) packed: &'a [f32],
    /// Channels of a group in the image written.
    pub(super) cols: usize,
    /// One per channel, all groups.
    pub(super) bias: Option<&'a [f32]>,
    /// Slope of a ReLU in the epilogue.
    pub(super) relu: Option<f32>,
    pub(super) y: DisjointMut<'a, f32>,
    /// Stride and offset of the pixels written, in floats.
    pub(super) strides: (usize, usize),
}

impl<const M: usize, const N: usize> WinogradGemm<'_, M, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    pub(super) fn run(&self, cpu: &Cpu) {
        let (tiles, [h, w]) = (self.tiling.tiles(), self.tiling.inputs);
        self.x.check(self.tiling.n * h * w, self.group * self.depth);
        let blocks = tiles.div_ceil(TILES);
        let panels = Panels::new(self.cols).count();
        let count = panels.div_ceil(PANELS).max(TASKS.div_ceil(blocks * self.group)).min(panels);
        let panel_ranges: StackVec<_> = even_ranges(panels, panels.div_ceil(count)).collect();
        let max_panels = panel_ranges.iter().map(Range::len).max().unwrap_or(0);
        let planes =
            [self.depth, max_panels * COLS + LANES].map(|cols| PlaneLayout::new(TILES, cols));
        let [inputs_len, products_len] = planes.map(|planes| N * N * planes.plane);
        let tasks = blocks * self.group * panel_ranges.len();
        cpu.run_scratch(tasks, inputs_len + products_len, |task, scratch| {
            let (block, rest) = (task % blocks, task / blocks);
            let panels = panel_ranges[rest % panel_ranges.len()].clone();
            let group = rest / panel_ranges.len();
            let tiles = block * TILES..tiles.min((block + 1) * TILES);
            let (inputs, products) = scratch.split_at_mut(inputs_len);
            cpu.enter(WinogradTask { of: self, group, tiles, panels, planes, inputs, products });
        });
    }
}

/// Tiles `tiles` by column panels `panels` of group `group`.
struct WinogradTask<'a, const M: usize, const N: usize> {
    of: &'a WinogradGemm<'a, M, N>,
    group: usize,
    tiles: Range<usize>,
    panels: Range<usize>,
    /// Layouts of `inputs` and of `products`.
    planes: [PlaneLayout; 2],
    /// Transformed inputs, (N², 48, depth).
    inputs: &'a mut [f32],
    /// (N², 48, columns).
    products: &'a mut [f32],
}

impl<const M: usize, const N: usize> Kernel for WinogradTask<'_, M, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(mut self, s: S) {
        for index in 0..self.tiles.len() {
            self.transform_inputs(s, index);
        }
        for point in 0..N * N {
            self.multiply(s, point);
        }
        for index in 0..self.tiles.len() {
            self.transform_outputs(s, index);
        }
    }
}

impl<const M: usize, const N: usize> WinogradTask<'_, M, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    /// Transforms the inputs of a tile.
    #[inline(always)]
    fn transform_inputs<S: SimdLanes>(&mut self, s: S, index: usize) {
        let of = self.of;
        let tile = of.tiling.tile(self.tiles.start + index);
        let PlaneLayout { row, plane } = self.planes[0];
        let channels = ChannelRange { x: of.x, first: self.group * of.depth, count: of.depth };
        assert!(self.inputs.len() >= N * N * plane && index < TILES, "a row of `inputs`");
        let to = self.inputs[index * row..].as_mut_ptr();
        // SAFETY: `run` checked the pixels, and row `index` of each of the N² matrices has whole
        // vectors for all channels.
        unsafe { input_tile::transform_tile(s, channels, (&of.tiling, tile), to, plane) };
    }

    /// Computes product `point` of N².
    #[inline(always)]
    fn multiply<S: SimdLanes>(&mut self, s: S, point: usize) {
        let of = self.of;
        let (panels, [inputs_at, products_at]) = (Panels::new(of.cols), self.planes);
        let inputs = &self.inputs[point * inputs_at.plane..][..inputs_at.plane];
        let products = &mut self.products[point * products_at.plane..][..products_at.plane];
        for slice in even_ranges(of.depth, DEPTH) {
            let start = if slice.start == 0 { TileInit::Zero } else { TileInit::Output };
            for (column, panel) in self.panels.clone().enumerate() {
                let width = panels.width(panel);
                let (at, step) = filters::panel_at::<N>((of.depth, of.cols), self.group, panel);
                let b = of.packed[at + point * step + slice.start * width..].as_ptr();
                for first in (0..self.tiles.len()).step_by(ROWS) {
                    let rows = std::array::from_fn(|i| {
                        inputs[(first + i) * inputs_at.row + slice.start..].as_ptr()
                    });
                    let to: [_; ROWS] = std::array::from_fn(|i| {
                        products[(first + i) * products_at.row + column * COLS..].as_mut_ptr()
                    });
                    // Tiles past the end are multiplied too; their products are never read.
                    let output = TileOutput { rows: &to, valid: ROWS, cols: width, step: 1 };
                    let rows_slice = KSlice { rows, panel_row: 0, len: slice.len() };
                    // SAFETY: rows of `inputs` have `depth` floats, rows of `products` a panel's
                    // columns, and `b` has `slice.len()` rows.
                    unsafe {
                        tile::sum_panel(s, width, &[rows_slice], 1, b, (start, None), &output)
                    };
                }
            }
        }
    }

    /// Transforms the products of a tile into its outputs and stores them.
    #[inline(always)]
    fn transform_outputs<S: SimdLanes>(&self, s: S, index: usize) {
        let of = self.of;
        let outputs = of.tiling.outputs(of.tiling.tile(self.tiles.start + index));
        let PlaneLayout { row, plane } = self.planes[1];
        let products = self.products[index * row..].as_ptr();
        let first = self.panels.start * COLS;
        let panels = Panels::new(of.cols);
        let last = self.panels.end - 1;
        let cols = last * COLS + panels.cols(last) - first;
        let (stride, offset) = of.strides;
        let channel = self.group * of.cols + first;
        let mut pixels = [[None; M]; M];
        let outputs = outputs.as_flattened().iter();
        for (to, pixel) in pixels.as_flattened_mut().iter_mut().zip(outputs) {
            *to = pixel.map(|pixel| of.y.pointer(pixel * stride + offset + channel));
        }
        for column in (0..cols).step_by(LANES) {
            let live = LANES.min(cols - column);
            let from = products.wrapping_add(column);
            // SAFETY: rows of products are whole vectors, for all columns of the panels.
            let values: [[S::F; M]; M] = unsafe { transform::output(s, from, plane) };
            let bias = match of.bias {
                // SAFETY: these channels exist.
                Some(bias) => unsafe {
                    s.load_first(bias[channel + column..][..live].as_ptr(), live)
                },
                None => s.splat(0.0),
            };
            let values = values.as_flattened().iter().copied();
            for (pixel, mut value) in pixels.as_flattened().iter().zip(values) {
                value = s.add(value, bias);
                if let Some(slope) = of.relu {
                    value = s.relu(value, slope);
                }
                if let Some(to) = pixel.map(|pixel| pixel.wrapping_add(column)) {
                    // SAFETY: the pixel has these channels, and only this task writes them.
                    unsafe { s.store_first(to, value, live) };
                }
            }
        }
    }
}
