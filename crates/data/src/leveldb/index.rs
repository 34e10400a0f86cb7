//! Random access: where the newest entry of every key lies.
//!
//! 40 bytes per record are kept. A record costs one read of its block, which is decompressed; the
//! table is opened for it, since a large database has more tables than a process may keep open.

use std::path::Path;

use super::{
    LevelDbError,
    reader::{LevelDbReader, RecordLocation},
};
use crate::ProgressFn;

/// So often progress is reported while an index is built.
const REPORT_EVERY: usize = 4096;

/// A database whose records can be read in any order, by many threads at a time.
pub struct LevelDbIndex {
    reader: LevelDbReader,
    locations: Vec<RecordLocation>,
}

impl LevelDbIndex {
    /// Reads the database once; how many records it holds is not known before.
    pub fn build(folder: &Path, progress: ProgressFn<'_>) -> Result<Self, LevelDbError> {
        let mut reader = LevelDbReader::open(folder)?;
        let mut locations = Vec::new();
        while reader.advance()? {
            locations.push(reader.location());
            if locations.len().is_multiple_of(REPORT_EVERY) {
                progress(locations.len() as u64, 0);
            }
        }
        reader.rewind();
        locations.shrink_to_fit();
        progress(locations.len() as u64, locations.len() as u64);
        Ok(Self { reader, locations })
    }

    /// Number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.locations.len() as u64
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.reader.path()
    }

    /// Key and value of record `record`, which is below [`records`](Self::records), for `with` to
    /// look at.
    pub fn read<T>(
        &self,
        record: u64,
        with: impl FnOnce(&[u8], &[u8]) -> T,
    ) -> Result<T, LevelDbError> {
        let index = usize::try_from(record).expect("below the number of records");
        self.reader.read_at(self.locations[index], with)
    }
}
