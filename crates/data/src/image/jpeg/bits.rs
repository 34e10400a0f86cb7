//! The bits of a scan.
//!
//! In a scan, a zero follows every byte 0xff, so that markers can be found. [`unstuff`] drops these
//! zeros, up to the next marker, before anything is decoded: it checks 32 bytes at a time, and the
//! reader can then take eight bytes without looking at them.

use super::{
    JpegProblem,
    huffman::{HuffmanEntry, HuffmanTable},
};

/// Zeros behind the data, so that the last bytes are taken as the others.
const PADDING: usize = 8;

/// Copies the data of a scan from `at` on to `data`; returns where the next marker, or the file's
/// end, is.
pub(super) fn unstuff(bytes: &[u8], mut at: usize, data: &mut Vec<u8>) -> usize {
    data.clear();
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let plain = before_ff(rest);
        data.extend_from_slice(&rest[..plain]);
        at += plain;
        if !rest[plain..].starts_with(&[0xff, 0x00]) {
            break;
        }
        data.push(0xff);
        at += 2;
    }
    data.extend_from_slice(&[0; PADDING]);
    at
}

/// How many bytes come before the first 0xff.
fn before_ff(bytes: &[u8]) -> usize {
    // Not `contains`, which stops at each byte: without branches, 32 comparisons are two vectors.
    let has_ff = |bytes: &[u8; 32]| bytes.iter().fold(false, |any, &byte| any | (byte == 0xff));
    let plain = 32 * bytes.as_chunks().0.iter().take_while(|bytes| !has_ff(bytes)).count();
    let rest = &bytes[plain..];
    plain + rest.iter().position(|&byte| byte == 0xff).unwrap_or(rest.len())
}

/// Reads what [`unstuff`] copied; zeros after the end. Arithmetic wraps where it cannot overflow:
/// this is the hottest loop of decoding.
#[derive(Clone, Copy)]
pub(super) struct ScanBits<'a> {
    bytes: &'a [u8],
    /// The byte of the data where the next refill begins.
    at: usize,
    /// The next bit is the highest. Bits below the first `count` are those of the data, or 0.
    buffer: u64,
    count: u32,
}

/// A code and its number take at most 16 and 15 bits.
const CODE_BITS: u32 = 32;

impl<'a> ScanBits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, buffer: 0, count: 0 }
    }

    /// Makes `count` at least 56.
    #[inline(always)]
    fn refill(&mut self) {
        let eight = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        let next = eight.map_or(0, |&eight| u64::from_be_bytes(eight));
        self.buffer |= next.wrapping_shr(self.count);
        self.at = self.at.wrapping_add((63_u32.wrapping_sub(self.count) / 8) as usize);
        self.count |= 56;
    }

    #[inline(always)]
    fn skip(&mut self, n: u32) {
        self.buffer = self.buffer.wrapping_shl(n);
        self.count = self.count.wrapping_sub(n);
    }

    /// The next code, and the number behind it, of as many bits as the symbol's lower half says.
    #[inline(always)]
    pub(super) fn code(
        &mut self,
        table: &HuffmanTable,
    ) -> Result<(HuffmanEntry, i16), JpegProblem> {
        if self.count < CODE_BITS {
            self.refill();
        }
        let entry = table.find(self.buffer)?;
        let number = signed(self.buffer.wrapping_shl(entry.length()), entry.size());
        self.skip(entry.length_with_number());
        Ok((entry, number))
    }

    /// The next `n` bits, at most 16.
    #[inline(always)]
    pub(super) fn take(&mut self, n: u32) -> u32 {
        if self.count < n {
            self.refill();
        }
        let bits = first_bits(self.buffer, n);
        self.skip(n);
        u32::from(bits)
    }

    /// Whether more was read than there is.
    pub(super) fn check(&self) -> Result<(), JpegProblem> {
        let read = 8 * self.at - self.count as usize;
        if read > 8 * (self.bytes.len() - PADDING) { Err(JpegProblem::Truncated) } else { Ok(()) }
    }
}

/// The first `n` bits, at most 16.
#[inline(always)]
fn first_bits(buffer: u64, n: u32) -> u16 {
    low_16((buffer >> 1).wrapping_shr(63_u32.wrapping_sub(n)))
}

/// The number in the first `n` bits, as JPEG writes it: the first bit tells the sign, and negative
/// numbers are one less. 0 if `n` is.
#[inline(always)]
fn signed(buffer: u64, n: u32) -> i16 {
    // All ones if the first bit is 0, which means negative.
    let negative = low_16((buffer >> 63).wrapping_sub(1));
    let below = low_16(u64::MAX.wrapping_shl(n)).wrapping_add(1);
    first_bits(buffer, n).wrapping_add(negative & below).cast_signed()
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
fn low_16(bits: u64) -> u16 {
    bits as u16
}
