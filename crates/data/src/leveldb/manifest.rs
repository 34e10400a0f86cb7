//! The manifest: which tables make up the database, and which log is to be replayed.

use std::collections::BTreeMap;

use super::{
    LevelDbProblem,
    field_cursor::FieldCursor,
    log::{self, LogTail},
};

/// The only order of keys that Caffe uses.
const COMPARATOR: &[u8] = b"leveldb.BytewiseComparator";
/// LevelDB has seven levels.
const LEVELS: usize = 7;

/// The present state of a database.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// By level: number of each table, and its first key (with its sequence number).
    pub(super) levels: [BTreeMap<u64, Vec<u8>>; LEVELS],
    /// Logs from this number on are not in tables yet.
    pub(super) log_number: u64,
    pub(super) previous_log: u64,
}

impl Manifest {
    /// Adds up the edits in a manifest file.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, LevelDbProblem> {
        let mut manifest = Self::default();
        let records = log::records(bytes, LogTail::Damage)?;
        if records.is_empty() {
            return Err(LevelDbProblem::Truncated);
        }
        for record in records {
            manifest.apply(FieldCursor(&record))?;
        }
        Ok(manifest)
    }

    fn apply(&mut self, mut edit: FieldCursor<'_>) -> Result<(), LevelDbProblem> {
        while !edit.is_empty() {
            match edit.varint()? {
                1 => {
                    if edit.string()? != COMPARATOR {
                        return Err(LevelDbProblem::Unsupported { what: "keys in another order" });
                    }
                }
                2 => self.log_number = edit.varint()?,
                3 | 4 => _ = edit.varint()?, // next file number, last sequence number
                5 => {
                    // Where a compaction stopped.
                    edit.varint()?;
                    edit.string()?;
                }
                6 => {
                    let level = self.level(edit.varint()?)?;
                    level.remove(&edit.varint()?);
                }
                7 => {
                    let level = edit.varint()?;
                    let (number, _bytes) = (edit.varint()?, edit.varint()?);
                    let (first, _last) = (edit.string()?.to_vec(), edit.string()?);
                    self.level(level)?.insert(number, first);
                }
                9 => self.previous_log = edit.varint()?,
                _ => return Err(LevelDbProblem::damaged("an edit of an unknown kind")),
            }
        }
        Ok(())
    }

    fn level(&mut self, level: u64) -> Result<&mut BTreeMap<u64, Vec<u8>>, LevelDbProblem> {
        let level = usize::try_from(level).ok().and_then(|level| self.levels.get_mut(level));
        level.ok_or(LevelDbProblem::damaged("an eighth level"))
    }
}
