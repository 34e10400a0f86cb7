//! The order in which output pixels are processed: indices from 0 over all pixels of all images.
//!
//! Images form groups. Within a group the position changes slowest and the image fastest, so that
//! neighbouring indices are the same position in several images: the same taps are padding for all
//! of them and can be skipped. Groups are small, so that neighbouring positions stay in L2. One
//! group per image is memory order, which is best where there is no padding.

use std::ops::Range;

use crate::conv::StackVec;

/// The order of the pixels of all images.
pub(super) struct PixelOrder {
    groups: StackVec<Range<usize>>,
    /// Height and width.
    size: [usize; 2],
}

/// A pixel of the output: image, row and column.
#[derive(Clone, Copy)]
pub(super) struct PixelPosition {
    group: usize,
    pub(super) image: usize,
    pub(super) row: usize,
    pub(super) column: usize,
}

impl PixelOrder {
    /// Images of `size` in `groups`, which must be consecutive.
    pub(super) fn new(groups: impl Iterator<Item = Range<usize>>, size: [usize; 2]) -> Self {
        Self { groups: groups.collect(), size }
    }

    /// Pixel `index`, which must exist.
    pub(super) fn at(&self, index: usize) -> PixelPosition {
        let [height, width] = self.size;
        let image = index / (height * width); // groups hold whole images
        let group = self.groups.partition_point(|group| group.end <= image);
        let images = &self.groups[group];
        let rest = index - images.start * height * width;
        let pixel = rest / images.len();
        let image = images.start + rest % images.len();
        PixelPosition { group, image, row: pixel / width, column: pixel % width }
    }

    /// How many pixels, from this one on, are the same position in consecutive images.
    pub(super) fn same_position(&self, position: PixelPosition) -> usize {
        self.groups[position.group].end - position.image
    }

    /// The pixel `count` further on; at most [`same_position`](Self::same_position).
    #[inline(always)]
    pub(super) fn skip(&self, mut position: PixelPosition, count: usize) -> PixelPosition {
        position.image += count;
        if position.image < self.groups[position.group].end {
            return position;
        }
        position.image = self.groups[position.group].start;
        position.column += 1;
        if position.column == self.size[1] {
            (position.row, position.column) = (position.row + 1, 0);
        }
        if position.row == self.size[0] {
            position.image = self.groups[position.group].end;
            (position.group, position.row) = (position.group + 1, 0);
        }
        position
    }
}

#[cfg(test)]
mod tests;
