//! Walks the tree in key order and checks it on the way.
//!
//! Bounds: a pass loads at most as many pages as the file has, every leaf lies at the depth the
//! meta page states, keys rise, and a pass finds as many records as announced. So a cycle, a page
//! used twice or a lost branch ends in an error, and a walk in bounded time.

mod index;
mod pages;

use std::path::Path;

pub use index::LmdbIndex;

use super::{
    LmdbError, LmdbProblem,
    meta::LmdbMeta,
    page::{LmdbPage, NodeContent},
    store::LmdbStore,
};

/// A database and a position in it.
pub struct LmdbReader {
    store: LmdbStore,
    meta: LmdbMeta,
    /// From the root to the current leaf; empty before the first record and after the last.
    levels: Vec<TreeLevel>,
    /// Records passed since the start, the current one included.
    passed: u64,
    /// Pages loaded since the start.
    loaded: u64,
    last_key: Vec<u8>,
    spare: Vec<Vec<u8>>,
}

struct TreeLevel {
    page: LmdbPage,
    index: usize,
}

impl LmdbReader {
    /// Opens a folder with `data.mdb`, or the file itself. Reads the meta pages and walks down to
    /// the last record, so that a truncated file is found here and not after an hour.
    pub fn open(path: &Path) -> Result<Self, LmdbError> {
        Self::over(LmdbStore::open(path)?)
    }

    /// Reads a database that is in memory already; `name` stands in errors.
    pub fn from_bytes(name: &Path, bytes: Vec<u8>) -> Result<Self, LmdbError> {
        Self::over(LmdbStore::in_memory(name, bytes))
    }

    fn over(store: LmdbStore) -> Result<Self, LmdbError> {
        let meta = LmdbMeta::read(&store)?;
        let mut reader = Self {
            store,
            meta,
            levels: Vec::with_capacity(meta.depth),
            passed: 0,
            loaded: 0,
            last_key: Vec::new(),
            spare: Vec::new(),
        };
        if let Some(root) = meta.root {
            reader.descend(root, LmdbPage::nodes)?;
            reader.value(&mut Vec::new())?;
            reader.rewind();
        }
        Ok(reader)
    }

