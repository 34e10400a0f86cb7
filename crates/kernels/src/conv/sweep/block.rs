//! One task of a sweep: some pixels, some panels of a group.

use std::{ops::Range, ptr};

use crate::{
    conv::{
        order::{Order, Spot},
        sweep::{
            Sweep, TILES,
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
    /// Which pixels `pixels` are.
    pub(super) order: &'a Order,
    /// Whether some runs lie in the padding.
    pub(super) leaves: bool,
}

impl Kernel for Block<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let tiles = self.pixels.len().div_ceil(ROWS);
        let mut places = [[Place { base: ptr::null(), row: 0, column: 0 }; ROWS]; TILES];
        let mut rows = [[ptr::null_mut(); ROWS]; TILES];
        let mut spot = self.order.spot(self.pixels.start);
        for pixel in 0..tiles * ROWS {
            places.as_flattened_mut()[pixel] = self.place(spot);
            rows.as_flattened_mut()[pixel] = self.output(spot);
            if pixel + 1 < self.pixels.len() {
                spot = self.order.skip(spot, 1); // past the end, the last again
            }
        }
        let last = self.of.visits().count() - 1;
        if self.leaves {
            let mut table = Table::new();
            for (visit, (taps, part)) in self.of.visits().enumerate() {
                table.look_up(self.of, &places[..tiles], &taps, &part);
                let at = taps.start * self.of.len + part.start;
                let runs = |tile| table.runs(tile);
                self.pass(s, at, (visit == 0, visit == last), &rows[..tiles], runs);
            }
            return;
        }
        for (visit, (taps, part)) in self.of.visits().enumerate() {
            let steps = Steps::new(self.of, &taps, &part);
            let runs = |tile: usize| steps.runs(&places[tile]);
            let at = taps.start * self.of.len + part.start;
            self.pass(s, at, (visit == 0, visit == last), &rows[..tiles], runs);
        }
    }
}

impl Block<'_> {
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
    /// the panels and may be the first and the last; `runs` tells a tile's.
    #[inline(always)]
    fn pass<S: Lanes, R: Iterator<Item = Run> + Clone>(
        &self,
        s: S,
        at: usize,
        (first, last): (bool, bool),
        rows: &[[*mut f32; ROWS]],
        runs: impl Fn(usize) -> R,
    ) {
        let of = self.of;
        let panels = Panels::wide(of.cols);
        let depth = of.depth();
        let packed = &of.packed[self.group * depth * panels.packed_cols()..];
        let relu = if last { of.relu } else { None };
        for panel in self.panels.clone() {
            let (width, cols) = (panels.width(panel), panels.cols(panel));
            let b = packed[panel * COLS * depth + at * width..].as_ptr();
            let start = match of.bias {
                _ if !first => Start::Output,
                None => Start::Zero,
                Some(bias) => {
                    Start::Columns(bias[self.group * of.cols + panel * COLS..][..cols].as_ptr())
                }
            };
            for (tile, rows) in rows.iter().enumerate() {
                let rows = &rows.map(|row| row.wrapping_add(panel * COLS));
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
