//! Merges logs and tables by key, newest entry first.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    LevelDbError, LevelDbProblem,
    manifest::Manifest,
    sorted::{EntryLocation, SortedEntries, SortedEntry},
};

/// A database and a position in it.
pub struct LevelDbReader {
    folder: PathBuf,
    inputs: Vec<SortedEntries>,
    /// Which inputs have a current entry.
    alive: Vec<bool>,
    started: bool,
    /// Records passed since the start, the current one included.
    passed: u64,
    location: RecordLocation,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// Where the newest entry of a key lies.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RecordLocation {
    input: u32,
    entry: EntryLocation,
}

impl LevelDbReader {
    /// Opens a folder; reads the manifest and the logs, no table yet.
    pub fn open(folder: &Path) -> Result<Self, LevelDbError> {
        let current = folder.join("CURRENT");
        let name = String::from_utf8(read(&current)?)
            .ok()
            .map(|name| name.trim_end().to_owned())
            .filter(|name| name.starts_with("MANIFEST-") && !name.contains('/'));
        let damaged = LevelDbProblem::damaged("it does not name a manifest");
        let name = name.ok_or(LevelDbError { path: current, problem: damaged })?;
        let path = folder.join(name);
        let manifest =
            Manifest::read(&read(&path)?).map_err(|problem| LevelDbError { path, problem })?;
        let mut inputs = vec![logs(folder, &manifest)?];
        let (overlapping, ordered) = manifest.levels.split_first().expect("there are seven");
        for &number in overlapping.keys() {
            inputs.push(SortedEntries::tables(vec![table(folder, number)]));
        }
        for level in ordered.iter().filter(|level| !level.is_empty()) {
            let mut tables: Vec<_> = level.iter().collect();
            tables.sort_by(|a, b| user_key(a.1).cmp(user_key(b.1)));
            let paths = tables.iter().map(|(number, _)| table(folder, **number)).collect();
            inputs.push(SortedEntries::tables(paths));
        }
        let alive = vec![false; inputs.len()];
        let (key, value) = (Vec::new(), Vec::new());
        let (folder, location) = (folder.to_owned(), RecordLocation::default());
        Ok(Self { folder, inputs, alive, started: false, passed: 0, location, key, value })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Back to before the first record.
    pub fn rewind(&mut self) {
        self.inputs.iter_mut().for_each(SortedEntries::rewind);
        (self.started, self.passed) = (false, 0);
    }

    /// Goes to the next record in key order; `false` when there is none.
    pub fn advance(&mut self) -> Result<bool, LevelDbError> {
        if !self.started {
            for (input, alive) in self.inputs.iter_mut().zip(&mut self.alive) {
                *alive = input.advance()?;
            }
            self.key.clear();
        }
        loop {
            let Some(newest) = self.newest()? else { return Ok(false) };
            let SortedEntry { key, value, .. } = self.inputs[newest].entry()?;
            if self.started && key <= self.key.as_slice() {
                let problem = LevelDbProblem::damaged("keys are not in order");
                return Err(LevelDbError { path: self.folder.clone(), problem });
            }
            self.started = true;
            self.key.clear();
            self.key.extend_from_slice(key);
            self.value.clear();
            let found = value.is_some();
            self.value.extend_from_slice(value.unwrap_or_default());
            let input = u32::try_from(newest).expect("at most as many inputs as files");
            self.location = RecordLocation { input, entry: self.inputs[newest].location() };
            self.pass()?;
            if found {
                self.passed += 1;
                return Ok(true);
            }
        }
    }

    /// Key of the current record; empty before the first.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Value of the current record; empty before the first.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// Records passed since the start, the current one included.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// Where the current record lies.
    pub(super) fn location(&self) -> RecordLocation {
        self.location
    }

    /// Key and value of the record at `location`, for `with` to look at.
    pub(super) fn read_at<T>(
        &self,
        location: RecordLocation,
        with: impl FnOnce(&[u8], &[u8]) -> T,
    ) -> Result<T, LevelDbError> {
        self.inputs[location.input as usize].read_at(location.entry, with)
    }

    /// The input with the smallest key, and of those with that key the newest.
    fn newest(&self) -> Result<Option<usize>, LevelDbError> {
        let mut best: Option<(usize, SortedEntry<'_>)> = None;
        for index in (0..self.inputs.len()).filter(|&index| self.alive[index]) {
            let entry = self.inputs[index].entry()?;
            let better = best.as_ref().is_none_or(|(_, best)| {
                (entry.key, u64::MAX - entry.sequence) < (best.key, u64::MAX - best.sequence)
            });
            if better {
                best = Some((index, entry));
            }
        }
        Ok(best.map(|(index, _)| index))
    }

    /// Leaves all entries with the current key behind, the older ones too.
    fn pass(&mut self) -> Result<(), LevelDbError> {
        for (input, alive) in self.inputs.iter_mut().zip(&mut self.alive) {
            while *alive && input.entry()?.key == self.key.as_slice() {
                *alive = input.advance()?;
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, LevelDbError> {
    fs::read(path)
        .map_err(|error| LevelDbError { path: path.to_owned(), problem: LevelDbProblem::Io(error) })
}

/// Tables have one of two names, by the age of the library.
fn table(folder: &Path, number: u64) -> PathBuf {
    let path = folder.join(format!("{number:06}.ldb"));
    if path.exists() { path } else { folder.join(format!("{number:06}.sst")) }
}

/// A key without its sequence number.
fn user_key(key: &[u8]) -> &[u8] {
    key.split_last_chunk::<8>().map_or(key, |(key, _)| key)
}

/// Replays the logs that no table holds yet.
fn logs(folder: &Path, manifest: &Manifest) -> Result<SortedEntries, LevelDbError> {
    let fail = |problem| LevelDbError { path: folder.to_owned(), problem };
    let mut numbers = Vec::new();
    for file in fs::read_dir(folder).map_err(LevelDbProblem::Io).map_err(fail)? {
        let name = file.map_err(LevelDbProblem::Io).map_err(fail)?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".log")?.parse::<u64>().ok());
        numbers.extend(number.filter(|&number| {
            number >= manifest.log_number || number == manifest.previous_log && number > 0
        }));
    }
    numbers.sort_unstable();
    let logs: Result<Vec<_>, _> =
        numbers.iter().map(|number| read(&folder.join(format!("{number:06}.log")))).collect();
    SortedEntries::log(&logs?).map_err(fail)
}
