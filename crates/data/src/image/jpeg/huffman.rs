//! Huffman codes.

use smallvec::SmallVec;

use super::JpegProblem;

/// Codes up to this long are found in one step; few are longer.
const FAST_BITS: u32 = 10;

/// A code table.
#[derive(Debug, Clone)]
pub(super) struct HuffmanTable {
    /// By the next bits: what is found there; [`NO_ENTRY`] for longer codes.
    fast: [HuffmanEntry; 1 << FAST_BITS],
    /// By length: the first code that is too large, aligned to 16 bits; 0 when there are none.
    ends: [u32; 17],
    /// By length: what to add to a code to get its symbol's index.
    offsets: [i32; 17],
    /// Encoders write at most 256.
    symbols: SmallVec<[u8; 256]>,
}

/// A code that was found. Four bytes, so that they are read at once: its length, its length with
/// the number behind it, how many coefficients to go forward, and its symbol.
#[derive(Debug, Clone, Copy)]
pub(super) struct HuffmanEntry(u32);

const NO_ENTRY: HuffmanEntry = HuffmanEntry(0);

impl HuffmanEntry {
    fn new(length: u32, symbol: u8) -> Self {
        let (run, size) = (symbol >> 4, symbol & 15);
        // No number: 16 zeros, or (as 0 here) the end of the block.
        let forward = if size == 0 && run < 15 { 0 } else { run + 1 };
        let with_number = length + u32::from(size);
        Self(length | with_number << 8 | u32::from(forward) << 16 | u32::from(symbol) << 24)
    }

    #[inline(always)]
    pub(super) fn length(self) -> u32 {
        self.0 & 0xff
    }

    #[inline(always)]
    pub(super) fn length_with_number(self) -> u32 {
        self.0 >> 8 & 0xff
    }

    /// From one coefficient to the next: 1 more than the zeros between them; 0 at the end.
    #[inline(always)]
    pub(super) fn forward(self) -> usize {
        (self.0 >> 16 & 0xff) as usize
    }

    /// The symbol's lower half: bits of the number.
    #[inline(always)]
    pub(super) fn size(self) -> u32 {
        self.0 >> 24 & 15
    }

    /// The symbol's upper half.
    #[inline(always)]
    pub(super) fn run(self) -> u32 {
        self.0 >> 28
    }
}

impl HuffmanTable {
    /// Builds a table from the numbers of codes of each length and the symbols in code order.
    pub(super) fn new(counts: &[u8; 16], symbols: &[u8]) -> Result<Self, JpegProblem> {
        let mut table = Self {
            fast: [NO_ENTRY; 1 << FAST_BITS],
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
                    let (first, count) =
                        ((code << (FAST_BITS - length)) as usize, 1 << (FAST_BITS - length));
                    let entries = table.fast.get_mut(first..first + count);
                    entries.ok_or(OVERFULL)?.fill(HuffmanEntry::new(length, symbol));
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

    /// The code at the beginning of `bits`.
    #[inline(always)]
    pub(super) fn find(&self, bits: u64) -> Result<HuffmanEntry, JpegProblem> {
        let entry = self.fast[(bits >> (64 - FAST_BITS)) as usize];
        if entry.0 == NO_ENTRY.0 { self.find_long(bits) } else { Ok(entry) }
    }

    #[inline(never)]
    fn find_long(&self, bits: u64) -> Result<HuffmanEntry, JpegProblem> {
        let next = u32::try_from(bits >> 48).unwrap_or(0);
        for length in FAST_BITS + 1..=16 {
            if next < self.ends[length as usize] {
                let code = (next >> (16 - length)).cast_signed();
                let index = usize::try_from(code + self.offsets[length as usize]);
                let symbol = index.ok().and_then(|index| self.symbols.get(index));
                return symbol.map(|&symbol| HuffmanEntry::new(length, symbol)).ok_or(NO_CODE);
            }
        }
        Err(NO_CODE)
    }
}

const OVERFULL: JpegProblem = JpegProblem::Damaged("a Huffman table has more codes than fit");
const NO_CODE: JpegProblem = JpegProblem::Damaged("a Huffman code that is in no table");
