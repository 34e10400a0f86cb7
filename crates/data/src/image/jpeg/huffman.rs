//! Huffman codes and the bits they are read from.

use smallvec::SmallVec;

use super::JpegProblem;

/// Codes up to this long are found in one step.
const FAST_BITS: u32 = 9;

/// A code table.
#[derive(Debug, Clone)]
pub(super) struct HuffmanTable {
    /// By the next 9 bits: length and symbol, or length 0 for longer codes.
    fast: [(u8, u8); 1 << FAST_BITS],
    /// By length: the first code that is too large, aligned to 16 bits; 0 when there are none.
    ends: [u32; 17],
    /// By length: what to add to a code to get its symbol's index.
    offsets: [i32; 17],
    /// Encoders write at most 256.
    symbols: SmallVec<[u8; 256]>,
}

impl HuffmanTable {
    /// Builds a table from the numbers of codes of each length and the symbols in code order.
    pub(super) fn new(counts: &[u8; 16], symbols: &[u8]) -> Result<Self, JpegProblem> {
        let mut table = Self {
            fast: [(0, 0); 1 << FAST_BITS],
            ends: [0; 17],
            offsets: [0; 17],
            symbols: SmallVec::from_slice(symbols),
        };
        let (mut code, mut index) = (0_u32, 0_usize);
        for (length, &count) in (1_u32..).zip(counts) {
            let at = length as usize;
            table.offsets[at] = i32::try_from(index).unwrap_or(0) - code.cast_signed();
            for _ in 0..count {
                let symbol = *symbols.get(index).ok_or(JpegProblem::Truncated)?;
                if length <= FAST_BITS {
                    let entry =
                        ((code << (FAST_BITS - length)) as usize, 1 << (FAST_BITS - length));
                    let entries = table.fast.get_mut(entry.0..entry.0 + entry.1);
                    let length = u8::try_from(length).unwrap_or(0);
                    entries.ok_or(OVERFULL)?.fill((length, symbol));
                }
                code += 1;
                index += 1;
            }
            if code > 1 << length {
                return Err(OVERFULL);
            }
            table.ends[at] = if count == 0 { 0 } else { code << (16 - length) };
            code <<= 1;
        }
        Ok(table)
    }
}

const OVERFULL: JpegProblem = JpegProblem::Damaged("a Huffman table has more codes than fit");

/// Bits of one scan, up to the next marker.
pub(super) struct ScanBits<'a> {
    bytes: &'a [u8],
    /// The next byte to take.
    at: usize,
    /// The last `count` bits are not used yet.
    buffer: u64,
    count: u32,
    /// Zeros that were appended after the data ended.
    padding: u32,
}

impl<'a> ScanBits<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, buffer: 0, count: 0, padding: 0 }
    }

    /// Takes bytes until at least 32 bits are there; zeros after the data's end.
    fn refill(&mut self) {
        // Four bytes at once where none of them needs a look.
        if self.count <= 32
            && let Some(four) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<4>())
            && !four.contains(&0xff)
        {
            self.buffer = self.buffer << 32 | u64::from(u32::from_be_bytes(*four));
            self.count += 32;
            self.at += 4;
            return;
        }
        while self.count <= 56 {
            let byte = match self.bytes.get(self.at..) {
                Some([0xff, 0x00, ..]) => {
                    self.at += 2;
                    0xff
                }
                Some([byte, ..]) if *byte != 0xff => {
                    self.at += 1;
                    *byte
                }
                _ => {
                    self.padding += 8;
                    0
                }
            };
            self.buffer = self.buffer << 8 | u64::from(byte);
            self.count += 8;
        }
    }

    /// The next `n` bits, at most 16.
    pub(super) fn take(&mut self, n: u32) -> u32 {
        if self.count < n {
            self.refill();
        }
        self.count -= n;
        low(self.buffer >> self.count) & ((1 << n) - 1)
    }

    /// The next symbol.
    pub(super) fn symbol(&mut self, table: &HuffmanTable) -> Result<u8, JpegProblem> {
        if self.count < 16 {
            self.refill();
        }
        let next = low(self.buffer >> (self.count - 16)) & 0xffff;
        let (length, symbol) = table.fast[(next >> (16 - FAST_BITS)) as usize];
        if length > 0 {
            self.count -= u32::from(length);
            return Ok(symbol);
        }
        for length in FAST_BITS + 1..=16 {
            if next < table.ends[length as usize] {
                self.count -= length;
                let code = (next >> (16 - length)).cast_signed();
                let index = usize::try_from(code + table.offsets[length as usize]);
                let symbol = index.ok().and_then(|index| table.symbols.get(index));
                return symbol.copied().ok_or(NO_CODE);
            }
        }
        Err(NO_CODE)
    }

    /// A number of `n` bits as JPEG writes it: the first bit tells the sign.
    pub(super) fn signed(&mut self, n: u32) -> i32 {
        if n == 0 {
            return 0;
        }
        let bits = self.take(n).cast_signed();
        if bits < 1 << (n - 1) { bits - (1 << n) + 1 } else { bits }
    }

    /// Whether more was read than there is.
    pub(super) fn check(&self) -> Result<(), JpegProblem> {
        if self.padding > self.count { Err(JpegProblem::Truncated) } else { Ok(()) }
    }

    /// Drops what is left of this interval and returns where the next marker may be searched.
    pub(super) fn end(&self) -> usize {
        self.at
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is wanted")]
fn low(bits: u64) -> u32 {
    bits as u32
}

const NO_CODE: JpegProblem = JpegProblem::Damaged("a Huffman code that is in no table");
