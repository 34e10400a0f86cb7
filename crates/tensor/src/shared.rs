//! One slab, many workers: all read it, or each writes a range of its own.
//!
//! Soundness is checked at run time and does not depend on callers that use guards: a
//! [`SharedSlab`] keeps a list of the ranges being read and written. A guard for a range that
//! overlaps one being written, or a [`SlabWriteGuard`] for one that is being read, panics and names
//! both ranges. The check takes one lock per guard (a few guards per layer) and costs nothing while
//! values are read or written.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Mutex, PoisonError};

use crate::Slab;

/// A slab that workers read together and update in disjoint ranges.
#[derive(Debug)]
pub struct SharedSlab {
    /// Owns the memory that `base` points into; not accessed directly.
    _slab: Slab,
    base: *mut f32,
    len: usize,
    users: Mutex<SlabUsers>,
}

#[derive(Debug, Default)]
struct SlabUsers {
    reading: Vec<Range<usize>>,
    writing: Vec<Range<usize>>,
}

impl SlabUsers {
    /// A range among `taken` that overlaps `range`.
    fn clash<'a>(taken: &'a [Range<usize>], range: &Range<usize>) -> Option<&'a Range<usize>> {
        taken.iter().find(|taken| taken.start < range.end && range.start < taken.end)
    }

    /// Removes one guard's range from the list.
    fn leave(taken: &mut Vec<Range<usize>>, range: &Range<usize>) {
        if let Some(at) = taken.iter().position(|taken| taken == range) {
            taken.swap_remove(at);
        }
    }
}

/// Read access to a range of a [`SharedSlab`]; released when dropped.
pub struct SlabReadGuard<'a> {
    slab: &'a SharedSlab,
    range: Range<usize>,
}

/// Exclusive access to a range of a [`SharedSlab`]; released when dropped.
pub struct SlabWriteGuard<'a> {
    slab: &'a SharedSlab,
    range: Range<usize>,
}

#[expect(unsafe_code, reason = "access is checked at run time by `SlabUsers`")]
// SAFETY: every access by reference goes through `SlabReadGuard` and `SlabWriteGuard`, and
// `SlabUsers` admits either readers or writers of disjoint ranges, so no value is written while
// another thread can see it. Who uses `as_ptr` keeps to its rule.
unsafe impl Sync for SharedSlab {}

#[expect(unsafe_code, reason = "a slab and a pointer into it may change threads together")]
// SAFETY: `base` points into `slab`, which moves along with it and whose heap memory stays put.
unsafe impl Send for SharedSlab {}

impl SharedSlab {
    /// Takes over the memory of `slab`.
    #[must_use]
    pub fn new(mut slab: Slab) -> Self {
        let base = slab.as_mut_ptr();
        let len = slab.len();
        Self { _slab: slab, base, len, users: Mutex::default() }
    }

    /// Reads the whole slab.
    ///
    /// # Panics
    ///
    /// If any range is being written: the barrier between update and forward is missing.
    #[must_use]
    pub fn read(&self) -> SlabReadGuard<'_> {
        self.read_range(0..self.len)
    }

    /// Reads the values in `range`.
    ///
    /// # Panics
    ///
    /// If the range is not in the slab, or overlaps one that is being written.
    #[must_use]
    pub fn read_range(&self, range: Range<usize>) -> SlabReadGuard<'_> {
        self.check(&range);
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let clash = SlabUsers::clash(&users.writing, &range);
        assert!(clash.is_none(), "read of {range:?} while {clash:?} is written");
        users.reading.push(range.clone());
        SlabReadGuard { slab: self, range }
    }

    /// Writes the values in `range`.
    ///
    /// # Panics
    ///
    /// If the range is not in the slab, or overlaps one that is being read or written.
    #[must_use]
    pub fn write(&self, range: Range<usize>) -> SlabWriteGuard<'_> {
        self.check(&range);
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let users = &mut *users;
        let clash =
            SlabUsers::clash(&users.reading, &range).or(SlabUsers::clash(&users.writing, &range));
        assert!(clash.is_none(), "write of {range:?} while {clash:?} is in use");
        users.writing.push(range.clone());
        SlabWriteGuard { slab: self, range }
    }

    fn check(&self, range: &Range<usize>) {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
    }

    /// All values; `&mut self` excludes guards.
    #[expect(unsafe_code, reason = "unique access to the slab that `base` points into")]
    pub fn get_mut(&mut self) -> &mut [f32] {
        // SAFETY: `&mut self` excludes guards; `base` is the start of `slab`'s values.
        unsafe { std::slice::from_raw_parts_mut(self.base, self.len) }
    }

    /// Where the values begin, for whoever lets code outside Rust see them. Reading or writing
    /// there is sound while no guard is held, or, reading, while none writes.
    #[must_use]
    pub fn as_ptr(&self) -> *mut f32 {
        self.base
    }

    /// Number of values.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks whether a slab is empty")]
    pub fn len(&self) -> usize {
        self.len
    }
}

