//! One task of a sweep: some pixels, some panels of a group.

use std::{ops::Range, ptr};

use crate::{
    conv::{
        order::{Order, Spot},
        sweep::{
            Sweep, TILES,
            ahead::Ahead,
            pixels::Pixels,
            table::{Place, Steps, Table},
        },
    },
    simd::{Kernel, Lanes},
    tile::{self, COLS, Panels, ROWS, Run, Start, Target},
};

/// A task.
pub(super) struct Block<'a> {
    pub(super) of: &'a Sweep<'a>,
    pub(super) group: usize,
    pub(super) pixels: Range<usize>,
    pub(super) panels: Range<usize>,
    /// Which pixels `pixels` are, if some runs lie in the padding.
    pub(super) order: Option<&'a Order>,
    /// The pixels that come next, if it pays to ask for them.
    pub(super) next: Range<usize>,
}

impl Kernel for Block<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        match self.order {
            Some(order) => self.run_padded(s, order),
            None => self.run_inside(s),
        }
    }
}

impl Block<'_> {
    /// Looks up the runs of each tile, since some lie in the padding.
    #[inline(always)]
    fn run_padded<S: Lanes>(&self, s: S, order: &Order) {
        let tiles = self.pixels.len().div_ceil(ROWS);
        let mut places = [[Place { base: ptr::null(), row: 0, column: 0 }; ROWS]; TILES];
        let mut rows = [[ptr::null_mut(); ROWS]; TILES];
        let mut spot = order.spot(self.pixels.start);
        for pixel in 0..tiles * ROWS {
            places.as_flattened_mut()[pixel] = self.place(spot);
            rows.as_flattened_mut()[pixel] = self.output(spot);
            if pixel + 1 < self.pixels.len() {
                spot = order.skip(spot, 1); // past the end, the last again
            }
        }
        let last = self.of.visits().count() - 1;
        let mut table = Table::new();
        for (visit, (taps, part)) in self.of.visits().enumerate() {
            table.look_up(self.of, &places[..tiles], &taps, &part);
            let at = taps.start * self.of.len + part.start;
            let ends = (visit == 0, visit == last);
            self.pass(s, at, ends, |tile| rows[tile], |tile| table.runs(tile), &Ahead::none());
        }
    }

    /// All pixels have the same runs.
    #[inline(always)]
    fn run_inside<S: Lanes>(&self, s: S) {
        let of = self.of;
        let read = |pixels| Pixels::new(&of.x_grid, of.positions, self.group * of.len, pixels);
        let (here, next) = (read(&self.pixels), read(&self.next));
        let out = Pixels::new(&of.y_grid, of.positions, self.group * of.cols, &self.pixels);
        let (x, y) = (of.x.as_ptr(), of.y.pointer(0));
        let last = of.visits().count() - 1;
        for (visit, (taps, part)) in of.visits().enumerate() {
            let steps = Steps::new(of, &taps, &part);
            let runs = |tile: usize| steps.runs(here.read(x, tile));
            let at = taps.start * of.len + part.start;
            let ahead = Ahead::new(&next, x.wrapping_add(part.start), self.next.len(), part.len());
            self.pass(s, at, (visit == 0, visit == last), |tile| out.write(y, tile), runs, &ahead);
        }
    }

    /// Where the outputs of a position begin.
    fn output(&self, spot: Spot) -> *mut f32 {
        let grid = &self.of.y_grid;
        let [row, column] = grid.pixel(spot);
        let pixel = (spot.image * grid.size[0] + row) * grid.size[1] + column;
        self.of.y.pointer(pixel * grid.stride + grid.offset + self.group * self.of.cols)
    }

    /// Where a position lies in the image read.
    fn place(&self, spot: Spot) -> Place {
        let grid = &self.of.x_grid;
        let [row, column] = grid.pixel(spot);
        let pixel = (spot.image * grid.size[0] + row) * grid.size[1] + column;
        let at = pixel * grid.stride + grid.offset + self.group * self.of.len;
        Place { base: self.of.x.as_ptr().wrapping_add(at), row, column }
    }

    /// Passes every tile under every panel, for one block of the reduction, which begins `at` rows down
    /// the panels and may be the first and the last; `rows` tells where a tile's outputs begin, `runs` its runs.
    #[inline(always)]
    fn pass<S: Lanes, R: Iterator<Item = Run> + Clone>(
        &self,
        s: S,
        at: usize,
        (first, last): (bool, bool),
        rows: impl Fn(usize) -> [*mut f32; ROWS],
        runs: impl Fn(usize) -> R,
        ahead: &Ahead<'_>,
    ) {
        let of = self.of;
        let panels = Panels::new(of.cols);
        let depth = of.depth();
        let packed = &of.packed[self.group * depth * panels.packed_cols()..];
        let relu = if last { of.relu } else { None };
        for (index, panel) in self.panels.clone().enumerate() {
            let (width, cols) = (panels.width(panel), panels.cols(panel));
            let b = packed[panel * COLS * depth + at * width..].as_ptr();
            let start = match of.bias {
                _ if !first => Start::Output,
                None => Start::Zero,
                Some(bias) => {
                    Start::Columns(bias[self.group * of.cols + panel * COLS..][..cols].as_ptr())
                }
            };
            let ahead = ahead.part(index, self.panels.len());
            for tile in 0..self.pixels.len().div_ceil(ROWS) {
                ahead.ask(s, tile);
                let rows = &rows(tile).map(|row| row.wrapping_add(panel * COLS));
                let valid = ROWS.min(self.pixels.len() - tile * ROWS);
                let target = Target { rows, valid, cols, step: 1 };
                // SAFETY: the geometry (checked at the border) keeps every run inside the image or
                // in `ZEROS`, `b` has `depth` rows, and this task alone writes
                // its pixels' panels.
                unsafe { tile::sum_each(s, width, runs(tile), 1, b, (start, relu), &target) };
            }
        }
    }
}
