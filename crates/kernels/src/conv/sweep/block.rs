//! One task of a sweep: some pixels, some panels of a group.

use std::{ops::Range, ptr};

use crate::{
    conv::{
        order::{Order, Spot},
        sweep::{DEPTH, RUNS, Sweep, TILES, gather::Gather},
    },
    simd::{Kernel, Lanes},
    tile::{self, COLS, Panels, ROWS, Run, Start, Target},
};

/// What a run in the padding reads.
static ZEROS: [f32; DEPTH] = [0.0; DEPTH];

/// A task.
pub(super) struct Block<'a> {
    pub(super) of: &'a Sweep<'a>,
    pub(super) group: usize,
    pub(super) pixels: Range<usize>,
    pub(super) panels: Range<usize>,
    /// Which pixels `pixels` are.
    pub(super) order: &'a Order,
    /// For runs that are copied together.
    pub(super) scratch: &'a mut [f32],
}

/// The runs of a task's tiles, one tile's after another's.
struct Table {
    runs: [Run; TILES * RUNS],
    /// Where each tile's runs end.
    ends: [usize; TILES],
}

impl Table {
    fn new() -> Self {
        let none = Run { rows: [ptr::null(); ROWS], at: 0, len: 0 };
        Self { runs: [none; TILES * RUNS], ends: [0; TILES] }
    }
}

/// A position of a tile in the image read: where the run of tap (0, 0) begins, and its row and column.
#[derive(Clone, Copy)]
struct Place {
    base: *const f32,
    row: usize,
    column: usize,
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
        let mut table = Table::new();
        if self.scratch.is_empty() {
            let last = self.of.visits().count() - 1;
            for (visit, (taps, part)) in self.of.visits().enumerate() {
                self.look_up(&places[..tiles], &taps, &part, &mut table);
                let at = taps.start * self.of.len + part.start;
                self.pass(s, at, (visit == 0, visit == last), &table, &rows[..tiles]);
            }
        } else {
            let depth = self.of.depth();
            let gather = Gather::new(self.of);
            for (tile, places) in places[..tiles].iter().enumerate() {
                let bases = places.map(|place| place.base);
                let rows = gather.tile(s, &bases, tile, self.scratch);
                table.runs[tile] = Run { rows, at: 0, len: depth };
                table.ends[tile] = tile + 1;
            }
            self.pass(s, 0, (true, true), &table, &rows[..tiles]);
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

    /// Finds the runs of each tile. A tap that is padding for all six pixels is left out, and runs that
    /// follow one another in memory become one.
    #[inline(always)]
    fn look_up(
        &self,
        places: &[[Place; ROWS]],
        taps: &Range<usize>,
        part: &Range<usize>,
        table: &mut Table,
    ) {
        let grid = &self.of.x_grid;
        let [height, width] = grid.size;
        let follows = part.len() == grid.stride;
        let mut end = 0;
        for (places, tile_end) in places.iter().zip(&mut table.ends) {
            let begin = end;
            let mut open = false; // the last run may be continued
            for (index, &[down, right]) in self.of.taps[taps.clone()].iter().enumerate() {
                // A negative place wraps around to a huge one, outside as well.
                let inside = |place: &Place| {
                    place.row.wrapping_add_signed(down) < height
                        && place.column.wrapping_add_signed(right) < width
                };
                let count = places.iter().filter(|place| inside(place)).count();
                let skip = self.tap_at(down, right).wrapping_add_signed(part.start.cast_signed());
                let at = index * part.len();
                if count == ROWS && open {
                    let last: &mut Run = &mut table.runs[end - 1];
                    let next = last.rows[0].wrapping_add(last.len);
                    if next == places[0].base.wrapping_add(skip) && last.at + last.len == at {
                        last.len += part.len();
                        continue;
                    }
                }
                if count > 0 {
                    let begin = |place: Place| match inside(&place) {
                        true => place.base.wrapping_add(skip),
                        false => ZEROS.as_ptr(),
                    };
                    table.runs[end] = Run { rows: places.map(begin), at, len: part.len() };
                    end += 1;
                }
                open = follows && count == ROWS;
            }
            debug_assert!(end - begin <= RUNS, "runs of a tile");
            *tile_end = end;
        }
    }

    /// Floats from a pixel to the pixel of a tap; backwards wraps around.
    #[inline(always)]
    fn tap_at(&self, down: isize, right: isize) -> usize {
        let grid = &self.of.x_grid;
        let pixels = down.wrapping_mul(grid.size[1].cast_signed()).wrapping_add(right);
        pixels.wrapping_mul(grid.stride.cast_signed()).cast_unsigned()
    }

    /// Passes every tile under every panel, for one block of the reduction, which begins `at` rows down
    /// the panels and may be the first and the last.
    #[inline(always)]
    fn pass<S: Lanes>(
        &self,
        s: S,
        at: usize,
        (first, last): (bool, bool),
        table: &Table,
        rows: &[[*mut f32; ROWS]],
    ) {
        let of = self.of;
        let panels = Panels::new(of.cols);
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
            let mut begin = 0;
            for (tile, rows) in rows.iter().enumerate() {
                let rows = &rows.map(|row| row.wrapping_add(panel * COLS));
                let valid = ROWS.min(self.pixels.len() - tile * ROWS);
                let runs = &table.runs[begin..table.ends[tile]];
                begin = table.ends[tile];
                let target = Target { rows, valid, cols, step: 1 };
                // SAFETY: the geometry (checked at the border) keeps every run inside the image, in
                // `ZEROS` or in what was gathered, `b` has `depth` rows, and this task alone writes
                // its pixels' panels.
                unsafe { tile::sum_panel(s, width, runs, 1, b, (start, relu), &target) };
            }
        }
    }
}
