//! A block of a table: sorted entries, each key stored as its difference to the one before.

use super::{LevelDbProblem, field_cursor::FieldCursor};

/// A decompressed block and a place in it.
#[derive(Debug, Default)]
pub(super) struct TableBlock {
    bytes: Vec<u8>,
    /// Where the entries end and the restart points begin.
    end: usize,
    /// The next entry.
    next: usize,
    key: Vec<u8>,
    value: (usize, usize),
}

impl TableBlock {
    /// Takes another block, which `read` writes over the bytes of this one; the place is before its
    /// first entry. After an error the block is empty.
    pub(super) fn replace(
        &mut self,
        read: impl FnOnce(&mut Vec<u8>) -> Result<(), LevelDbProblem>,
    ) -> Result<(), LevelDbProblem> {
        (self.end, self.next, self.value) = (0, 0, (0, 0));
        self.key.clear();
        read(&mut self.bytes)?;
        let count = self.bytes.last_chunk().map(|&count| u32::from_le_bytes(count) as usize);
        let tail = count.and_then(|count| count.checked_add(1)?.checked_mul(4));
        let end = tail.and_then(|tail| self.bytes.len().checked_sub(tail));
        self.end = end.ok_or(LevelDbProblem::Truncated)?;
        Ok(())
    }

    /// Goes to the next entry; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, LevelDbProblem> {
        if self.next >= self.end {
            return Ok(false);
        }
        let mut fields = FieldCursor(&self.bytes[self.next..self.end]);
        let (shared, rest, value) = (fields.length()?, fields.length()?, fields.length()?);
        if shared > self.key.len() {
            return Err(LevelDbProblem::damaged("a key shares more than there is"));
        }
        let fresh = fields.take(rest)?;
        self.key.truncate(shared);
        self.key.extend_from_slice(fresh);
        let start = self.end - fields.0.len();
        fields.take(value)?;
        self.value = (start, start + value);
        self.next = start + value;
        Ok(true)
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    pub(super) fn value(&self) -> &[u8] {
        &self.bytes[self.value.0..self.value.1]
    }
}