impl Deref for SlabReadGuard<'_> {
    type Target = [f32];

    #[expect(unsafe_code, reason = "this guard's range is listed as read")]
    fn deref(&self) -> &[f32] {
        // SAFETY: the range lies in the slab, as `read_range` checked.
        let start = unsafe { self.slab.base.add(self.range.start) };
        // SAFETY: as above; while this guard lives `SlabUsers` admits no writer of it.
        unsafe { std::slice::from_raw_parts(start, self.range.len()) }
    }
}

impl Drop for SlabReadGuard<'_> {
    fn drop(&mut self) {
        let mut users = self.slab.users.lock().unwrap_or_else(PoisonError::into_inner);
        SlabUsers::leave(&mut users.reading, &self.range);
    }
}

impl SlabWriteGuard<'_> {
    #[expect(unsafe_code, reason = "`write` checked that the range lies in the slab")]
    fn start(&self) -> *mut f32 {
        // SAFETY: `write` checked that the range lies in the slab.
        unsafe { self.slab.base.add(self.range.start) }
    }
}

impl Deref for SlabWriteGuard<'_> {
    type Target = [f32];

    #[expect(unsafe_code, reason = "this guard's range is listed as written")]
    fn deref(&self) -> &[f32] {
        // SAFETY: the range lies in the slab and nobody else writes it while this guard lives.
        unsafe { std::slice::from_raw_parts(self.start(), self.range.len()) }
    }
}

impl DerefMut for SlabWriteGuard<'_> {
    #[expect(unsafe_code, reason = "this guard's range is listed as written")]
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`; nobody reads it either.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.range.len()) }
    }
}

impl Drop for SlabWriteGuard<'_> {
    fn drop(&mut self) {
        let mut users = self.slab.users.lock().unwrap_or_else(PoisonError::into_inner);
        SlabUsers::leave(&mut users.writing, &self.range);
    }
}

#[cfg(test)]
mod tests {
    use super::SharedSlab;
    use crate::Slab;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn workers_write_disjoint_ranges_and_all_read_the_slab() {
        let slab = SharedSlab::new(Slab::zeros(100));
        std::thread::scope(|s| {
            for worker in 0..4 {
                let slab = &slab;
                s.spawn(move || slab.write(worker * 25..(worker + 1) * 25).fill(worker as f32));
            }
        });
        assert_eq!(slab.read().iter().sum::<f32>(), 25.0 * 6.0);
    }

    #[test]
    fn overlap_and_reading_while_writing_are_refused() {
        let slab = SharedSlab::new(Slab::zeros(10));
        let refused = |f: &dyn Fn()| catch_unwind(AssertUnwindSafe(f)).is_err();
        let first = slab.write(0..5);
        assert!(refused(&|| drop(slab.write(4..6))));
        assert!(refused(&|| drop(slab.read())));
        drop((first, slab.write(5..10)));
        let reading = slab.read_range(2..4);
        assert!(refused(&|| drop(slab.write(3..5))));
        drop(slab.write(4..6));
        drop(reading);
        drop(slab.write(0..10));
    }
}