    /// Number of records, from the meta page.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.meta.entries
    }

    /// Records passed since the start, the current one included.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// The file that is read.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Back to before the first record.
    pub fn rewind(&mut self) {
        while self.pop() {}
        (self.passed, self.loaded) = (0, 0);
    }

    /// Goes to the next record in key order; `false` when there is none. Call
    /// [`rewind`](Self::rewind) to start over.
    pub fn advance(&mut self) -> Result<bool, LmdbError> {
        self.try_advance().inspect_err(|_| self.levels.clear())
    }

    fn try_advance(&mut self) -> Result<bool, LmdbError> {
        let moved = match (self.passed, self.meta.root) {
            (_, None) => false,
            (0, Some(root)) => {
                self.descend(root, |_| 1)?;
                true
            }
            _ => self.step(1)? > 0,
        };
        if !moved {
            return self.count(0).map(|()| false);
        }
        self.count(1)?;
        self.check_order()?;
        Ok(true)
    }

    /// Goes to record `index`, counted from 0 in key order, without reading values.
    /// The next [`advance`](Self::advance) goes to the one after it.
    pub fn seek(&mut self, index: u64) -> Result<bool, LmdbError> {
        self.try_seek(index).inspect_err(|_| self.levels.clear())
    }

    fn try_seek(&mut self, index: u64) -> Result<bool, LmdbError> {
        self.rewind();
        let Some(root) = self.meta.root.filter(|_| index < self.meta.entries) else {
            return Ok(false);
        };
        self.descend(root, |_| 1)?;
        let mut left = index;
        while left > 0 {
            let steps = self.step(usize::try_from(left).unwrap_or(usize::MAX))?;
            if steps == 0 {
                return self.count(0).map(|()| false);
            }
            left -= steps;
            self.count(steps)?;
        }
        self.count(1)?;
        self.last_key.clear();
        self.check_order()?;
        Ok(true)
    }

    /// Key of the current record.
    ///
    /// # Panics
    ///
    /// If there is none: the last [`advance`](Self::advance) did not return `true`.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        assert!(!self.levels.is_empty(), "a record is current");
        &self.last_key
    }

    /// Value of the current record: lent from its page, or read into `buffer` if it is a long one.
    ///
    /// # Panics
    ///
    /// If there is none: the last [`advance`](Self::advance) did not return `true`.
    pub fn value<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], LmdbError> {
        let level = self.levels.last().expect("a record is current");
        self.content_of(&level.page, level.index, buffer)
    }

    /// Bytes of the current record's value, which is not read for it.
    ///
    /// # Panics
    ///
    /// If there is none: the last [`advance`](Self::advance) did not return `true`.
    pub fn value_len(&self) -> Result<usize, LmdbError> {
        let TreeLevel { page, index } = self.levels.last().expect("a record is current");
        match page.node(*index).map_err(|p| self.store.error(Some(page.number), p))?.1 {
            NodeContent::Value(bytes) => Ok(bytes.len()),
            NodeContent::Overflow { len, .. } => Ok(len),
            NodeContent::Child(_) => unreachable!("leaves have no children"),
        }
    }

    /// Up to `wanted` steps, but not beyond the first record of the next leaf; how many were made.
    fn step(&mut self, wanted: usize) -> Result<u64, LmdbError> {
        let Some(level) = self.levels.last_mut() else { return Ok(0) };
        let rest = level.page.nodes() - 1 - level.index;
        if rest > 0 {
            let steps = rest.min(wanted);
            level.index += steps;
            return Ok(steps as u64);
        }
        self.next_leaf().map(u64::from)
    }

    fn next_leaf(&mut self) -> Result<bool, LmdbError> {
        while self.pop() {
            let Some(level) = self.levels.last_mut() else { break };
            level.index += 1;
            if level.index < level.page.nodes() {
                let (page, index) = (&level.page, level.index);
                let node = page.node(index).map_err(|p| self.store.error(Some(page.number), p))?;
                let NodeContent::Child(child) = node.1 else {
                    unreachable!("only leaves have values")
                };
                self.descend(child, |_| 1)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// From page `number` down to a leaf, at each page to its node number `choose(page)`, from 1.
    fn descend(
        &mut self,
        mut number: u64,
        choose: fn(&LmdbPage) -> usize,
    ) -> Result<(), LmdbError> {
        loop {
            self.loaded += 1;
            if self.loaded > self.store.len() / self.meta.page_bytes as u64 {
                let problem = LmdbProblem::damaged("pages are reached in more than one way");
                return Err(self.store.error(Some(number), problem));
            }
            let buffer = self.spare.pop().unwrap_or_default();
            let page = self.load(number, self.levels.len() + 1, buffer)?;
            let index = choose(&page) - 1;
            let node = page.node(index).map_err(|p| self.store.error(Some(number), p))?;
            let child = if let NodeContent::Child(child) = node.1 { Some(child) } else { None };
            self.levels.push(TreeLevel { page, index });
            match child {
                Some(child) => number = child,
                None => return Ok(()),
            }
        }
    }

    fn pop(&mut self) -> bool {
        let level = self.levels.pop();
        level.map(|level| self.spare.push(level.page.into_bytes())).is_some()
    }

    /// Counts `steps` records, or with none compares at the end of a pass.
    fn count(&mut self, steps: u64) -> Result<(), LmdbError> {
        self.passed += steps;
        let announced = self.meta.entries;
        if self.passed > announced || steps == 0 && self.passed < announced {
            let problem = LmdbProblem::Entries { announced, found: self.passed };
            return Err(self.store.error(None, problem));
        }
        Ok(())
    }

    /// Takes the current key, which must be larger than the one before.
    fn check_order(&mut self) -> Result<(), LmdbError> {
        let level = self.levels.last().expect("a record is current");
        let number = level.page.number;
        let (key, _) =
            level.page.node(level.index).map_err(|p| self.store.error(Some(number), p))?;
        if self.passed > 1 && !self.last_key.is_empty() && key <= self.last_key.as_slice() {
            return Err(self
                .store
                .error(Some(number), LmdbProblem::damaged("keys are not in order")));
        }
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        Ok(())
    }
}
