//! Sweeps register tiles over pixels: the loop of forward and of backward to data.
//!
//! Output pixels of all images are numbered through and taken six at a time, so a tile may span
//! rows and images and none is wasted on a 7×7 image. A task takes `TILES` tiles and a group of
//! column panels. It visits the reduction in blocks of about `DEPTH` floats (several taps of few
//! channels, or a part of the channels of one tap): for a block it looks up where the runs of its
//! pixels begin, then for each panel (16 KiB, in L1) passes all its pixels (in L2).

use std::{ops::Range, ptr};

use crate::{
    cpu::{Cpu, Pieces},
    pack::even_runs,
    simd::{Kernel, Lanes},
    tile::{self, COLS, Panels, ROWS, Run, Start, Target},
};

/// Tiles of a task.
const TILES: usize = 16;
/// Floats of the reduction in a visit.
const DEPTH: usize = 256;
/// Runs in a visit.
const RUNS: usize = 32;
/// Column panels of a task: more would push its outputs out of L2.
const PANELS: usize = 32;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 32;

/// What a run in the padding reads.
static ZEROS: [f32; DEPTH] = [0.0; DEPTH];

/// Pixels of one image, and how a position `p` of the sweep maps to them: `origin + p · step`.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    /// Height and width.
    pub(super) size: [usize; 2],
    /// Floats of a pixel, other groups' included.
    pub(super) stride: usize,
    /// Where the first pixel's channels begin.
    pub(super) offset: usize,
    /// Pixel of position 0.
    pub(super) origin: [usize; 2],
    /// Pixels between positions.
    pub(super) step: [usize; 2],
}

/// A sweep: `y[p] = start + Σ_tap x[p · step + tap] · packed[tap]` for all positions `p`.
pub(super) struct Sweep<'a> {
    /// Images.
    pub(super) n: usize,
    /// Positions of one image.
    pub(super) positions: [usize; 2],
    /// Groups; group `g` reads channels from `g · len` and writes from `g · cols`.
    pub(super) group: usize,
    /// The image read.
    pub(super) x: &'a [f32],
    pub(super) x_grid: Grid,
    /// Where runs begin.
    pub(super) taps: &'a [[isize; 2]],
    /// Floats of a run.
    pub(super) len: usize,
    /// (group, panels, taps · len, 16); see [`Panels`].
    pub(super) packed: &'a [f32],
    /// Output channels of a group.
    pub(super) cols: usize,
    /// One a channel, all groups.
    pub(super) bias: Option<&'a [f32]>,
    /// Slope of a ReLU at the end.
    pub(super) relu: Option<f32>,
    pub(super) y: Pieces<'a, f32>,
    pub(super) y_grid: Grid,
}

impl Sweep<'_> {
    pub(super) fn run(&self, cpu: &Cpu) {
        let pixels = self.n * self.positions[0] * self.positions[1];
        let panels = Panels::new(self.cols).count();
        let blocks = pixels.div_ceil(TILES * ROWS);
        if blocks == 0 || panels == 0 {
            return;
        }
        let cuts = panels.div_ceil(PANELS).max(TASKS.div_ceil(blocks * self.group)).min(panels);
        let groups: Vec<_> = even_runs(panels, panels.div_ceil(cuts)).collect();
        cpu.run(blocks * self.group * groups.len(), |task| {
            let (block, rest) = (task % blocks, task / blocks);
            let panels = groups[rest % groups.len()].clone();
            let first = block * TILES * ROWS;
            let pixels = first..pixels.min(first + TILES * ROWS);
            cpu.enter(Block { of: self, group: rest / groups.len(), pixels, panels });
        });
    }

    /// Blocks of the reduction: which taps, and which floats of each run.
    fn visits(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let taps_most = (DEPTH / self.len.max(1)).clamp(1, RUNS);
        even_runs(self.taps.len(), taps_most)
            .flat_map(|taps| even_runs(self.len, DEPTH).map(move |part| (taps.clone(), part)))
    }
}

/// A task: some pixels, some panels of a group.
struct Block<'a> {
    of: &'a Sweep<'a>,
    group: usize,
    pixels: Range<usize>,
    panels: Range<usize>,
}

/// The runs of a task's tiles, one tile's after another's.
struct Table {
    runs: [Run; TILES * RUNS],
    /// Where each tile's runs end.
    ends: [usize; TILES],
}

/// Image, row and column of the six positions of a tile.
type Places = [[usize; 3]; ROWS];

