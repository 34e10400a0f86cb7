//! One branch or leaf page, with every offset checked when a node is asked for.
//!
//! ```text
//! 0        8    10     12     14     16
//! | number | pad | flags | lower | upper | offset 0 | offset 1 | … free … | nodes |
//!                            |       `--------------------------------------^
//!                            `------------------------------- end of the offsets
//! node: 4 bytes value length (branch: low half of the child), 2 flags (branch: high half),
//!       2 key length, key, value
//! ```

use super::LmdbProblem;

/// Bytes before a page's content.
pub(super) const HEADER_BYTES: usize = 16;

const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
pub(super) const OVERFLOW: u16 = 0x04;
/// Flags of pages that belong to duplicate keys.
const DUPLICATES: u16 = 0x60;

/// The value is on overflow pages.
const BIG_VALUE: u16 = 0x01;
/// The value is another database, or a list of duplicates.
const SUB_DATABASE: u16 = 0x06;

/// A tree page whose header holds.
#[derive(Debug)]
pub(super) struct LmdbPage {
    pub(super) number: u64,
    bytes: Vec<u8>,
    leaf: bool,
    nodes: usize,
    /// Nodes lie from here to the end.
    upper: usize,
}

/// What a node holds for its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeContent<'a> {
    Child(u64),
    Value(&'a [u8]),
    Overflow { page: u64, len: usize },
}

impl LmdbPage {
    /// Checks the header of page `number`.
    pub(super) fn new(number: u64, bytes: Vec<u8>) -> Result<Self, LmdbProblem> {
        let flags = u16_at(&bytes, 10);
        let (lower, upper) = (usize::from(u16_at(&bytes, 12)), usize::from(u16_at(&bytes, 14)));
        if u64_at(&bytes, 0) != number {
            return Err(LmdbProblem::damaged("the page carries another number"));
        }
        if flags & DUPLICATES != 0 {
            return Err(LmdbProblem::Unsupported { what: "duplicate keys" });
        }
        if !matches!(flags & 0x0f, BRANCH | LEAF) {
            return Err(LmdbProblem::damaged("neither a branch nor a leaf"));
        }
        // A page of 65536 bytes stores its upper end as 0 when it has no nodes; such a page is in
        // no tree.
        let in_order = HEADER_BYTES <= lower && lower <= upper && upper <= bytes.len();
        if !in_order || !lower.is_multiple_of(2) || lower == HEADER_BYTES {
            return Err(LmdbProblem::damaged("the space for nodes is not within the page"));
        }
        let nodes = (lower - HEADER_BYTES) / 2;
        Ok(Self { number, bytes, leaf: flags & LEAF != 0, nodes, upper })
    }

    pub(super) fn is_leaf(&self) -> bool {
        self.leaf
    }

    /// At least 1.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// All bytes of the page.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the buffer back for the next page.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Key and content of node `index`, which is below [`nodes`](Self::nodes).
    pub(super) fn node(&self, index: usize) -> Result<(&[u8], NodeContent<'_>), LmdbProblem> {
        let outside = || LmdbProblem::damaged("a node is not within the page");
        let start = usize::from(u16_at(&self.bytes, HEADER_BYTES + 2 * index));
        let node = self.bytes.get(start..).filter(|node| start >= self.upper && node.len() >= 8);
        let (header, rest) = node.ok_or_else(outside)?.split_at(8);
        let (low, flags) = (u32_at(header, 0), u16_at(header, 4));
        let (key, rest) =
            rest.split_at_checked(usize::from(u16_at(header, 6))).ok_or_else(outside)?;
        if !self.leaf {
            return Ok((key, NodeContent::Child(u64::from(low) | u64::from(flags) << 32)));
        }
        if flags & SUB_DATABASE != 0 {
            return Err(LmdbProblem::Unsupported { what: "named databases" });
        }
        let len = low as usize;
        if flags & BIG_VALUE == 0 {
            return Ok((key, NodeContent::Value(rest.get(..len).ok_or_else(outside)?)));
        }
        let page = rest.first_chunk().ok_or_else(outside)?;
        Ok((key, NodeContent::Overflow { page: u64::from_le_bytes(*page), len }))
    }

    /// The node whose subtree holds `key`, or in a leaf the node that is `key` if there is one.
    pub(super) fn find(&self, key: &[u8]) -> Result<Option<usize>, LmdbProblem> {
        // A branch's first key is not stored: everything smaller than the second goes there.
        let (mut low, mut high) = (usize::from(!self.leaf), self.nodes);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.node(middle)?.0.cmp(key) {
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(if self.leaf { None } else { Some(low - 1) })
    }
}

/// Little-endian numbers at offsets that the caller has checked.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
