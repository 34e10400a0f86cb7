//! Pooling of boxes: each box of an image is divided into a grid of bins, and each bin becomes one
//! value per channel. Largest values for Fast R-CNN, means for R-FCN.
//!
//! Where the bins are is the caller's: [`RoiBins`] has their rows and columns. Bins may overlap,
//! be clipped by the image, or be empty, which gives 0.
//!
//! Both backward passes gather, so that the sums do not depend on the number of threads: each row
//! (or plane) of `dx` adds the gradients of the bins over it, in the order of the boxes.

mod max;
mod mean;

use std::ops::Range;

pub use max::{max_backward, max_forward};
pub use mean::{mean_backward, mean_forward};

/// The image of every box, and where its bins are.
#[derive(Debug, Default)]
pub struct RoiBins {
    /// Rows and columns of bins.
    grid: [usize; 2],
    images: Vec<usize>,
    /// Per box, `grid[0]` ranges of rows.
    rows: Vec<BinRange>,
    /// Per box, `grid[1]` ranges of columns.
    cols: Vec<BinRange>,
}

/// First pixel of a bin along one axis, and the one behind its last.
type BinRange = [u32; 2];

fn range([start, end]: BinRange) -> Range<usize> {
    start as usize..end as usize
}

impl RoiBins {
    /// For `boxes` boxes of `grid` bins (down, across), all of image 0 and empty. Allocates.
    #[must_use]
    pub fn new(boxes: usize, grid: [usize; 2]) -> Self {
        let ranges = |bins: usize| vec![[0; 2]; boxes * bins];
        Self { grid, images: vec![0; boxes], rows: ranges(grid[0]), cols: ranges(grid[1]) }
    }

    /// Number of boxes.
    #[must_use]
    pub fn boxes(&self) -> usize {
        self.images.len()
    }

    /// Bytes of the tables that [`new`](Self::new) allocates.
    #[must_use]
    pub fn table_bytes(boxes: usize, grid: [usize; 2]) -> usize {
        boxes * (size_of::<usize>() + (grid[0] + grid[1]) * size_of::<BinRange>())
    }

    /// Places a box. `bin(axis, index)` is the range of rows (axis 0) or columns (axis 1) of the
    /// `index`-th bin.
    ///
    /// # Panics
    ///
    /// If a pixel's index does not fit 32 bits, or there is no such box.
    pub fn place(&mut self, at: usize, image: usize, bin: impl Fn(usize, usize) -> Range<usize>) {
        self.images[at] = image;
        let [down, across] = self.grid;
        let index = |at: usize| u32::try_from(at).expect("an image's side fits 32 bits");
        let place = |axis: usize, ranges: &mut [BinRange]| {
            for (i, range) in ranges.iter_mut().enumerate() {
                let Range { start, end } = bin(axis, i);
                *range = [index(start), index(end)];
            }
        };
        place(0, &mut self.rows[at * down..][..down]);
        place(1, &mut self.cols[at * across..][..across]);
    }

    fn rows(&self, at: usize) -> impl Iterator<Item = Range<usize>> {
        self.rows[at * self.grid[0]..][..self.grid[0]].iter().copied().map(range)
    }

    fn cols(&self, at: usize) -> impl Iterator<Item = Range<usize>> {
        self.cols[at * self.grid[1]..][..self.grid[1]].iter().copied().map(range)
    }

    /// The boxes of `image`, in order.
    fn of(&self, image: usize) -> impl Iterator<Item = usize> {
        (self.images.iter().enumerate()).filter(move |(_, of)| **of == image).map(|(at, _)| at)
    }

    fn bins(&self) -> usize {
        self.grid[0] * self.grid[1]
    }
}

/// Images that boxes lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoiImages {
    /// Images.
    pub n: usize,
    /// Channels.
    pub c: usize,
    /// Height.
    pub h: usize,
    /// Width.
    pub w: usize,
}

impl RoiImages {
    fn check(&self, x: usize, bins: &RoiBins) {
        assert_eq!(x, self.n * self.c * self.h * self.w, "x of {self:?}");
        assert!(bins.images.iter().all(|&image| image < self.n), "boxes of {self:?}");
        let inside =
            |ranges: &[BinRange], size: usize| ranges.iter().all(|r| r[1] as usize <= size);
        assert!(inside(&bins.rows, self.h) && inside(&bins.cols, self.w), "bins of {self:?}");
    }
}

#[cfg(test)]
mod tests;
