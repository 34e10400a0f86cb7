//! In which order output pixels are taken: numbers from 0 to all pixels of all images.
//!
//! Images form groups. Within a group the place changes slowest and the image fastest, so that
//! neighbouring numbers are one place in several images: the same taps are padding for all of them, and
//! can be left out. Groups are small, so that the places around one another stay in L2. A group an image
//! is the order in which pixels lie in memory, which is best where there is no padding.

use std::ops::Range;

use crate::conv::Few;

/// The order of the pixels of some images.
pub(super) struct Order {
    groups: Few<Range<usize>>,
    /// Height and width.
    size: [usize; 2],
}

/// A pixel.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    group: usize,
    pub(super) image: usize,
    pub(super) row: usize,
    pub(super) column: usize,
}

impl Order {
    /// Images of `size` in groups, which must follow one another.
    pub(super) fn new(groups: impl Iterator<Item = Range<usize>>, size: [usize; 2]) -> Self {
        Self { groups: groups.collect(), size }
    }

    /// Pixel number `index`; there must be one.
    pub(super) fn spot(&self, index: usize) -> Spot {
        let [height, width] = self.size;
        let image = index / (height * width); // a group's pixels have as many numbers as its images'
        let group = self.groups.partition_point(|group| group.end <= image);
        let images = &self.groups[group];
        let rest = index - images.start * height * width;
        let place = rest / images.len();
        let image = images.start + rest % images.len();
        Spot { group, image, row: place / width, column: place % width }
    }

    /// How many pixels, from this one on, are the same place in one image after another.
    pub(super) fn stretch(&self, spot: Spot) -> usize {
        self.groups[spot.group].end - spot.image
    }

    /// The pixel `count` further; at most the stretch.
    #[inline(always)]
    pub(super) fn skip(&self, mut spot: Spot, count: usize) -> Spot {
        spot.image += count;
        if spot.image < self.groups[spot.group].end {
            return spot;
        }
        spot.image = self.groups[spot.group].start;
        spot.column += 1;
        if spot.column == self.size[1] {
            (spot.row, spot.column) = (spot.row + 1, 0);
        }
        if spot.row == self.size[0] {
            spot.image = self.groups[spot.group].end;
            (spot.group, spot.row) = (spot.group + 1, 0);
        }
        spot
    }
}

#[cfg(test)]
mod tests;
