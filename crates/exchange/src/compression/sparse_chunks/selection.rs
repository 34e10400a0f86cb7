//! Chunks of all params, and the choice of the most important ones.

use super::super::CompressionSetup;
use std::ops::Range;

/// A range of a param that is sent as a whole or not at all.
pub(super) struct ParamChunk {
    /// Where it is in the pool.
    pub(super) range: Range<usize>,
    /// Its number among those that can be selected; `None` if it is always sent.
    pub(super) selectable: Option<usize>,
}

/// All chunks, in the order of the pool.
pub(super) struct ChunkTable {
    pub(super) chunks: Vec<ParamChunk>,
    /// The chunks of each bucket.
    pub(super) of_bucket: Vec<Range<usize>>,
    /// How many can be selected.
    pub(super) selectable: usize,
    /// Values in those.
    pub(super) selectable_values: usize,
    /// Values in the others.
    pub(super) always_sent: usize,
}

impl ChunkTable {
    /// Chunks of `len` values, counted from the start of each param.
    pub(super) fn new(setup: &CompressionSetup, len: usize) -> Self {
        let mut table = Self {
            chunks: Vec::new(),
            of_bucket: Vec::new(),
            selectable: 0,
            selectable_values: 0,
            always_sent: 0,
        };
        for bucket in 0..setup.buckets.len() {
            let first = table.chunks.len();
            for param in setup.params_of(bucket) {
                table.add_param(param.range.clone(), len);
            }
            table.of_bucket.push(first..table.chunks.len());
        }
        table
    }

    fn add_param(&mut self, param: Range<usize>, len: usize) {
        if param.len() < len {
            self.always_sent += param.len();
            self.chunks.push(ParamChunk { range: param, selectable: None });
            return;
        }
        self.selectable_values += param.len();
        for start in param.clone().step_by(len) {
            let range = start..param.end.min(start + len);
            self.chunks.push(ParamChunk { range, selectable: Some(self.selectable) });
            self.selectable += 1;
        }
    }
}

/// Marks the `count` chunks with the largest norms, of equal ones the first.
pub(super) fn select_largest(
    norms: &[f32],
    count: usize,
    order: &mut Vec<u32>,
    is_selected: &mut [bool],
) {
    is_selected.fill(count >= norms.len());
    if count == 0 || count >= norms.len() {
        return;
    }
    order.clear();
    order.extend(0..u32::try_from(norms.len()).expect("chunks have at least 4,096 values"));
    order.select_nth_unstable_by(count - 1, |&a, &b| {
        norms[b as usize].total_cmp(&norms[a as usize]).then(a.cmp(&b))
    });
    for &index in &order[..count] {
        is_selected[index as usize] = true;
    }
}
