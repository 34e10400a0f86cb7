//! Encoding, the owner's sum and decoding of one bucket.

use super::groups::{ColumnGroup, OwnedColumns, WORD_BITS};
use super::quantise::{SignMeans, decode, keep_error, quantise};
use super::{OneBit, OneBitBucket, SUM_BLOCK};
use crate::canonical::{add_assign, tree_sum};
use crate::compression::blocks::{floats, floats_mut, words, words_mut};
use crate::compression::pool::with_range;
use crate::compression::row::RowContext;
use crate::wire;

/// A block in its two parts.
fn split<'a>(owner: &OwnedColumns, block: &'a [u8]) -> (&'a [f32], &'a [u32]) {
    let (means, bits) = block.split_at(owner.means_bytes());
    (floats(means), words(bits))
}

fn split_mut<'a>(owner: &OwnedColumns, block: &'a mut [u8]) -> (&'a mut [f32], &'a mut [u32]) {
    let (means, bits) = block.split_at_mut(owner.means_bytes());
    (floats_mut(means), words_mut(bits))
}

/// Calls `body` with every group of a block, its means and its bits.
pub(super) fn for_groups(
    owner: &OwnedColumns,
    block: &[u8],
    mut body: impl FnMut(&ColumnGroup, SignMeans, &[u32]),
) {
    let (means, bits) = split(owner, block);
    for (group, means) in owner.groups.iter().zip(means.as_chunks::<2>().0) {
        let means = SignMeans { negative: means[0], positive: means[1] };
        body(group, means, &bits[group.words.clone()]);
    }
}

impl OneBit {
    /// Adds the residual to a bucket, writes bits and means, and keeps what they lose.
    pub(super) fn encode(&mut self, index: usize, context: &mut RowContext<'_>) {
        let Self { buckets, residual, vectors, .. } = self;
        let OneBitBucket { range, columns, outgoing, .. } = &mut buckets[index];
        with_range(context.pool, range.clone(), |pool| {
            for dense in &columns.dense {
                vectors
                    .extend_from_slice(&pool[dense.start - range.start..dense.end - range.start]);
            }
            for (owner, block) in columns.owners.iter().zip(outgoing) {
                let (all_means, bits) = split_mut(owner, block);
                for (group, sent) in owner.groups.iter().zip(all_means.as_chunks_mut::<2>().0) {
                    let at = group.range.start - range.start..group.range.end - range.start;
                    let (values, residual) = (&mut pool[at], &mut residual[group.range.clone()]);
                    add_assign(values, residual);
                    let means = quantise(values, &mut bits[group.words.clone()]);
                    if means.is_finite() {
                        keep_error(values, means, residual);
                    }
                    *sent = [means.negative, means.positive];
                }
            }
        });
    }

    /// Sums what all ranks sent of our columns, adds the owner's residual, and writes bits and
    /// means of the sum.
    pub(super) fn sum_owned(&mut self, index: usize) {
        let Self { me, buckets, incoming, gathered, decoded, sums, .. } = self;
        let OneBitBucket { columns, outgoing, owner_residual, owner_next, .. } =
            &mut buckets[index];
        let owner = &columns.owners[*me];
        let (all_means, all_bits) = split_mut(owner, &mut gathered[*me]);
        let sources: Vec<(&[f32], &[u32])> = (0..incoming.len())
            .map(|rank| split(owner, if rank == *me { &outgoing[rank] } else { &incoming[rank] }))
            .collect();
        let mut start = 0;
        for (at, group) in owner.groups.iter().enumerate() {
            let values = start..start + group.range.len();
            start = values.end;
            sums.resize(group.range.len(), 0.0);
            for (block, sums) in sums.chunks_mut(SUM_BLOCK).enumerate() {
                let word = group.words.start + block * SUM_BLOCK / WORD_BITS;
                for (decoded, (means, bits)) in decoded.iter_mut().zip(&sources) {
                    let means = SignMeans { negative: means[2 * at], positive: means[2 * at + 1] };
                    decode(&bits[word..], means, &mut decoded[..sums.len()]);
                }
                tree_sum(wire::F32, decoded, 0, sums);
            }
            add_assign(sums, &owner_residual[values.clone()]);
            let means = quantise(sums, &mut all_bits[group.words.clone()]);
            match means.is_finite() {
                true => keep_error(sums, means, &mut owner_next[values]),
                false => owner_next[values.clone()].copy_from_slice(&owner_residual[values]),
            }
            all_means[2 * at..2 * at + 2].copy_from_slice(&[means.negative, means.positive]);
        }
    }

    /// Writes the sums of all owners to the pool. Returns whether all are finite.
    pub(super) fn decode(&mut self, index: usize, context: &mut RowContext<'_>) -> bool {
        let OneBitBucket { range, columns, .. } = &self.buckets[index];
        let mut is_finite = true;
        with_range(context.pool, range.clone(), |pool| {
            for (owner, block) in columns.owners.iter().zip(&self.gathered) {
                for_groups(owner, block, |group, means, bits| {
                    let at = group.range.start - range.start..group.range.end - range.start;
                    decode(bits, means, &mut pool[at]);
                    is_finite &= means.is_finite();
                });
            }
        });
        is_finite
    }
}
