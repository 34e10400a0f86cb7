//! LevelDB folders, read without a lock and without changing a byte; written with `rusty-leveldb`.
//!
//! Opening a LevelDB with its own library rewrites its manifest and takes a lock, which a read-only
//! data set does not allow; so, as for LMDB, reading is our own and checks every number. A database
//! is
//!
//! ```text
//! CURRENT ──names──▶ MANIFEST-n ──lists──▶ tables (*.ldb, *.sst) by level, and the log to replay
//! log, manifest   records in blocks of 32 KiB, each with a CRC
//! table           blocks of sorted keys, often compressed with Snappy, each with a CRC; an index
//! ```
//!
//! Tables of level 0 overlap; those of a higher level follow one another. A [`LevelDbReader`]
//! merges the log, every level-0 table and each level by key; of a key the newest entry counts. One
//! block of each is in memory.

mod block;
mod error;
mod field_cursor;
mod index;
mod log;
mod manifest;
mod reader;
mod sorted;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{LevelDbError, LevelDbProblem};
pub use index::LevelDbIndex;
pub use reader::LevelDbReader;
pub use writer::LevelDbWriter;

/// LevelDB stores CRCs rotated and with this added, so that a CRC over CRCs is still useful.
const CRC_DELTA: u32 = 0xa282_ead8;

/// Whether `stored` is the masked CRC of the slices, one after another.
fn crc_matches(stored: u32, slices: &[&[u8]]) -> bool {
    let crc = slices.iter().fold(0, |crc, slice| crc32c::crc32c_append(crc, slice));
    stored == crc.rotate_right(15).wrapping_add(CRC_DELTA)
}
