//! Which values share two reconstruction values, and which rank owns them.
//!
//! The columns of a bucket, one after another, are divided among the ranks that own them in the
//! sum. A block is what travels to or from one owner:
//!
//! ```text
//!   columns   |    0    |    1    |    2    |    3    |    4    |
//!   owners    |      rank 0     |    rank 1     |    rank 2     |
//!   groups    |    0    |   1   |2|    3    | 4 |  5  |    6    |   a column across a border is two
//!
//!   block     [ two values per group | bits of group 0, 32 per word | bits of group 1 | .. ]
//! ```

use super::super::CompressionSetup;
use super::super::blocks::WORD_BYTES;
use std::ops::Range;

/// Values per word of bits.
pub(super) const WORD_BITS: usize = 32;

/// Values of one output that share two reconstruction values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnGroup {
    /// Where they are in the pool.
    pub(super) range: Range<usize>,
    /// Their words in the block, counted behind the reconstruction values.
    pub(super) words: Range<usize>,
}

/// What one rank owns of a bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OwnedColumns {
    pub(super) groups: Vec<ColumnGroup>,
    /// Number of values in them.
    pub(super) values: usize,
    words: usize,
}

impl OwnedColumns {
    /// Bytes of its block.
    pub(super) fn block_bytes(&self) -> usize {
        (2 * self.groups.len() + self.words) * WORD_BYTES
    }

    /// Bytes of reconstruction values at the start of the block.
    pub(super) fn means_bytes(&self) -> usize {
        2 * self.groups.len() * WORD_BYTES
    }

    fn push(&mut self, range: Range<usize>) {
        let words = self.words..self.words + range.len().div_ceil(WORD_BITS);
        self.values += range.len();
        self.words = words.end;
        self.groups.push(ColumnGroup { range, words });
    }
}

/// The params of one bucket.
#[derive(Debug, Default)]
pub(super) struct BucketColumns {
    /// Per rank.
    pub(super) owners: Vec<OwnedColumns>,
    /// Vectors, and matrices with such short columns that two values each would not pay.
    pub(super) dense: Vec<Range<usize>>,
}

impl BucketColumns {
    pub(super) fn new(setup: &CompressionSetup, bucket: usize) -> Self {
        let mut columns = Vec::new();
        let mut dense = Vec::new();
        for param in setup.params_of(bucket) {
            let coded = (2 + param.columns.div_ceil(WORD_BITS)) * WORD_BYTES;
            if param.is_vector() || coded >= param.columns * size_of::<f32>() {
                dense.push(param.range.clone());
                continue;
            }
            let starts = param.range.clone().step_by(param.columns);
            columns.extend(starts.map(|start| start..start + param.columns));
        }
        Self { owners: divide(&columns, setup.rank.world()), dense }
    }

    /// Number of values that travel as bits.
    pub(super) fn coded_values(&self) -> usize {
        self.owners.iter().map(|owner| owner.values).sum()
    }

    /// Bytes of every rank's block.
    pub(super) fn block_lens(&self) -> Vec<usize> {
        self.owners.iter().map(OwnedColumns::block_bytes).collect()
    }
}

/// Divides columns among `world` owners: each gets about as many values, in whole words.
fn divide(columns: &[Range<usize>], world: usize) -> Vec<OwnedColumns> {
    let total: usize = columns.iter().map(Range::len).sum();
    let mut owners = vec![OwnedColumns::default(); world];
    let (mut owner, mut before) = (0, 0);
    for column in columns {
        let mut rest = column.clone();
        while !rest.is_empty() {
            let end = base::chunk(total, world, owner).end;
            // Whole words up to the border; a word across it belongs to the next owner.
            let fits = end.saturating_sub(before) / WORD_BITS * WORD_BITS;
            let is_last = owner + 1 == world;
            let len = if is_last || end - before >= rest.len() { rest.len() } else { fits };
            if len == 0 {
                owner += 1;
                continue;
            }
            owners[owner].push(rest.start..rest.start + len);
            rest.start += len;
            before += len;
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::divide;
    use std::ops::Range;

    /// For every small case: all values once, in order, in groups that stay within a column, and
    /// no owner more than a word above its chunk.
    #[test]
    fn owners_tile_the_columns() {
        for world in 1..=9 {
            for lens in [&[5, 40, 7, 64][..], &[200], &[33; 20], &[4; 100], &[]] {
                let mut columns: Vec<Range<usize>> = Vec::new();
                let mut at = 10; // columns need not begin at 0, nor touch each other
                for &len in lens {
                    columns.push(at..at + len);
                    at += len + 3;
                }
                let owners = divide(&columns, world);
                let groups = owners.iter().flat_map(|owner| &owner.groups);
                let tiled: Vec<usize> = groups.flat_map(|group| group.range.clone()).collect();
                let want: Vec<usize> = columns.iter().cloned().flatten().collect();
                assert_eq!(tiled, want, "{world} owners of {lens:?}");
                let total = want.len();
                for (rank, owner) in owners.iter().enumerate() {
                    let chunk = base::chunk(total, world, rank).len();
                    assert!(owner.values <= chunk + 32 * (rank + 1), "{world} {lens:?} {rank}");
                    let inside = |group: &Range<usize>| {
                        columns.iter().any(|c| c.start <= group.start && group.end <= c.end)
                    };
                    assert!(owner.groups.iter().all(|group| inside(&group.range)));
                    let words: usize =
                        owner.groups.iter().map(|group| group.range.len().div_ceil(32)).sum();
                    assert_eq!(owner.block_bytes(), 8 * owner.groups.len() + 4 * words);
                }
            }
        }
    }
}
