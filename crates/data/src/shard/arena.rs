//! Memory for records that come and go in any order, without gaps: blocks of one size.
//!
//! A record takes as many blocks as it needs, chained in order, so a freed block fits any other
//! record and memory never grows beyond the most that was held at a time. Cost: half a block and
//! four bytes per block of each record. Records of nearly one length, such as raw images, get
//! blocks of that length and lie in one.

/// Blocks are allocated in segments of about this size.
const SEGMENT_BYTES: usize = 4 << 20;
/// Shortest block: the link and the unused half stay below a tenth of it.
const BLOCK_BYTES_MIN: usize = 64;
/// Records whose lengths differ by at most one part in so many get one block each.
const UNIFORM: u64 = 20;
/// Blocks of a record of mean length, where lengths differ.
const BLOCKS_PER_RECORD: u64 = 32;

/// The end of a chain.
const END: u32 = u32::MAX;

/// The first block of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordBlocks(u32);

/// Blocks, taken and free.
#[derive(Debug)]
pub(super) struct RecordArena {
    block_bytes: usize,
    segment_blocks: usize,
    segments: Vec<Vec<u8>>,
    /// The block after each in its record, or in the list of free ones.
    links: Vec<u32>,
    /// The first free block.
    free: u32,
    taken: u64,
}

/// The block length for `records` records of `bytes` in all, the longest of `longest`.
pub(super) fn block_bytes(records: u64, bytes: u64, longest: u64) -> usize {
    let mean = bytes / records.max(1);
    let uniform = longest.saturating_sub(mean) <= mean / UNIFORM;
    let block = if uniform { longest } else { mean / BLOCKS_PER_RECORD };
    usize::try_from(block).unwrap_or(usize::MAX).max(BLOCK_BYTES_MIN).next_multiple_of(8)
}

impl RecordArena {
    pub(super) fn new(block_bytes: usize) -> Self {
        let segment_blocks = (SEGMENT_BYTES / block_bytes).max(1);
        let (segments, links) = (Vec::new(), Vec::new());
        Self { block_bytes, segment_blocks, segments, links, free: END, taken: 0 }
    }

    /// Bytes that `count` records of `bytes` in all take at most.
    pub(super) fn bytes_for(block_bytes: usize, count: u64, bytes: u64) -> u64 {
        let block = block_bytes as u64;
        let blocks = if bytes <= count * block { count } else { bytes / block + count };
        blocks * (block + size_of::<u32>() as u64)
    }

    /// Bytes of the blocks that are taken.
    pub(super) fn taken_bytes(&self) -> u64 {
        self.taken * self.block_bytes as u64
    }

    /// Takes blocks for a record of `len` bytes, with any contents.
    pub(super) fn take(&mut self, len: usize) -> RecordBlocks {
        let mut first = END;
        for _ in 0..len.div_ceil(self.block_bytes).max(1) {
            if self.free == END {
                self.grow();
            }
            let block = self.free;
            self.free = self.links[block as usize];
            self.links[block as usize] = first;
            first = block;
            self.taken += 1;
        }
        RecordBlocks(first)
    }

    /// Returns the blocks of a record.
    pub(super) fn release(&mut self, record: RecordBlocks) {
        let mut last = record.0;
        self.taken -= 1;
        while self.links[last as usize] != END {
            last = self.links[last as usize];
            self.taken -= 1;
        }
        self.links[last as usize] = self.free;
        self.free = record.0;
    }

