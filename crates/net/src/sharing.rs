//! Which diffs share memory: a diff is dead once its maker has run backward.
//!
//! Backward is walked once. Diffs that are the same values by nature become one group (the bottoms
//! of an Eltwise sum and its top; a Split's bottom and the first diff it adds up); groups whose
//! lifetimes do not overlap share buffers, the smallest that fits.

use std::collections::BTreeSet;

use layers::{BottomDiffs, TopMemory};

use crate::blob_memory::BufferSize;
use crate::ids::{BlobId, IdVec, ListId};
use crate::placed::{DiffFlow, PlacedBlob};

/// Which buffer each diff has.
pub(crate) struct SharedDiffs {
    /// For each blob its diff's buffer; `None` where backward never touches the diff.
    pub(crate) buffers: IdVec<BlobId, Option<usize>>,
    /// Size of each buffer.
    pub(crate) sizes: Vec<BufferSize>,
    /// Layers whose bottoms' diffs are their top's memory.
    pub(crate) sums: BTreeSet<usize>,
}

/// Assigns every blob's diff to a buffer. Diffs with the same number in `own` are the same memory.
/// Those of `kept` blobs, and those read without having been written, get buffers of their own.
pub(crate) fn share(flow: DiffFlow<'_>, own: IdVec<BlobId, usize>, kept: &[BlobId]) -> SharedDiffs {
    let mut groups = DiffGroups::new(flow, own, kept);
    let sums = share_sums(flow, &mut groups);
    share_splits(flow, &mut groups);
    let (buffers, sizes) = groups.assign(flow.blobs);
    SharedDiffs { buffers, sizes, sums }
}

/// The lifetime of a diff: indices of the first layer that touches it in backward (the highest) and
/// of the last.
#[derive(Clone, Copy)]
struct DiffLifetime {
    first: usize,
    last: usize,
}

struct DiffGroups {
    /// For each blob its group: the index of one of its blobs.
    group: IdVec<BlobId, usize>,
    /// For each group its lifetime; `None` when backward never touches it.
    lifetimes: Vec<Option<DiffLifetime>>,
    /// Whether a group has its buffer for itself.
    alone: Vec<bool>,
}

impl DiffGroups {
    fn new(flow: DiffFlow<'_>, own: IdVec<BlobId, usize>, kept: &[BlobId]) -> Self {
        let DiffFlow { layers, live, .. } = flow;
        let blobs = own.iter().len();
        let mut groups =
            Self { lifetimes: vec![None; blobs], alone: vec![false; blobs], group: own };
        for (index, layer) in layers.iter().enumerate().filter(|(_, layer)| layer.backward) {
            // A Split looks only at diffs that were written.
            let split = layer.traits.tops == TopMemory::BottomData;
            let tops = layer.tops.iter().filter(|&&top| !split || live[top]);
            for blob in layer.wanted_diffs().chain(tops.copied()) {
                let lifetime = &mut groups.lifetimes[groups.group[blob]];
                let (first, last) = lifetime.map_or((index, index), |l| (l.first, l.last));
                *lifetime = Some(DiffLifetime { first: first.max(index), last: last.min(index) });
            }
            for &top in layer.tops.iter().filter(|&&top| !split && !live[top]) {
                groups.alone[groups.group[top]] = true;
            }
        }
        for &blob in kept {
            groups.alone[groups.group[blob]] = true;
        }
        for (&top, _) in (layers.iter())
            .flat_map(|layer| layer.tops.iter().zip(&layer.loss_weights))
            .filter(|(_, weight)| **weight != 0.0)
        {
            groups.alone[groups.group[top]] = true;
        }
        groups
    }

    /// Makes two groups one.
    fn unite(&mut self, a: usize, b: usize) {
        self.group.iter_mut().filter(|group| **group == b).for_each(|group| *group = a);
        if let (Some(x), Some(y)) = (self.lifetimes[a], self.lifetimes[b]) {
            let (first, last) = (x.first.max(y.first), x.last.min(y.last));
            self.lifetimes[a] = Some(DiffLifetime { first, last });
        }
    }

