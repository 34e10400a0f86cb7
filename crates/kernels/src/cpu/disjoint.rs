//! A mutable slice of which different tasks may hold disjoint ranges at the same time.

use std::{marker::PhantomData, slice};

/// A slice, seen as blocks of `block` values; the last may be shorter.
pub(crate) struct DisjointMut<'a, T> {
    start: *mut T,
    len: usize,
    block: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: a `DisjointMut` stands for the `&mut [T]` it was made from; lending ranges to other
// threads is lending them `&mut T`, which `T: Send` allows. The contracts of `get` and `range` keep
// them disjoint.
unsafe impl<T: Send> Sync for DisjointMut<'_, T> {}

impl<'a, T> DisjointMut<'a, T> {
    /// Blocks of `block` values; 1 for callers that only use [`range`](Self::range) or
    /// [`pointer`](Self::pointer).
    pub(crate) fn new(values: &'a mut [T], block: usize) -> Self {
        assert!(block > 0, "a block has at least one value");
        Self { start: values.as_mut_ptr(), len: values.len(), block, owner: PhantomData }
    }

    /// Number of blocks.
    pub(crate) fn count(&self) -> usize {
        self.len.div_ceil(self.block)
    }

    /// Block `index`.
    ///
    /// # Safety
    ///
    /// No other task may hold the same block.
    #[expect(clippy::mut_from_ref, reason = "the contract makes blocks exclusive")]
    pub(crate) unsafe fn get(&self, index: usize) -> &mut [T] {
        let start = index * self.block;
        assert!(start < self.len, "block {index} of {}", self.count());
        let len = self.block.min(self.len - start);
        // SAFETY: `start..start + len` is inside the slice, and exclusive to the caller.
        unsafe { slice::from_raw_parts_mut(self.start.wrapping_add(start), len) }
    }

    /// Values `start..start + len`.
    ///
    /// # Safety
    ///
    /// No other task may hold any of them.
    #[expect(clippy::mut_from_ref, reason = "the contract makes ranges exclusive")]
    pub(crate) unsafe fn range(&self, start: usize, len: usize) -> &mut [T] {
        assert!(start <= self.len && len <= self.len - start, "{start} + {len} of {}", self.len);
        // SAFETY: the range is inside the slice, and exclusive to the caller.
        unsafe { slice::from_raw_parts_mut(self.start.wrapping_add(start), len) }
    }

    /// A pointer to value `at`, for kernels whose tasks write rows with gaps between them.
    pub(crate) fn pointer(&self, at: usize) -> *mut T {
        assert!(at <= self.len, "value {at} of {}", self.len);
        self.start.wrapping_add(at)
    }
}
