//! Numbers and strings as LevelDB writes them.

use super::LevelDbProblem;

/// Bytes that are read from the front.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldCursor<'a>(pub(super) &'a [u8]);

impl<'a> FieldCursor<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], LevelDbProblem> {
        let (front, rest) = self.0.split_at_checked(len).ok_or(LevelDbProblem::Truncated)?;
        self.0 = rest;
        Ok(front)
    }

    pub(super) fn byte(&mut self) -> Result<u8, LevelDbProblem> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u32(&mut self) -> Result<u32, LevelDbProblem> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(*bytes.first_chunk().expect("four were taken")))
    }

    pub(super) fn u64(&mut self) -> Result<u64, LevelDbProblem> {
        let low = u64::from(self.u32()?);
        Ok(low | u64::from(self.u32()?) << 32)
    }

    /// Seven bits per byte, lowest first.
    pub(super) fn varint(&mut self) -> Result<u64, LevelDbProblem> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(LevelDbProblem::damaged("a number of more than 64 bits"))
    }

    /// A number that counts bytes in memory.
    pub(super) fn length(&mut self) -> Result<usize, LevelDbProblem> {
        usize::try_from(self.varint()?).map_err(|_| LevelDbProblem::Truncated)
    }

    /// A length and so many bytes.
    pub(super) fn string(&mut self) -> Result<&'a [u8], LevelDbProblem> {
        let len = self.length()?;
        self.take(len)
    }
}