    /// Buffers for all groups, first come first served, and their sizes.
    fn assign(
        &self,
        blobs: &IdVec<BlobId, PlacedBlob>,
    ) -> (IdVec<BlobId, Option<usize>>, Vec<BufferSize>) {
        let mut sizes = vec![BufferSize::default(); self.alone.len()];
        for (blob, &group) in blobs.iter().zip(self.group.iter()) {
            let values = sizes[group].values.max(blob.extent());
            sizes[group] = BufferSize { values, format: blob.format };
        }
        let mut order: Vec<usize> =
            blobs.ids().filter(|&id| self.group[id] == id.index()).map(ListId::index).collect();
        order.sort_by_key(|&group| std::cmp::Reverse(self.lifetimes[group].map(|l| l.first)));
        let mut buffers = Vec::new();
        let mut buffer_of = vec![None; sizes.len()];
        for group in order {
            let size = sizes[group];
            buffer_of[group] = match self.lifetimes[group] {
                None if !self.alone[group] => None,
                Some(lifetime) if !self.alone[group] => Some(take(&mut buffers, lifetime, size)),
                _ => {
                    buffers.push(DiffBuffer { size, busy_to: None });
                    Some(buffers.len() - 1)
                }
            };
        }
        let mut of_blob = IdVec::like(blobs, None);
        for id in blobs.ids() {
            of_blob[id] = buffer_of[self.group[id]];
        }
        (of_blob, buffers.into_iter().map(|buffer| buffer.size).collect())
    }
}

struct DiffBuffer {
    size: BufferSize,
    /// The last layer that uses it so far; `None` for a buffer that is not shared.
    busy_to: Option<usize>,
}

/// A buffer of the same format that is free when `lifetime` begins: the smallest that is large
/// enough, else the largest.
fn take(buffers: &mut Vec<DiffBuffer>, lifetime: DiffLifetime, size: BufferSize) -> usize {
    let free = |buffer: &DiffBuffer| {
        let format = buffer.size.format == size.format;
        format && buffer.busy_to.is_some_and(|layer| layer > lifetime.first)
    };
    let candidates = || buffers.iter().enumerate().filter(|(_, buffer)| free(buffer));
    let values = |(_, buffer): &(usize, &DiffBuffer)| buffer.size.values;
    let fits = candidates().filter(|found| values(found) >= size.values).min_by_key(values);
    let found = fits.or_else(|| candidates().max_by_key(values)).map(|(index, _)| index);
    let index = found.unwrap_or_else(|| {
        buffers.push(DiffBuffer { size, busy_to: None });
        buffers.len() - 1
    });
    let held = &mut buffers[index].size;
    held.values = held.values.max(size.values);
    buffers[index].busy_to = Some(lifetime.last);
    index
}

/// A sum's bottoms take the top's memory, if nobody changes what is there for one of them; which
/// layers these are.
fn share_sums(flow: DiffFlow<'_>, groups: &mut DiffGroups) -> BTreeSet<usize> {
    let mut sums = BTreeSet::new();
    for (index, layer) in flow.layers.iter().enumerate() {
        if !(layer.backward && layer.traits.bottom_diffs == BottomDiffs::CopyOfTop) {
            continue;
        }
        let top = groups.group[layer.tops[0]];
        let wanted: Vec<usize> = layer.wanted_diffs().map(|bottom| groups.group[bottom]).collect();
        let free =
            |&group: &usize| !groups.alone[group] && group != top && !changed(flow, groups, group);
        let format = flow.blobs[layer.tops[0]].format;
        let alike = layer.wanted_diffs().all(|bottom| flow.blobs[bottom].format == format);
        if alike && flow.live[layer.tops[0]] && !groups.alone[top] && wanted.iter().all(free) {
            wanted.into_iter().for_each(|bottom| groups.unite(top, bottom));
            sums.insert(index);
        }
    }
    sums
}

/// Whether some layer changes a diff of this group in place.
fn changed(flow: DiffFlow<'_>, groups: &DiffGroups, group: usize) -> bool {
    let mut running = flow.layers.iter().enumerate().filter(|(_, l)| l.backward && l.runs());
    running.any(|(index, layer)| {
        let top = layer.tops.first().is_some_and(|&top| groups.group[top] == group);
        top && (layer.in_place || flow.masks.is_unmasked(index))
    })
}

/// A Split adds up in the memory of the first diff that it adds, if that is nobody else's
/// afterwards.
fn share_splits(flow: DiffFlow<'_>, groups: &mut DiffGroups) {
    for (index, layer) in flow.layers.iter().enumerate().rev() {
        let split = layer.traits.tops == TopMemory::BottomData;
        let first = layer.tops.iter().copied().find(|&top| flow.live[top]);
        let adds = split && layer.backward && layer.propagate[0];
        let Some(first) = first.filter(|_| adds) else { continue };
        let [to, from] = [layer.bottoms[0], first].map(|blob| groups.group[blob]);
        let ends_here = groups.lifetimes[from].is_some_and(|lifetime| lifetime.last == index);
        if to != from && ends_here && !groups.alone[from] && !groups.alone[to] {
            groups.unite(to, from);
        }
    }
}
