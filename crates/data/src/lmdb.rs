//! LMDB files: a reader of our own that trusts no byte, and a writer over the C library.
//!
//! The C library maps the file, takes a lock and follows offsets as it finds them: a damaged or
//! hostile file crashes it, a read-only folder stops it, a file truncated while mapped kills the
//! process. [`LmdbReader`] uses positioned reads, no lock and no map size, and checks every number
//! before use; whatever is wrong is an [`LmdbError`] that names the file and the page. It reads the
//! one form that Caffe writes: 64-bit, little-endian, one unnamed database without duplicate keys.
//!
//! ```text
//! page 0, 1   two meta pages; the one with the larger transaction number counts
//! branch      16-byte header, offsets of nodes, … nodes: separator key -> page
//! leaf        16-byte header, offsets of nodes, … nodes: key -> value, or key -> overflow page
//! overflow    16-byte header, then a long value over as many pages as it needs
//! ```
//!
//! Cost: a value on overflow pages is one read into the caller's buffer; short values are lent from
//! the leaf. One page per tree level is held in memory, never the file.

mod error;
mod meta;
mod page;
mod reader;
mod store;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{LmdbError, LmdbProblem};
pub use reader::{LmdbIndex, LmdbReader};
pub use writer::LmdbWriter;

/// Reads every record of a file in memory, and each again by its key, until something is wrong. For
/// fuzzing: whatever the bytes are, this returns.
pub fn read_all(name: &std::path::Path, bytes: &[u8]) {
    let Ok(mut reader) = LmdbReader::from_bytes(name, bytes.to_vec()) else { return };
    let mut value = Vec::new();
    while let Ok(true) = reader.advance() {
        // A damaged page may hold a key twice, so the value found by key need not be the same.
        if reader.value(&mut value).and_then(|_| reader.get(reader.key())).is_err() {
            return;
        }
    }
}

/// The file inside an LMDB folder.
const DATA_FILE: &str = "data.mdb";
/// The file beside it that only the C library needs.
const LOCK_FILE: &str = "lock.mdb";
