//! A table file: an index of blocks, read one after another.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{LevelDbError, Problem, block::Block, crc_matches, wire::Wire};

const FOOTER_BYTES: u64 = 48;
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// Compression and CRC after a block.
const TRAILER_BYTES: usize = 5;
/// Snappy's densest element makes 64 bytes of 3; more than this is no Snappy.
const SNAPPY_GAIN_MAX: usize = 32;

/// An open table and a place in it.
pub(super) struct Table {
    path: PathBuf,
    file: File,
    len: u64,
    index: Block,
    block: Block,
}

/// Where a block lies.
struct Handle {
    start: u64,
    len: usize,
}

impl Table {
    pub(super) fn open(path: &Path) -> Result<Self, LevelDbError> {
        let fail = |problem| LevelDbError { path: path.to_owned(), problem };
        let file = File::open(path).map_err(Problem::Io).map_err(fail)?;
        let len = file.metadata().map_err(Problem::Io).map_err(fail)?.len();
        let mut table = Self {
            path: path.to_owned(),
            file,
            len,
            index: Block::default(),
            block: Block::default(),
        };
        table.index = table.footer().and_then(|handle| table.read(&handle)).map_err(fail)?;
        Ok(table)
    }

    /// Goes to the next entry; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, LevelDbError> {
        self.try_advance().map_err(|problem| LevelDbError { path: self.path.clone(), problem })
    }

    fn try_advance(&mut self) -> Result<bool, Problem> {
        while !self.block.advance()? {
            if !self.index.advance()? {
                return Ok(false);
            }
            let handle = handle(&mut Wire(self.index.value()))?;
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
    fn footer(&self) -> Result<Handle, Problem> {
        let start = self.len.checked_sub(FOOTER_BYTES).ok_or(Problem::CutShort)?;
        let bytes = self.bytes(&Handle { start, len: 48 })?;
        let mut wire = Wire(&bytes);
        handle(&mut wire)?; // of the block that lists filters
        let index = handle(&mut wire)?;
        if Wire(&bytes[40..]).u64()? != MAGIC {
            return Err(Problem::damaged("the table does not end as one"));
        }
        Ok(index)
    }

    /// Reads, checks and decompresses a block.
    fn read(&self, handle: &Handle) -> Result<Block, Problem> {
        let len = handle.len.checked_add(TRAILER_BYTES).ok_or(Problem::CutShort)?;
        let mut bytes = self.bytes(&Handle { start: handle.start, len })?;
        let (content, mut trailer) = (&bytes[..handle.len], Wire(&bytes[handle.len..]));
        let kind = trailer.byte()?;
        if !crc_matches(trailer.u32()?, &[content, &[kind]]) {
            return Err(Problem::damaged("the CRC of a block is wrong"));
        }
        match kind {
            0 => {
                bytes.truncate(handle.len);
                Block::new(bytes)
            }
            1 => Block::new(decompress(content)?),
            _ => Err(Problem::Unsupported { what: "a compression other than Snappy" }),
        }
    }

    /// Nothing is allocated for what is not there.
    fn bytes(&self, handle: &Handle) -> Result<Vec<u8>, Problem> {
        let end = handle.start.checked_add(handle.len as u64);
        end.filter(|&end| end <= self.len).ok_or(Problem::CutShort)?;
        let mut bytes = vec![0; handle.len];
        self.file.read_exact_at(&mut bytes, handle.start).map_err(Problem::Io)?;
        Ok(bytes)
    }
}

fn handle(wire: &mut Wire<'_>) -> Result<Handle, Problem> {
    Ok(Handle { start: wire.varint()?, len: wire.length()? })
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let bad = |_| Problem::damaged("a block is not Snappy");
    let len = snap::raw::decompress_len(bytes).map_err(bad)?;
    if len > bytes.len().saturating_mul(SNAPPY_GAIN_MAX) {
        return Err(Problem::damaged("a block announces more than Snappy can hold"));
    }
    snap::raw::Decoder::new().decompress_vec(bytes).map_err(bad)
}
