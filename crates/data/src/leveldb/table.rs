//! A table file: an index of blocks, read one after another.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{
    LevelDbError, LevelDbProblem, block::TableBlock, crc_matches, field_cursor::FieldCursor,
};

const FOOTER_BYTES: u64 = 48;
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// Compression and CRC after a block.
const TRAILER_BYTES: usize = 5;
/// Snappy's densest element makes 64 bytes of 3; more than this is no Snappy.
const SNAPPY_GAIN_MAX: usize = 32;

/// An open table and a place in it.
pub(super) struct TableFile {
    path: PathBuf,
    blocks: BlockReader,
    index: TableBlock,
    block: TableBlock,
    /// Where the block lies, and how many of its entries were passed, the current one included.
    handle: BlockHandle,
    passed: u32,
}

/// An entry of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockEntry {
    block: BlockHandle,
    /// From 1.
    number: u32,
}

/// Reads blocks of a file, in memory that it keeps.
struct BlockReader {
    file: File,
    len: u64,
    /// A block as stored, with its trailer.
    stored: Vec<u8>,
}

/// Where a block lies.
#[derive(Debug, Clone, Copy, Default)]
struct BlockHandle {
    start: u64,
    len: usize,
}

impl TableFile {
    pub(super) fn open(path: &Path) -> Result<Self, LevelDbError> {
        let fail = |problem| LevelDbError { path: path.to_owned(), problem };
        let mut blocks = BlockReader::open(path).map_err(fail)?;
        let mut index = TableBlock::default();
        let read = blocks.footer().and_then(|handle| blocks.read(&handle, &mut index));
        read.map_err(fail)?;
        let (block, handle) = (TableBlock::default(), BlockHandle::default());
        Ok(Self { path: path.to_owned(), blocks, index, block, handle, passed: 0 })
    }

    /// Key, with its sequence number, and value of one entry, for `with` to look at.
    pub(super) fn read_at<T>(
        path: &Path,
        entry: BlockEntry,
        with: impl FnOnce(&[u8], &[u8]) -> T,
    ) -> Result<T, LevelDbError> {
        let read = || {
            let mut block = TableBlock::default();
            BlockReader::open(path)?.read(&entry.block, &mut block)?;
            for _ in 0..entry.number {
                if !block.advance()? {
                    return Err(LevelDbProblem::damaged(
                        "it was written to while it was being read",
                    ));
                }
            }
            Ok(block)
        };
        let block = read().map_err(|problem| LevelDbError { path: path.to_owned(), problem })?;
        Ok(with(block.key(), block.value()))
    }

    /// Goes to the next entry; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, LevelDbError> {
        self.try_advance().map_err(|problem| LevelDbError { path: self.path.clone(), problem })
    }

    fn try_advance(&mut self) -> Result<bool, LevelDbProblem> {
        while !self.block.advance()? {
            if !self.index.advance()? {
                return Ok(false);
            }
            (self.handle, self.passed) = (handle(&mut FieldCursor(self.index.value()))?, 0);
            self.blocks.read(&self.handle, &mut self.block)?;
        }
        self.passed += 1;
        Ok(true)
    }

    /// Where the current entry lies.
    pub(super) fn location(&self) -> BlockEntry {
        BlockEntry { block: self.handle, number: self.passed }
    }

    /// The current key with its sequence number.
    pub(super) fn key(&self) -> &[u8] {
        self.block.key()
    }

    pub(super) fn value(&self) -> &[u8] {
        self.block.value()
    }
}

impl BlockReader {
    fn open(path: &Path) -> Result<Self, LevelDbProblem> {
        let file = File::open(path).map_err(LevelDbProblem::Io)?;
        let len = file.metadata().map_err(LevelDbProblem::Io)?.len();
        Ok(Self { file, len, stored: Vec::new() })
    }

    /// Where the index is.
    fn footer(&mut self) -> Result<BlockHandle, LevelDbProblem> {
        let start = self.len.checked_sub(FOOTER_BYTES).ok_or(LevelDbProblem::Truncated)?;
        self.load(&BlockHandle { start, len: 48 })?;
        let mut fields = FieldCursor(&self.stored);
        handle(&mut fields)?; // of the block that lists filters
        let index = handle(&mut fields)?;
        if FieldCursor(&self.stored[40..]).u64()? != MAGIC {
            return Err(LevelDbProblem::damaged("the table does not end as one"));
        }
        Ok(index)
    }

    /// Reads, checks and decompresses a block into `block`.
    fn read(&mut self, handle: &BlockHandle, block: &mut TableBlock) -> Result<(), LevelDbProblem> {
        let len = handle.len.checked_add(TRAILER_BYTES).ok_or(LevelDbProblem::Truncated)?;
        self.load(&BlockHandle { start: handle.start, len })?;
        let (content, mut trailer) =
            (&self.stored[..handle.len], FieldCursor(&self.stored[handle.len..]));
        let kind = trailer.byte()?;
        if !crc_matches(trailer.u32()?, &[content, &[kind]]) {
            return Err(LevelDbProblem::damaged("the CRC of a block is wrong"));
        }
        match kind {
            0 => block.replace(|bytes| {
                self.stored.truncate(handle.len);
                std::mem::swap(&mut self.stored, bytes);
                Ok(())
            }),
            1 => block.replace(|bytes| decompress(content, bytes)),
            _ => Err(LevelDbProblem::Unsupported { what: "a compression other than Snappy" }),
        }
    }

    /// Reads into `stored`. Nothing is allocated for what is not there.
    fn load(&mut self, handle: &BlockHandle) -> Result<(), LevelDbProblem> {
        let end = handle.start.checked_add(handle.len as u64);
        end.filter(|&end| end <= self.len).ok_or(LevelDbProblem::Truncated)?;
        self.stored.resize(handle.len, 0);
        self.file.read_exact_at(&mut self.stored, handle.start).map_err(LevelDbProblem::Io)
    }
}

fn handle(fields: &mut FieldCursor<'_>) -> Result<BlockHandle, LevelDbProblem> {
    Ok(BlockHandle { start: fields.varint()?, len: fields.length()? })
}

fn decompress(stored: &[u8], bytes: &mut Vec<u8>) -> Result<(), LevelDbProblem> {
    let bad = |_| LevelDbProblem::damaged("a block is not Snappy");
    let len = snap::raw::decompress_len(stored).map_err(bad)?;
    if len > stored.len().saturating_mul(SNAPPY_GAIN_MAX) {
        return Err(LevelDbProblem::damaged("a block announces more than Snappy can hold"));
    }
    bytes.resize(len, 0);
    let written = snap::raw::Decoder::new().decompress(stored, bytes).map_err(bad)?;
    bytes.truncate(written);
    Ok(())
}
