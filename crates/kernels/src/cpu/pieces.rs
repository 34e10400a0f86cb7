//! A mutable slice cut into pieces that different tasks may hold at once.

use std::{marker::PhantomData, slice};

/// A slice cut into pieces of `piece` values; the last may be shorter.
pub(crate) struct Pieces<'a, T> {
    start: *mut T,
    len: usize,
    piece: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: a `Pieces` stands for the `&mut [T]` it was made from; handing pieces to other threads is
// handing them `&mut T`, which `T: Send` allows. `get`'s contract keeps pieces disjoint.
unsafe impl<T: Send> Sync for Pieces<'_, T> {}

impl<'a, T> Pieces<'a, T> {
    /// Cuts `values` into pieces of `piece` values.
    pub(crate) fn new(values: &'a mut [T], piece: usize) -> Self {
        assert!(piece > 0, "a piece has at least one value");
        Self { start: values.as_mut_ptr(), len: values.len(), piece, owner: PhantomData }
    }

    /// Number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.len.div_ceil(self.piece)
    }

    /// Piece `index`.
    ///
    /// # Safety
    ///
    /// Nobody else may hold the same piece.
    #[expect(clippy::mut_from_ref, reason = "the contract makes pieces exclusive")]
    pub(crate) unsafe fn get(&self, index: usize) -> &mut [T] {
        let start = index * self.piece;
        assert!(start < self.len, "piece {index} of {}", self.count());
        let len = self.piece.min(self.len - start);
        // SAFETY: `start..start + len` is inside the slice, and the caller's alone.
        unsafe { slice::from_raw_parts_mut(self.start.wrapping_add(start), len) }
    }

    /// Values `start..start + len`.
    ///
    /// # Safety
    ///
    /// Nobody else may hold any of them.
    #[expect(clippy::mut_from_ref, reason = "the contract makes ranges exclusive")]
    pub(crate) unsafe fn range(&self, start: usize, len: usize) -> &mut [T] {
        assert!(start <= self.len && len <= self.len - start, "{start} + {len} of {}", self.len);
        // SAFETY: the range is inside the slice, and the caller's alone.
        unsafe { slice::from_raw_parts_mut(self.start.wrapping_add(start), len) }
    }

    /// A pointer to value `at`, for kernels whose tasks write rows with gaps between them.
    pub(crate) fn pointer(&self, at: usize) -> *mut T {
        assert!(at <= self.len, "value {at} of {}", self.len);
        self.start.wrapping_add(at)
    }
}
