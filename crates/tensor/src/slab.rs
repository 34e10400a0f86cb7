//! A growable buffer of values that starts on a cache line.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::huge;

/// One cache line: the alignment of a slab.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[expect(dead_code, reason = "read through the slab's view of values")]
struct SlabLine([u8; LINE_BYTES]);

/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

/// What a slab may hold: every bit pattern is a value, zero bits are 0, and a cache line holds a
/// whole number of them.
pub trait SlabValue: Copy + sealed::PlainBits {}

impl SlabValue for f32 {}
impl SlabValue for u16 {}

mod sealed {
    /// Keeps other types out: the view of a slab's memory relies on what [`super::SlabValue`] says.
    pub trait PlainBits {}
    impl PlainBits for f32 {}
    impl PlainBits for u16 {}
}

/// A 64-byte aligned buffer, initially zero: of floats, or of 16-bit floats as their bits.
#[derive(Clone)]
pub struct Slab<T = f32> {
    lines: Vec<SlabLine>,
    len: usize,
    values: PhantomData<T>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { lines: Vec::new(), len: 0, values: PhantomData }
    }
}

impl<T: SlabValue> Slab<T> {
    /// `len` zeros.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        let mut slab = Self::default();
        slab.grow(len);
        slab
    }

    /// Makes room for `len` values. Values so far stay; new ones are zero.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            let lines = len.div_ceil(LINE_BYTES / size_of::<T>());
            self.lines.reserve_exact(lines - self.lines.len());
            huge::prefer(self.lines.as_mut_ptr(), lines * size_of::<SlabLine>());
            self.lines.resize(lines, SlabLine([0; LINE_BYTES]));
            self.len = len;
        }
    }
}

impl<T: SlabValue> Deref for Slab<T> {
    type Target = [T];

    #[expect(unsafe_code, reason = "cache lines are viewed as the values they hold")]
    fn deref(&self) -> &[T] {
        // SAFETY: `SlabValue` admits types of which any 64 bytes hold a whole number, and `grow`
        // keeps at least `len` of them.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: SlabValue> DerefMut for Slab<T> {
    #[expect(unsafe_code, reason = "cache lines are viewed as the values they hold")]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; `&mut self` makes the view unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

impl<T> std::fmt::Debug for Slab<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Slab({} values)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::Slab;

    #[test]
    fn starts_on_a_cache_line_and_keeps_values_when_it_grows() {
        for len in [0, 1, 15, 16, 17, 1000, (5 << 20) / 4] {
            let mut slab = Slab::<f32>::zeros(len);
            assert_eq!(slab.len(), len);
            assert_eq!(slab.as_ptr() as usize % 64, 0);
            slab.fill(2.0);
            slab.grow(len + 40);
            assert!(slab[..len].iter().all(|&v| v == 2.0));
            slab.grow(3); // never shrinks
            assert_eq!(slab.len(), len + 40);
        }
    }

    #[test]
    fn sixteen_bits_take_half_the_lines() {
        let mut slab = Slab::<u16>::zeros(33);
        slab.fill(3);
        slab.grow(65);
        assert_eq!((slab[32], slab[64], slab.lines.len()), (3, 0, 3));
    }

    #[test]
    fn what_grows_is_zero() {
        let mut slab = Slab::<f32>::zeros(5);
        slab.grow(50);
        assert!(slab[5..].iter().all(|&v| v == 0.0));
    }
}