impl Kernel for Block<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let tiles = self.pixels.len().div_ceil(ROWS);
        let mut places = [[[0; 3]; ROWS]; TILES];
        let mut rows = [[ptr::null_mut(); ROWS]; TILES];
        for tile in 0..tiles {
            places[tile] = self.places(tile);
            rows[tile] = places[tile].map(|place| self.output(place));
        }
        let mut table = Table {
            runs: [Run { rows: [ptr::null(); ROWS], at: 0 }; TILES * RUNS],
            ends: [0; TILES],
        };
        let last = self.of.visits().count() - 1;
        for (visit, (taps, part)) in self.of.visits().enumerate() {
            self.look_up(&places[..tiles], &taps, &part, &mut table);
            let ends = |col: usize| {
                let start = match self.of.bias {
                    _ if visit > 0 => Start::Output,
                    None => Start::Zero,
                    Some(bias) => Start::Columns(bias[self.group * self.of.cols + col..].as_ptr()),
                };
                (start, if visit == last { self.of.relu } else { None })
            };
            self.pass(s, (taps, part), &table, &rows[..tiles], ends);
        }
    }
}

impl Block<'_> {
    /// The positions of tile `tile`; past the end, the last again.
    fn places(&self, tile: usize) -> Places {
        let [_, width] = self.of.positions;
        let image = self.of.positions[0] * width;
        std::array::from_fn(|i| {
            let pixel = (self.pixels.start + tile * ROWS + i).min(self.pixels.end - 1);
            [pixel / image, pixel % image / width, pixel % width]
        })
    }

    /// Where the outputs of a position begin.
    fn output(&self, [image, i, j]: [usize; 3]) -> *mut f32 {
        let grid = &self.of.y_grid;
        let (i, j) = (grid.origin[0] + i * grid.step[0], grid.origin[1] + j * grid.step[1]);
        let pixel = (image * grid.size[0] + i) * grid.size[1] + j;
        self.of.y.pointer(pixel * grid.stride + grid.offset + self.group * self.of.cols)
    }

    /// Finds the runs of each tile. A tap that is padding for all six pixels is left out.
    fn look_up(
        &self,
        places: &[Places],
        taps: &Range<usize>,
        part: &Range<usize>,
        table: &mut Table,
    ) {
        let mut end = 0;
        for (places, tile_end) in places.iter().zip(&mut table.ends) {
            for (index, tap) in self.of.taps[taps.clone()].iter().enumerate() {
                let found = places.map(|place| self.input(place, *tap, part.start));
                if found.iter().any(Option::is_some) {
                    let rows = found.map(|at| at.unwrap_or(ZEROS.as_ptr()));
                    table.runs[end] = Run { rows, at: index * part.len() };
                    end += 1;
                }
            }
            *tile_end = end;
        }
    }

    /// Where the run of a position and a tap begins, from float `skip` on, if it is not padding.
    #[inline(always)]
    fn input(&self, [image, i, j]: [usize; 3], tap: [isize; 2], skip: usize) -> Option<*const f32> {
        let grid = &self.of.x_grid;
        // A negative place wraps around to a huge one, outside as well.
        let i = (grid.origin[0] + i * grid.step[0]).wrapping_add_signed(tap[0]);
        let j = (grid.origin[1] + j * grid.step[1]).wrapping_add_signed(tap[1]);
        (i < grid.size[0] && j < grid.size[1]).then(|| {
            let pixel = (image * grid.size[0] + i) * grid.size[1] + j;
            let channel = grid.offset + self.group * self.of.len + skip;
            self.of.x.as_ptr().wrapping_add(pixel * grid.stride + channel)
        })
    }

    /// Passes every tile under every panel, for one block of the reduction.
    #[inline(always)]
    fn pass<S: Lanes>(
        &self,
        s: S,
        (taps, part): (Range<usize>, Range<usize>),
        table: &Table,
        rows: &[[*mut f32; ROWS]],
        ends: impl Fn(usize) -> (Start, Option<f32>),
    ) {
        let of = self.of;
        let panels = Panels::new(of.cols);
        let depth = of.taps.len() * of.len;
        let packed = &of.packed[self.group * depth * panels.packed_cols()..];
        for panel in self.panels.clone() {
            let width = panels.width(panel);
            let done = taps.start * of.len + part.start;
            let b = packed[panel * COLS * depth + done * width..].as_ptr();
            let mut first = 0;
            for (tile, rows) in rows.iter().enumerate() {
                let rows = &rows.map(|row| row.wrapping_add(panel * COLS));
                let valid = ROWS.min(self.pixels.len() - tile * ROWS);
                let runs = &table.runs[first..table.ends[tile]];
                first = table.ends[tile];
                let target = Target { rows, valid, cols: panels.cols(panel), step: 1 };
                // SAFETY: the geometry (checked at the border) keeps every run inside the image or
                // in `ZEROS`, `b` has `depth` rows, and this task alone writes its pixels' panels.
                unsafe {
                    tile::sum_panel(
                        s,
                        width,
                        runs,
                        (1, part.len()),
                        b,
                        ends(panel * COLS),
                        &target,
                    );
                }
            }
        }
    }
}
