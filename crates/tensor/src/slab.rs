//! A growable buffer of floats that starts on a cache line.

use std::ops::{Deref, DerefMut};

use crate::huge;

/// One cache line: the alignment of a slab.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[expect(dead_code, reason = "read through the slab's view of floats")]
struct SlabLine([f32; LINE]);

/// Floats per cache line of 64 bytes.
const LINE: usize = 16;

/// A 64-byte aligned buffer of floats, initially zero.
#[derive(Clone, Default)]
pub struct Slab {
    lines: Vec<SlabLine>,
    len: usize,
}

impl Slab {
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
            let lines = len.div_ceil(LINE);
            self.lines.reserve_exact(lines - self.lines.len());
            huge::prefer(self.lines.as_mut_ptr(), lines * size_of::<SlabLine>());
            self.lines.resize(lines, SlabLine([0.0; LINE]));
            self.len = len;
        }
    }
}

impl Deref for Slab {
    type Target = [f32];

    #[expect(unsafe_code, reason = "cache lines are viewed as the floats they hold")]
    fn deref(&self) -> &[f32] {
        // SAFETY: a `SlabLine` is 16 floats without padding, and `len <= 16 * lines.len()`.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Slab {
    #[expect(unsafe_code, reason = "cache lines are viewed as the floats they hold")]
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`; `&mut self` makes the view unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

impl std::fmt::Debug for Slab {
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
            let mut slab = Slab::zeros(len);
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
    fn what_grows_is_zero() {
        let mut slab = Slab::zeros(5);
        slab.grow(50);
        assert!(slab[5..].iter().all(|&v| v == 0.0));
    }
}
