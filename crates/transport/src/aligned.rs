//! Bytes whose start is aligned for every element type, so that they can be viewed as elements.

use std::ops::{Deref, DerefMut};
use zerocopy::IntoBytes;

/// A buffer of bytes that starts at a multiple of eight. It grows and never shrinks.
#[derive(Debug, Default, Clone)]
pub struct AlignedBytes {
    words: Vec<u64>,
    len: usize,
}

impl AlignedBytes {
    /// Holds `len` bytes from here on, old ones where they were. Bytes that are new to it hold
    /// anything: nothing is cleared unless memory grows.
    pub fn resize(&mut self, len: usize) {
        let words = len.div_ceil(size_of::<u64>());
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
        self.len = len;
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.words.as_bytes()[..self.len]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.words.as_mut_bytes()[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::AlignedBytes;

    #[test]
    fn grows_and_keeps_what_it_has() {
        let mut bytes = AlignedBytes::default();
        assert!(bytes.is_empty());
        for len in [3, 8, 9, 2, 100] {
            bytes.resize(len);
            assert_eq!(bytes.len(), len);
            assert_eq!(bytes.as_ptr().addr() % 8, 0);
            bytes[0] = 7;
            bytes[len - 1] = 7;
        }
        assert_eq!(bytes[..9], [7, 7, 7, 0, 0, 0, 0, 7, 7]);
    }
}
