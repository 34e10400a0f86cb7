//! Which diffs share memory: a diff is dead once its maker has run backward.
//!
//! Backward is walked once. Diffs that are the same values by nature become one group (the bottoms of
//! an Eltwise sum and its top; a Split's bottom and the first diff it adds up); groups whose times do
//! not overlap share buffers, the smallest that fits.

use layers::{BottomDiffs, TopMemory};

use crate::{Blob, Node};

/// Assigns every blob's diff to a buffer and returns the buffers' sizes. Diffs of `kept` blobs, and
/// those read without having been written, get buffers of their own.
pub(crate) fn share(nodes: &mut [Node], blobs: &mut [Blob], kept: &[usize]) -> Vec<usize> {
    let mut groups = Groups::new(nodes, blobs, kept);
    share_sums(nodes, blobs, &mut groups);
    share_splits(nodes, blobs, &mut groups);
    groups.assign(blobs)
}

/// The time of a diff: indices of the first node that touches it in backward (the highest) and the last.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    last: usize,
}

struct Groups {
    /// For each blob its group: the index of one of its blobs.
    of: Vec<usize>,
    /// For each group its time; `None` when backward never touches it.
    spans: Vec<Option<Span>>,
    /// Whether a group has its buffer for itself.
    alone: Vec<bool>,
}

impl Groups {
    fn new(nodes: &[Node], blobs: &[Blob], kept: &[usize]) -> Self {
        let of: Vec<_> = blobs.iter().map(|blob| blob.diff).collect();
        let mut groups = Self { spans: vec![None; of.len()], alone: vec![false; of.len()], of };
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.backward) {
            let bottoms = node.bottoms.iter().zip(&node.propagate).filter(|(_, wanted)| **wanted);
            // A Split looks only at diffs that were written.
            let split = node.traits.tops == TopMemory::BottomData;
            let tops = node.tops.iter().filter(|&&top| !split || blobs[top].live);
            for &blob in bottoms.map(|(blob, _)| blob).chain(tops) {
                let span = &mut groups.spans[groups.of[blob]];
                let Span { first, last } = span.unwrap_or(Span { first: index, last: index });
                *span = Some(Span { first: first.max(index), last: last.min(index) });
            }
            for &top in node.tops.iter().filter(|&&top| !split && !blobs[top].live) {
                groups.alone[groups.of[top]] = true;
            }
        }
        for &blob in kept {
            groups.alone[groups.of[blob]] = true;
        }
        for (&top, _) in (nodes.iter())
            .flat_map(|node| node.tops.iter().zip(&node.loss_weights))
            .filter(|(_, weight)| **weight != 0.0)
        {
            groups.alone[groups.of[top]] = true;
        }
        groups
    }

    /// Makes two groups one.
    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of[a], self.of[b]);
        self.of.iter_mut().filter(|of| **of == b).for_each(|of| *of = a);
        if let (Some(x), Some(y)) = (self.spans[a], self.spans[b]) {
            let span = Span { first: x.first.max(y.first), last: x.last.min(y.last) };
            self.spans[a] = Some(span);
        }
    }

    /// Buffers for all groups, first come first served.
    fn assign(&self, blobs: &mut [Blob]) -> Vec<usize> {
        let mut sizes = vec![0; blobs.len()];
        for (blob, &group) in blobs.iter().zip(&self.of) {
            sizes[group] = sizes[group].max(blob.extent());
        }
        let mut order: Vec<usize> =
            (0..blobs.len()).filter(|&group| self.of[group] == group).collect();
        order.sort_by_key(|&group| std::cmp::Reverse(self.spans[group].map(|span| span.first)));
        let mut buffers = vec![Buffer { len: 0, busy_to: None }]; // for what is never touched
        let mut buffer_of = vec![0; blobs.len()];
        for group in order {
            let len = sizes[group];
            buffer_of[group] = match self.spans[group] {
                None if !self.alone[group] => 0,
                Some(span) if !self.alone[group] => take(&mut buffers, span, len),
                _ => {
                    buffers.push(Buffer { len, busy_to: None });
                    buffers.len() - 1
                }
            };
        }
        for (blob, &group) in blobs.iter_mut().zip(&self.of) {
            blob.diff = buffer_of[group];
        }
        buffers.into_iter().map(|buffer| buffer.len).collect()
    }
}

struct Buffer {
    len: usize,
    /// The last node that uses it so far; `None` for a buffer that is not shared.
    busy_to: Option<usize>,
}

/// A buffer that is free when `span` begins: the smallest that is large enough, else the largest.
fn take(buffers: &mut Vec<Buffer>, span: Span, len: usize) -> usize {
    let free = |buffer: &Buffer| buffer.busy_to.is_some_and(|node| node > span.first);
    let candidates = || buffers.iter().enumerate().filter(|(_, buffer)| free(buffer));
    let fits = candidates().filter(|(_, b)| b.len >= len).min_by_key(|(_, b)| b.len);
    let found = fits.or_else(|| candidates().max_by_key(|(_, b)| b.len)).map(|(index, _)| index);
    let index = found.unwrap_or_else(|| {
        buffers.push(Buffer { len, busy_to: None });
        buffers.len() - 1
    });
    buffers[index].len = buffers[index].len.max(len);
    buffers[index].busy_to = Some(span.last);
    index
}

/// A sum's bottoms take the top's memory, if nobody changes what lies there for one of them.
fn share_sums(nodes: &mut [Node], blobs: &[Blob], groups: &mut Groups) {
    for index in 0..nodes.len() {
        let node = &nodes[index];
        let wanted: Vec<usize> = (node.bottoms.iter().zip(&node.propagate))
            .filter_map(|(&bottom, &wanted)| wanted.then_some(bottom))
            .collect();
        let may = node.backward
            && node.traits.bottom_diffs == BottomDiffs::CopyOfTop
            && blobs[node.tops[0]].live
            && !groups.alone[groups.of[node.tops[0]]]
            && wanted.iter().all(|&bottom| {
                let group = groups.of[bottom];
                !groups.alone[group]
                    && group != groups.of[node.tops[0]]
                    && !changed(nodes, groups, group)
            });
        if may {
            let top = node.tops[0];
            wanted.into_iter().for_each(|bottom| groups.unite(top, bottom));
            nodes[index].shares_diff = true;
        }
    }
}

/// Whether some layer changes a diff of this group in place.
fn changed(nodes: &[Node], groups: &Groups, group: usize) -> bool {
    nodes.iter().filter(|node| node.backward && !node.idle).any(|node| {
        let top = node.tops.first().is_some_and(|&top| groups.of[top] == group);
        top && (node.in_place || node.unmasked)
    })
}

/// A Split adds up in the memory of the first diff that it adds, if that is nobody else's afterwards.
fn share_splits(nodes: &[Node], blobs: &[Blob], groups: &mut Groups) {
    for (index, node) in nodes.iter().enumerate().rev() {
        let split = node.traits.tops == TopMemory::BottomData && node.backward && node.propagate[0];
        let first = node.tops.iter().copied().find(|&top| blobs[top].live);
        let (true, Some(first)) = (split, first) else { continue };
        let [to, from] = [node.bottoms[0], first].map(|blob| groups.of[blob]);
        let ends_here = groups.spans[from].is_some_and(|span| span.last == index);
        if to != from && ends_here && !groups.alone[from] && !groups.alone[to] {
            groups.unite(to, from);
        }
    }
}
