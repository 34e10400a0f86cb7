//! Loading pages and long values, each checked against what pointed to it.

use super::super::{
    LmdbError, LmdbProblem,
    page::{HEADER_BYTES, LmdbPage, NodeContent, OVERFLOW, u16_at, u32_at, u64_at},
};
use super::LmdbReader;

impl LmdbReader {
    /// The value stored under `key`, if there is one.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, LmdbError> {
        let Some(mut number) = self.meta.root else { return Ok(None) };
        for depth in 1..=self.meta.depth {
            let page = self.load(number, depth, Vec::new())?;
            let Some(index) = page.find(key).map_err(|p| self.store.error(Some(number), p))? else {
                return Ok(None);
            };
            match page.node(index).map_err(|p| self.store.error(Some(number), p))?.1 {
                NodeContent::Child(child) => number = child,
                _ => {
                    return self
                        .content_of(&page, index, &mut Vec::new())
                        .map(|value| Some(value.to_vec()));
                }
            }
        }
        unreachable!("the page at the last level is a leaf")
    }

    /// Page `number`, read into `buffer`; at this depth of the tree, the root's being 1.
    pub(super) fn load(
        &self,
        number: u64,
        depth: usize,
        mut buffer: Vec<u8>,
    ) -> Result<LmdbPage, LmdbError> {
        let start = number.saturating_mul(self.meta.page_bytes as u64);
        self.store
            .read(start, self.meta.page_bytes, &mut buffer)
            .and_then(|()| LmdbPage::new(number, buffer))
            .and_then(|page| match page.is_leaf() == (depth == self.meta.depth) {
                true => Ok(page),
                false => Err(LmdbProblem::damaged("the tree is not as deep as the meta page says")),
            })
            .map_err(|problem| self.store.error(Some(number), problem))
    }

    /// The value of node `index` of a leaf: lent, or read into `buffer` if it is a long one.
    pub(super) fn content_of<'a>(
        &self,
        page: &'a LmdbPage,
        index: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], LmdbError> {
        let content = page.node(index).map_err(|p| self.store.error(Some(page.number), p))?.1;
        match content {
            NodeContent::Value(bytes) => Ok(bytes),
            NodeContent::Overflow { page, len } => self
                .read_overflow(page, len, buffer)
                .map_err(|problem| self.store.error(Some(page), problem)),
            NodeContent::Child(_) => unreachable!("leaves have no children"),
        }
    }

    /// A long value with the header in front of it, in one read.
    pub(super) fn read_overflow<'a>(
        &self,
        page: u64,
        len: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], LmdbProblem> {
        let start = page.saturating_mul(self.meta.page_bytes as u64);
        self.store.read(start, HEADER_BYTES + len, buffer)?;
        if u64_at(buffer, 0) != page || u16_at(buffer, 10) & OVERFLOW == 0 {
            return Err(LmdbProblem::damaged("not the overflow page that a record points to"));
        }
        let room = u64::from(u32_at(buffer, 12)) * self.meta.page_bytes as u64;
        if (len + HEADER_BYTES) as u64 > room {
            return Err(LmdbProblem::damaged("a value is longer than its overflow pages"));
        }
        Ok(&buffer[HEADER_BYTES..])
    }
}
