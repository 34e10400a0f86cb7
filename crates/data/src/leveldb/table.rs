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
    file: File,
    len: u64,
    index: TableBlock,
    block: TableBlock,
}

/// Where a block lies.
struct BlockHandle {
    start: u64,
    len: usize,
}

impl TableFile {
    pub(super) fn open(path: &Path) -> Result<Self, LevelDbError> {
        let fail = |problem| LevelDbError { path: path.to_owned(), problem };
        let file = File::open(path).map_err(LevelDbProblem::Io).map_err(fail)?;
        let len = file.metadata().map_err(LevelDbProblem::Io).map_err(fail)?.len();
        let mut table = Self {
            path: path.to_owned(),
            file,
            len,
            index: TableBlock::default(),
            block: TableBlock::default(),
        };
        table.index = table.footer().and_then(|handle| table.read(&handle)).map_err(fail)?;
        Ok(table)
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
            let handle = handle(&mut FieldCursor(self.index.value()))?;
            self.block = self.read(&handle)?;
        }
        Ok(true)
    }

    /// The current key with its sequence number.
    pub(super) fn key(&self) -> &[u8] {
        self.block.key()
    }

    pub(super) fn value(&self) -> &[u8] {
        self.block.value()
    }

    /// Where the index is.
    fn footer(&self) -> Result<BlockHandle, LevelDbProblem> {
        let start = self.len.checked_sub(FOOTER_BYTES).ok_or(LevelDbProblem::Truncated)?;
        let bytes = self.bytes(&BlockHandle { start, len: 48 })?;
        let mut fields = FieldCursor(&bytes);
        handle(&mut fields)?; // of the block that lists filters
        let index = handle(&mut fields)?;
        if FieldCursor(&bytes[40..]).u64()? != MAGIC {
            return Err(LevelDbProblem::damaged("the table does not end as one"));
        }
        Ok(index)
    }

    /// Reads, checks and decompresses a block.
    fn read(&self, handle: &BlockHandle) -> Result<TableBlock, LevelDbProblem> {
        let len = handle.len.checked_add(TRAILER_BYTES).ok_or(LevelDbProblem::Truncated)?;
        let mut bytes = self.bytes(&BlockHandle { start: handle.start, len })?;
        let (content, mut trailer) = (&bytes[..handle.len], FieldCursor(&bytes[handle.len..]));
        let kind = trailer.byte()?;
        if !crc_matches(trailer.u32()?, &[content, &[kind]]) {
            return Err(LevelDbProblem::damaged("the CRC of a block is wrong"));
        }
        match kind {
            0 => {
                bytes.truncate(handle.len);
                TableBlock::new(bytes)
            }
            1 => TableBlock::new(decompress(content)?),
            _ => Err(LevelDbProblem::Unsupported { what: "a compression other than Snappy" }),
        }
    }

    /// Nothing is allocated for what is not there.
    fn bytes(&self, handle: &BlockHandle) -> Result<Vec<u8>, LevelDbProblem> {
        let end = handle.start.checked_add(handle.len as u64);
        end.filter(|&end| end <= self.len).ok_or(LevelDbProblem::Truncated)?;
        let mut bytes = vec![0; handle.len];
        self.file.read_exact_at(&mut bytes, handle.start).map_err(LevelDbProblem::Io)?;
        Ok(bytes)
    }
}

fn handle(fields: &mut FieldCursor<'_>) -> Result<BlockHandle, LevelDbProblem> {
    Ok(BlockHandle { start: fields.varint()?, len: fields.length()? })
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, LevelDbProblem> {
    let bad = |_| LevelDbProblem::damaged("a block is not Snappy");
    let len = snap::raw::decompress_len(bytes).map_err(bad)?;
    if len > bytes.len().saturating_mul(SNAPPY_GAIN_MAX) {
        return Err(LevelDbProblem::damaged("a block announces more than Snappy can hold"));
    }
    snap::raw::Decoder::new().decompress_vec(bytes).map_err(bad)
}