    /// Writes `bytes` at `offset` of a record.
    pub(super) fn write(&mut self, record: RecordBlocks, offset: usize, mut bytes: &[u8]) {
        let mut block = record.0;
        for _ in 0..offset / self.block_bytes {
            block = self.links[block as usize];
        }
        let mut start = offset % self.block_bytes;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(self.block_bytes - start));
            self.block_mut(block)[start..start + now.len()].copy_from_slice(now);
            (bytes, start) = (later, 0);
            if !bytes.is_empty() {
                block = self.links[block as usize];
            }
        }
    }

    /// The `len` bytes of a record from `offset` on, slice by slice.
    pub(super) fn read(
        &self,
        record: RecordBlocks,
        offset: usize,
        len: usize,
        mut with: impl FnMut(&[u8]),
    ) {
        let mut block = record.0;
        for _ in 0..offset / self.block_bytes {
            block = self.links[block as usize];
        }
        let (mut start, mut left) = (offset % self.block_bytes, len);
        while left > 0 {
            let now = left.min(self.block_bytes - start);
            with(&self.block(block)[start..start + now]);
            (left, start) = (left - now, 0);
            if left > 0 {
                block = self.links[block as usize];
            }
        }
    }

    fn grow(&mut self) {
        let blocks = self.links.len() + self.segment_blocks;
        let end = u32::try_from(blocks).ok().filter(|&end| end < END);
        let end = end.expect("fewer than 2^32 blocks");
        self.segments.push(vec![0; self.segment_blocks * self.block_bytes]);
        for block in self.links.len()..blocks {
            self.links.push(self.free);
            self.free = u32::try_from(block).unwrap_or(end);
        }
    }

    fn block(&self, block: u32) -> &[u8] {
        let (segment, start) = self.address(block);
        &self.segments[segment][start..start + self.block_bytes]
    }

    fn block_mut(&mut self, block: u32) -> &mut [u8] {
        let (segment, start) = self.address(block);
        &mut self.segments[segment][start..start + self.block_bytes]
    }

    fn address(&self, block: u32) -> (usize, usize) {
        let block = block as usize;
        (block / self.segment_blocks, block % self.segment_blocks * self.block_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordArena, block_bytes};

    #[test]
    fn blocks_fit_the_records() {
        assert_eq!(block_bytes(60_000, 60_000 * 796, 797), 800, "raw images lie in one block");
        assert_eq!(block_bytes(1000, 1000 * 110_000, 300_000), 3440, "files in about 32");
        assert_eq!(block_bytes(10, 0, 0), 64);
        assert_eq!(RecordArena::bytes_for(800, 10, 7960), 10 * 804);
        assert!(RecordArena::bytes_for(3440, 1000, 110_000_000) < 114_000_000);
    }

    /// Records of any length come and go; what is there stays as it was written.
    #[test]
    fn records_keep_their_bytes_while_others_come_and_go() {
        let (mut arena, mut held) = (RecordArena::new(64), Vec::new());
        let mut random = 1_u32;
        for round in 0..20_000_u32 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if held.len() < 100 || random >> 31 == 0 && held.len() < 400 {
                let len = (random >> 8) as usize % 700;
                let bytes: Vec<u8> = (0..len).map(|i| (i as u32 + round) as u8).collect();
                let record = arena.take(len);
                let (front, back) = bytes.split_at(len / 3);
                arena.write(record, 0, front);
                arena.write(record, front.len(), back);
                held.push((record, bytes));
            } else {
                let (record, bytes) = held.swap_remove((random >> 8) as usize % held.len());
                let (mut got, from) = (Vec::new(), bytes.len() / 2);
                arena.read(record, 0, from, |slice| got.extend_from_slice(slice));
                arena.read(record, from, bytes.len() - from, |slice| got.extend_from_slice(slice));
                assert!(got == bytes, "round {round}");
                arena.release(record);
            }
        }
        let needed: usize = held.iter().map(|(_, bytes)| bytes.len().div_ceil(64).max(1)).sum();
        assert_eq!(arena.taken_bytes(), needed as u64 * 64);
        assert_eq!(arena.segments.len(), 1, "400 records of 700 bytes fit one segment");
        held.into_iter().for_each(|(record, _)| arena.release(record));
        assert_eq!(arena.taken_bytes(), 0);
    }
}
