//! Records of a log or manifest: blocks of 32 KiB, records split where a block ends.

use super::{LevelDbProblem, crc_matches, field_cursor::FieldCursor};

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;

/// The fragments of a record.
const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// What an incomplete record at the end of the file means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogTail {
    /// It was never finished and does not count, as LevelDB says when it replays a log.
    Unfinished,
    /// The file is damaged.
    Damage,
}

/// All records; a wrong CRC is an error.
pub(super) fn records(bytes: &[u8], tail: LogTail) -> Result<Vec<Vec<u8>>, LevelDbProblem> {
    let mut records = Vec::new();
    let mut partial: Option<Vec<u8>> = None;
    for block in bytes.chunks(BLOCK_BYTES) {
        let mut rest = FieldCursor(block);
        while rest.0.len() >= HEADER_BYTES {
            let crc = rest.u32()?;
            let len = usize::from(rest.byte()?) | usize::from(rest.byte()?) << 8;
            let kind = rest.byte()?;
            if kind == 0 && len == 0 {
                break; // space that was set aside and not used
            }
            let Ok(data) = rest.take(len) else {
                // Within the file a record never leaves its block.
                return if block.len() < BLOCK_BYTES {
                    Ok(records)
                } else {
                    Err(LevelDbProblem::Truncated)
                };
            };
            if !crc_matches(crc, &[&[kind], data]) {
                return Err(LevelDbProblem::damaged("the CRC of a record is wrong"));
            }
            match (kind, &mut partial) {
                (WHOLE, None) => records.push(data.to_vec()),
                (FIRST, None) => partial = Some(data.to_vec()),
                (MIDDLE, Some(partial)) => partial.extend_from_slice(data),
                (LAST, Some(_)) => {
                    let mut whole = partial.take().unwrap_or_default();
                    whole.extend_from_slice(data);
                    records.push(whole);
                }
                _ => return Err(LevelDbProblem::damaged("fragments of records are not in order")),
            }
        }
    }
    match (partial, tail) {
        (Some(_), LogTail::Damage) => Err(LevelDbProblem::Truncated),
        _ => Ok(records),
    }
}
