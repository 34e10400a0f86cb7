//! Columns packed into panels.

use crate::{simd::LANES, tile::COLS};

/// Panels that hold `cols` columns: 16 wide, but 8 for a last one that needs no more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panels {
    cols: usize,
}

impl Panels {
    /// Panels for `cols` columns.
    pub(crate) fn new(cols: usize) -> Self {
        Self { cols }
    }

    /// How many.
    pub(crate) fn count(self) -> usize {
        self.cols.div_ceil(COLS)
    }

    /// Columns that exist in panel `index`.
    pub(crate) fn cols(self, index: usize) -> usize {
        COLS.min(self.cols - index * COLS)
    }

    /// Columns panel `index` is packed with: 8 or 16.
    pub(crate) fn width(self, index: usize) -> usize {
        if self.cols(index) > LANES { COLS } else { LANES }
    }

    /// Columns of all panels together, padding included.
    pub(crate) fn packed_cols(self) -> usize {
        self.cols.next_multiple_of(LANES)
    }
}
