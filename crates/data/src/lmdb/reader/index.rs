//! Random access: the leaves of a file by the number of their first record.
//!
//! 16 bytes per leaf are kept, not per record. A record costs one read of its leaf, and one more if
//! its value is a long one.

use std::path::Path;

use super::super::{LmdbError, LmdbProblem, page::LmdbPage, page::NodeContent};
use super::LmdbReader;
use crate::ProgressFn;

/// So often progress is reported while an index is built.
const REPORT_EVERY: u64 = 4096;

/// A database whose records can be read in any order, by many threads at a time.
pub struct LmdbIndex {
    reader: LmdbReader,
    leaves: Vec<LeafEntry>,
}

/// A leaf page.
struct LeafEntry {
    page: u64,
    /// Number of its first record, in key order.
    first: u64,
}

impl LmdbIndex {
    /// Walks over all keys once.
    pub fn build(path: &Path, progress: ProgressFn<'_>) -> Result<Self, LmdbError> {
        Self::of(LmdbReader::open(path)?, progress)
    }

    fn of(mut reader: LmdbReader, progress: ProgressFn<'_>) -> Result<Self, LmdbError> {
        let all = reader.entries();
        let mut leaves = Vec::new();
        while reader.advance()? {
            let leaf = reader.levels.last().expect("a record is current");
            let record = reader.passed - 1;
            if leaf.index == 0 {
                leaves.push(LeafEntry { page: leaf.page.number, first: record });
            }
            if record.is_multiple_of(REPORT_EVERY) {
                progress(record, all);
            }
        }
        progress(all, all);
        reader.rewind();
        Ok(Self { reader, leaves })
    }

    /// Number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.reader.entries()
    }

    /// The file that is read.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.reader.path()
    }

    /// The value of record `record`, which is below [`records`](Self::records), read into `buffer`.
    pub fn value<'a>(&self, record: u64, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], LmdbError> {
        let (page, node) = self.leaf_of(record, std::mem::take(buffer))?;
        let content = page.node(node).map_err(|problem| self.error(&page, problem))?.1;
        match content {
            NodeContent::Value(value) => {
                let start = value.as_ptr().addr() - page.bytes().as_ptr().addr();
                let range = start..start + value.len();
                *buffer = page.into_bytes();
                Ok(&buffer[range])
            }
            NodeContent::Overflow { page: number, len } => {
                *buffer = page.into_bytes();
                let read = self.reader.read_overflow(number, len, buffer);
                read.map_err(|problem| self.reader.store.error(Some(number), problem))
            }
            NodeContent::Child(_) => unreachable!("leaves have no children"),
        }
    }

    /// The key of record `record`.
    pub fn key(&self, record: u64) -> Result<Vec<u8>, LmdbError> {
        let (page, node) = self.leaf_of(record, Vec::new())?;
        let (key, _) = page.node(node).map_err(|problem| self.error(&page, problem))?;
        Ok(key.to_vec())
    }

    /// The leaf of a record, read into `buffer`, and its node there. A file that was written to
    /// since it was indexed is an error where that shows.
    fn leaf_of(&self, record: u64, buffer: Vec<u8>) -> Result<(LmdbPage, usize), LmdbError> {
        let after = self.leaves.partition_point(|leaf| leaf.first <= record);
        let leaf = &self.leaves[after - 1];
        let page = self.reader.load(leaf.page, self.reader.meta.depth, buffer)?;
        let end = self.leaves.get(after).map_or(self.records(), |next| next.first);
        if page.nodes() as u64 != end - leaf.first {
            let changed = LmdbProblem::damaged("it was written to while it was being read");
            return Err(self.error(&page, changed));
        }
        let node = usize::try_from(record - leaf.first).expect("fewer than the page's nodes");
        Ok((page, node))
    }

    fn error(&self, page: &LmdbPage, problem: LmdbProblem) -> LmdbError {
        self.reader.store.error(Some(page.number), problem)
    }
}
