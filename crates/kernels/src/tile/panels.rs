//! How the columns of a packed operand are divided into panels.

use crate::{
    simd::LANES,
    tile::{COLS, WIDE},
};

/// Panels of `cols` columns: 16 wide; the last is as wide as needed, in vectors of 8.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panels {
    cols: usize,
    count: usize,
}

impl Panels {
    /// Panels for `cols` columns. The last is up to 24 wide where that avoids a panel of 8.
    pub(crate) fn new(cols: usize) -> Self {
        let spare = cols > COLS && (1..=WIDE - COLS).contains(&(cols % COLS));
        Self { cols, count: cols.div_ceil(COLS) - usize::from(spare) }
    }

    /// Number of panels.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// Columns that exist in panel `index`, of which the first is `16 * index`.
    pub(crate) fn cols(self, index: usize) -> usize {
        if index + 1 == self.count { self.cols - index * COLS } else { COLS }
    }

    /// Columns panel `index` is packed with: 8, 16 or 24.
    pub(crate) fn width(self, index: usize) -> usize {
        self.cols(index).next_multiple_of(LANES)
    }

    /// Columns the widest panel is packed with.
    pub(crate) fn max_width(self) -> usize {
        self.width(0).max(self.width(self.count - 1))
    }

    /// Columns of all panels together, padding included.
    pub(crate) fn packed_cols(self) -> usize {
        self.cols.next_multiple_of(LANES)
    }
}
