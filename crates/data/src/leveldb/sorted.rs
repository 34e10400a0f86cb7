//! Entries in key order: those of the log, or of tables that follow one another.

use std::{collections::BTreeMap, path::PathBuf};

use super::{
    LevelDbError, LevelDbProblem,
    field_cursor::FieldCursor,
    log::{self, LogTail},
    table::{BlockEntry, TableFile},
};

/// Entries in the order of their keys, and of one key the newest first.
pub(super) enum SortedEntries {
    /// The log's, in memory: sequence number and value, `None` when deleted.
    Log { entries: Vec<(Vec<u8>, u64, Option<Vec<u8>>)>, at: Option<usize> },
    /// Tables of one level.
    Tables { paths: Vec<PathBuf>, opened: usize, table: Option<Box<TableFile>> },
}

/// One entry, lent.
pub(super) struct SortedEntry<'a> {
    pub(super) key: &'a [u8],
    pub(super) sequence: u64,
    /// `None` when the key was deleted.
    pub(super) value: Option<&'a [u8]>,
}

/// Where an entry lies among those of its [`SortedEntries`].
#[derive(Debug, Clone, Copy)]
pub(super) enum EntryLocation {
    Log { entry: usize },
    Table { table: u32, entry: BlockEntry },
}

impl Default for EntryLocation {
    fn default() -> Self {
        Self::Log { entry: 0 }
    }
}

impl SortedEntries {
    pub(super) fn tables(paths: Vec<PathBuf>) -> Self {
        Self::Tables { paths, opened: 0, table: None }
    }

    /// Replays logs, oldest first.
    pub(super) fn log(logs: &[Vec<u8>]) -> Result<Self, LevelDbProblem> {
        let mut newest: BTreeMap<Vec<u8>, (u64, Option<Vec<u8>>)> = BTreeMap::new();
        for bytes in logs {
            for record in log::records(bytes, LogTail::Unfinished)? {
                let mut fields = FieldCursor(&record);
                let (mut sequence, count) = (fields.u64()?, fields.u32()?);
                for _ in 0..count {
                    let deleted = fields.byte()? == 0;
                    let key = fields.string()?.to_vec();
                    let value = if deleted { None } else { Some(fields.string()?.to_vec()) };
                    newest.insert(key, (sequence, value));
                    sequence = sequence.wrapping_add(1);
                }
            }
        }
        let entries = newest.into_iter().map(|(key, (sequence, value))| (key, sequence, value));
        Ok(Self::Log { entries: entries.collect(), at: None })
    }

    /// Back to before the first entry.
    pub(super) fn rewind(&mut self) {
        match self {
            Self::Log { at, .. } => *at = None,
            Self::Tables { opened, table, .. } => (*opened, *table) = (0, None),
        }
    }

    /// Goes to the next entry; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, LevelDbError> {
        match self {
            Self::Log { entries, at } => {
                let next = at.map_or(0, |at| at + 1);
                *at = Some(next.min(entries.len()));
                Ok(next < entries.len())
            }
            Self::Tables { paths, opened, table } => loop {
                if let Some(table) = table
                    && table.advance()?
                {
                    return Ok(true);
                }
                let Some(path) = paths.get(*opened) else { return Ok(false) };
                *table = Some(Box::new(TableFile::open(path)?));
                *opened += 1;
            },
        }
    }

    /// The current entry; the last `advance` returned `true`.
    pub(super) fn entry(&self) -> Result<SortedEntry<'_>, LevelDbError> {
        match self {
            Self::Log { entries, at } => {
                let (key, sequence, value) = &entries[at.expect("an entry is current")];
                Ok(SortedEntry { key, sequence: *sequence, value: value.as_deref() })
            }
            Self::Tables { paths, opened, table } => {
                let table = table.as_ref().expect("an entry is current");
                let Some((key, tag)) = table.key().split_last_chunk() else {
                    let problem = LevelDbProblem::damaged("a key without a sequence number");
                    return Err(LevelDbError { path: paths[opened - 1].clone(), problem });
                };
                let tag = u64::from_le_bytes(*tag);
                let value = (tag & 0xff != 0).then(|| table.value());
                Ok(SortedEntry { key, sequence: tag >> 8, value })
            }
        }
    }

    /// Where the current entry lies; the last `advance` returned `true`.
    pub(super) fn location(&self) -> EntryLocation {
        match self {
            Self::Log { at, .. } => EntryLocation::Log { entry: at.expect("an entry is current") },
            Self::Tables { opened, table, .. } => EntryLocation::Table {
                table: u32::try_from(opened - 1).expect("at most as many tables as files"),
                entry: table.as_ref().expect("an entry is current").location(),
            },
        }
    }

    /// Key and value of an entry that is not deleted, for `with` to look at.
    pub(super) fn read_at<T>(
        &self,
        location: EntryLocation,
        with: impl FnOnce(&[u8], &[u8]) -> T,
    ) -> Result<T, LevelDbError> {
        match (self, location) {
            (Self::Log { entries, .. }, EntryLocation::Log { entry }) => {
                let (key, _, value) = &entries[entry];
                Ok(with(key, value.as_deref().unwrap_or_default()))
            }
            (Self::Tables { paths, .. }, EntryLocation::Table { table, entry }) => {
                TableFile::read_at(&paths[table as usize], entry, |key, value| {
                    with(key.split_last_chunk::<8>().map_or(key, |(key, _)| key), value)
                })
            }
            _ => unreachable!("a location is asked for where it was found"),
        }
    }
}
