//! Where the runs of a task's pixels begin: the same for all of them, or looked up where some lie in the
//! padding.

use std::{ops::Range, ptr};

use crate::{
    conv::sweep::{DEPTH, RUNS, Sweep, TILES},
    tile::{ROWS, Run},
};

/// What a run in the padding reads.
static ZEROS: [f32; DEPTH] = [0.0; DEPTH];

/// A position of a tile in the image read: where the run of tap (0, 0) begins, and its row and column.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) base: *const f32,
    pub(super) row: usize,
    pub(super) column: usize,
}

/// A run that all pixels have, `skip` floats from where tap (0, 0) begins.
#[derive(Clone, Copy)]
struct Step {
    skip: usize,
    at: usize,
    len: usize,
}

/// The runs of any pixel, where none lies in the padding.
pub(super) struct Steps {
    steps: [Step; RUNS],
    count: usize,
}

impl Steps {
    /// The runs of some taps, of each a part; runs that follow one another in memory become one.
    #[inline(always)]
    pub(super) fn new(of: &Sweep<'_>, taps: &Range<usize>, part: &Range<usize>) -> Self {
        let follows = part.len() == of.x_grid.stride;
        let (mut steps, mut count) = ([Step { skip: 0, at: 0, len: 0 }; RUNS], 0);
        for (index, &tap) in of.taps[taps.clone()].iter().enumerate() {
            let skip = of.tap_at(tap).wrapping_add(part.start);
            match steps[..count].last_mut() {
                Some(last) if follows && last.skip.wrapping_add(last.len) == skip => {
                    last.len += part.len();
                }
                _ => {
                    steps[count] = Step { skip, at: index * part.len(), len: part.len() };
                    count += 1;
                }
            }
        }
        Self { steps, count }
    }

    /// The runs of a tile whose pixels begin at `bases`.
    #[inline(always)]
    pub(super) fn runs(&self, bases: [*const f32; ROWS]) -> impl Iterator<Item = Run> + Clone + '_ {
        self.steps[..self.count].iter().map(move |step| Run {
            rows: bases.map(|base| base.wrapping_add(step.skip)),
            at: step.at,
            len: step.len,
        })
    }
}

/// The runs of a task's tiles, one tile's after another's.
pub(super) struct Table {
    runs: [Run; TILES * RUNS],
    /// Where each tile's runs end.
    ends: [usize; TILES],
}

impl Table {
    /// No runs.
    pub(super) fn new() -> Self {
        let none = Run { rows: [ptr::null(); ROWS], at: 0, len: 0 };
        Self { runs: [none; TILES * RUNS], ends: [0; TILES] }
    }

    /// The runs of a tile.
    #[inline(always)]
    pub(super) fn runs(&self, tile: usize) -> impl Iterator<Item = Run> + Clone + '_ {
        let begin = if tile == 0 { 0 } else { self.ends[tile - 1] };
        self.runs[begin..self.ends[tile]].iter().copied()
    }

    /// Finds the runs of each tile. A tap that is padding for all six pixels is left out, and runs that
    /// follow one another in memory become one.
    #[inline(always)]
    pub(super) fn look_up(
        &mut self,
        of: &Sweep<'_>,
        places: &[[Place; ROWS]],
        taps: &Range<usize>,
        part: &Range<usize>,
    ) {
        let [height, width] = of.x_grid.size;
        let follows = part.len() == of.x_grid.stride;
        let mut end = 0;
        for (places, tile_end) in places.iter().zip(&mut self.ends) {
            let begin = end;
            let [first, ..] = places;
            let alike = places.iter().all(|p| (p.row, p.column) == (first.row, first.column));
            let mut open = false; // the last run may be continued
            for (index, &[down, right]) in of.taps[taps.clone()].iter().enumerate() {
                // A negative place wraps around to a huge one, outside as well.
                let inside = |place: &Place| {
                    place.row.wrapping_add_signed(down) < height
                        && place.column.wrapping_add_signed(right) < width
                };
                let count = match alike {
                    true => usize::from(inside(first)) * ROWS,
                    false => places.iter().filter(|place| inside(place)).count(),
                };
                let skip = of.tap_at([down, right]).wrapping_add(part.start);
                let at = index * part.len();
                if count == ROWS && open {
                    let last: &mut Run = &mut self.runs[end - 1];
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
                    self.runs[end] = Run { rows: places.map(begin), at, len: part.len() };
                    end += 1;
                }
                open = follows && count == ROWS;
            }
            debug_assert!(end - begin <= RUNS, "runs of a tile");
            *tile_end = end;
        }
    }
}
