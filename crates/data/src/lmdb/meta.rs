//! The meta pages: page size, where the tree starts and how many records it holds.

use super::{
    LmdbError, LmdbProblem,
    page::{HEADER_BYTES, u16_at, u32_at, u64_at},
    store::LmdbStore,
};

const MAGIC: u32 = 0xbeef_c0de;
const VERSION: u32 = 1;
/// Flag of a meta page.
const META: u16 = 0x08;
/// Header and meta data; the rest of the page is unused.
const META_BYTES: usize = HEADER_BYTES + 136;
/// Deepest tree the C library can walk.
const DEPTH_MAX: u16 = 32;
/// What the root is when there are no records.
const NO_PAGE: u64 = u64::MAX;
/// Which database flags are stored in the file; the bit above them is the library's own.
const DATABASE_FLAGS: u16 = 0x7fff;

/// What the reader must know about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LmdbMeta {
    pub(super) page_bytes: usize,
    /// `None` when there are no records.
    pub(super) root: Option<u64>,
    /// Levels of the tree, 0 when there are no records.
    pub(super) depth: usize,
    pub(super) entries: u64,
    transaction: u64,
    last_page: u64,
}

impl LmdbMeta {
    /// Reads both meta pages and takes the newer.
    pub(super) fn read(store: &LmdbStore) -> Result<Self, LmdbError> {
        let mut bytes = Vec::new();
        let mut meta_at = |page: u64, start: u64| {
            bytes.clear();
            store
                .read(start, META_BYTES, &mut bytes)
                .and_then(|()| Self::parse(page, &bytes))
                .map_err(|problem| store.error(Some(page), problem))
        };
        let first = meta_at(0, 0)?;
        let second = meta_at(1, first.page_bytes as u64)?;
        if first.page_bytes != second.page_bytes {
            let problem = LmdbProblem::damaged("the two meta pages disagree about the page size");
            return Err(store.error(Some(1), problem));
        }
        // Transaction t is written to page t mod 2, so the two follow one another (a fresh file has
        // two zeros), and files never shrink. A damaged number would bring back an older state.
        let (even, odd) = (first.transaction, second.transaction);
        let fresh = even == 0 && odd == 0;
        let (newer, older) = if even > odd { (first, second) } else { (second, first) };
        let successive = even.is_multiple_of(2) && even.abs_diff(odd) == 1;
        if !fresh && !successive || newer.last_page < older.last_page {
            let problem =
                LmdbProblem::damaged("the two meta pages are not of successive transactions");
            return Err(store.error(None, problem));
        }
        Ok(newer)
    }

    fn parse(page: u64, bytes: &[u8]) -> Result<Self, LmdbProblem> {
        let meta = &bytes[HEADER_BYTES..];
        if u32_at(meta, 0) != MAGIC || u32_at(meta, 4) & 0xff != VERSION {
            return Err(LmdbProblem::NotLmdb);
        }
        if u64_at(bytes, 0) != page || u16_at(bytes, 10) & META == 0 {
            return Err(LmdbProblem::damaged("the header is not that of a meta page"));
        }
        let (free, main) = (&meta[24..72], &meta[72..120]);
        let page_bytes = u32_at(free, 0);
        if !page_bytes.is_power_of_two() || !(512..=65536).contains(&page_bytes) {
            return Err(LmdbProblem::PageSize { size: page_bytes });
        }
        let (flags, depth) = (u16_at(main, 4) & DATABASE_FLAGS, u16_at(main, 6));
        if flags != 0 {
            return Err(LmdbProblem::Unsupported { what: "duplicate, reversed or integer keys" });
        }
        let (entries, root) = (u64_at(main, 32), u64_at(main, 40));
        let root = (root != NO_PAGE).then_some(root);
        if depth > DEPTH_MAX || root.is_none() != (depth == 0) || root.is_none() != (entries == 0) {
            return Err(LmdbProblem::damaged(
                "root, depth and number of records do not fit together",
            ));
        }
        Ok(Self {
            page_bytes: page_bytes as usize,
            root,
            depth: usize::from(depth),
            entries,
            transaction: u64_at(meta, 128),
            last_page: u64_at(meta, 120),
        })
    }
}
