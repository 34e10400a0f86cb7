//! Winograd's product over all tiles of an image: forward, and the gradient of the input.
//!
//! A task takes 48 tiles and a group of column panels. It turns the inputs of its tiles, all channels,
//! into N² matrices (tiles, depth); multiplies each by its panels, so that a panel's 16 KiB are used eight
//! times and one matrix at a time must stay in L2; and turns the N² results back, through bias and ReLU.
//! Tasks that share their tiles all turn the inputs: cheaper than to fetch all panels for fewer tiles.

use std::ops::Range;

use crate::{
    conv::{
        Few,
        winograd::{
            filters,
            grid::Grid,
            inputs::{self, Channels},
            planes::Planes,
            points::{At, Points},
            transform,
        },
    },
    cpu::{Cpu, Pieces},
    pack::even_runs,
    simd::{Kernel, LANES, Lanes},
    tile::{self, COLS, Panels, ROWS, Run, Start, Target},
    view::StridedRows,
};

/// Tiles of a task.
const TILES: usize = 8 * ROWS;
/// Terms of a product between two visits: a panel of 16 columns is then 16 KiB, half of L1.
const DEPTH: usize = 256;
/// Most column panels of a task.
const PANELS: usize = 16;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 16;

/// A sweep over all tiles.
pub(super) struct Sweep<'a, const M: usize, const N: usize> {
    pub(super) grid: Grid<M, N>,
    pub(super) group: usize,
    /// The image read; a group's channels begin at `group · depth`.
    pub(super) x: StridedRows<'a>,
    /// Channels of a group in the image read.
    pub(super) depth: usize,
    /// See [`filters`].
    pub(super) packed: &'a [f32],
    /// Channels of a group in the image written.
    pub(super) cols: usize,
    /// One a channel, all groups.
    pub(super) bias: Option<&'a [f32]>,
    /// Slope of a ReLU at the end.
    pub(super) relu: Option<f32>,
    pub(super) y: Pieces<'a, f32>,
    /// Floats from a pixel written to the next, and where the first begins.
    pub(super) strides: (usize, usize),
}

impl<const M: usize, const N: usize> Sweep<'_, M, N>
where
    At<N>: Points<N>,
{
    pub(super) fn run(&self, cpu: &Cpu) {
        let (tiles, [h, w]) = (self.grid.tiles(), self.grid.inputs);
        self.x.check(self.grid.n * h * w, self.group * self.depth);
        let blocks = tiles.div_ceil(TILES);
        let panels = Panels::new(self.cols).count();
        let cuts = panels.div_ceil(PANELS).max(TASKS.div_ceil(blocks * self.group)).min(panels);
        let panel_runs: Few<_> = even_runs(panels, panels.div_ceil(cuts)).collect();
        let most = panel_runs.iter().map(Range::len).max().unwrap_or(0);
        let planes = [self.depth, most * COLS + LANES].map(|cols| Planes::new(TILES, cols));
        let [turned_len, products_len] = planes.map(|planes| N * N * planes.plane);
        let tasks = blocks * self.group * panel_runs.len();
        cpu.run_scratch(tasks, turned_len + products_len, |task, scratch| {
            let (block, rest) = (task % blocks, task / blocks);
            let panels = panel_runs[rest % panel_runs.len()].clone();
            let group = rest / panel_runs.len();
            let tiles = block * TILES..tiles.min((block + 1) * TILES);
            let (turned, products) = scratch.split_at_mut(turned_len);
            cpu.enter(Block { of: self, group, tiles, panels, planes, turned, products });
        });
    }
}

/// A task.
struct Block<'a, const M: usize, const N: usize> {
    of: &'a Sweep<'a, M, N>,
    group: usize,
    tiles: Range<usize>,
    panels: Range<usize>,
    /// Of `turned` and of `products`.
    planes: [Planes; 2],
    /// (N², 48, depth)
    turned: &'a mut [f32],
    /// (N², 48, columns)
    products: &'a mut [f32],
}

impl<const M: usize, const N: usize> Kernel for Block<'_, M, N>
where
    At<N>: Points<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        for index in 0..self.tiles.len() {
            self.turn(s, index);
        }
        for point in 0..N * N {
            self.multiply(s, point);
        }
        for index in 0..self.tiles.len() {
            self.turn_back(s, index);
        }
    }
}

impl<const M: usize, const N: usize> Block<'_, M, N>
where
    At<N>: Points<N>,
{
    /// Turns the inputs of a tile.
    #[inline(always)]
    fn turn<S: Lanes>(&mut self, s: S, index: usize) {
        let of = self.of;
        let place = of.grid.place(self.tiles.start + index);
        let Planes { row, plane } = self.planes[0];
        let channels = Channels { x: of.x, first: self.group * of.depth, count: of.depth };
        assert!(self.turned.len() >= N * N * plane && index < TILES, "a row of `turned`");
        let to = self.turned[index * row..].as_mut_ptr();
        // SAFETY: `run` checked the pixels, and row `index` of each of the N² matrices has whole vectors for
        // all channels.
        unsafe { inputs::turn(s, channels, (&of.grid, place), to, plane) };
    }

    /// Makes product number `point`.
    #[inline(always)]
    fn multiply<S: Lanes>(&mut self, s: S, point: usize) {
        let of = self.of;
        let (panels, [turned_at, products_at]) = (Panels::new(of.cols), self.planes);
        let turned = &self.turned[point * turned_at.plane..][..turned_at.plane];
        let products = &mut self.products[point * products_at.plane..][..products_at.plane];
        for part in even_runs(of.depth, DEPTH) {
            let start = if part.start == 0 { Start::Zero } else { Start::Output };
            for (column, panel) in self.panels.clone().enumerate() {
                let width = panels.width(panel);
                let (at, step) = filters::panel_at::<N>((of.depth, of.cols), self.group, panel);
                let b = of.packed[at + point * step + part.start * width..].as_ptr();
                for first in (0..self.tiles.len()).step_by(ROWS) {
                    let rows = std::array::from_fn(|i| {
                        turned[(first + i) * turned_at.row + part.start..].as_ptr()
                    });
                    let to: [_; ROWS] = std::array::from_fn(|i| {
                        products[(first + i) * products_at.row + column * COLS..].as_mut_ptr()
                    });
                    // Tiles that do not exist are multiplied too, and never read.
                    let target = Target { rows: &to, valid: ROWS, cols: width, step: 1 };
                    let run = Run { rows, at: 0, len: part.len() };
                    // SAFETY: rows of `turned` have `depth` floats, rows of `products` a panel's columns, and
                    // `b` has `part.len()` rows.
                    unsafe { tile::sum_panel(s, width, &[run], 1, b, (start, None), &target) };
                }
            }
        }
    }

    /// Turns the products of a tile back and writes its outputs.
    #[inline(always)]
    fn turn_back<S: Lanes>(&self, s: S, index: usize) {
        let of = self.of;
        let outputs = of.grid.outputs(of.grid.place(self.tiles.start + index));
        let Planes { row, plane } = self.planes[1];
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
            let values: [[S::F; M]; M] = unsafe { transform::gather(s, from, plane) };
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
                    // SAFETY: the pixel has these channels, and they are this task's alone.
                    unsafe { s.store_first(to, value, live) };
                }
            }
        }
    }
}
