//! Which diffs share memory: a diff is dead once its maker has run backward.
//!
//! Backward is walked once. Diffs that are the same values by nature become one group (the bottoms
//! of an Eltwise sum and its top; a Split's bottom and the first diff it adds up); groups whose
//! lifetimes do not overlap share buffers, the smallest that fits.

use layers::{BottomDiffs, TopMemory};

use crate::ids::{BlobId, IdVec, ListId};
use crate::placed::{PlacedBlob, PlacedLayer, Placement};

/// Assigns every blob's diff to a buffer; also the buffers' sizes. Diffs of `kept` blobs, and those
/// read without having been written, get buffers of their own.
pub(crate) fn share(mut placement: Placement, kept: &[BlobId]) -> (Placement, Vec<usize>) {
    let Placement { layers, blobs } = &mut placement;
    let mut groups = DiffGroups::new(layers, blobs, kept);
    share_sums(layers, blobs, &mut groups);
    share_splits(layers, blobs, &mut groups);
    let sizes = groups.assign(blobs);
    (placement, sizes)
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
    of: IdVec<BlobId, usize>,
    /// For each group its lifetime; `None` when backward never touches it.
    lifetimes: Vec<Option<DiffLifetime>>,
    /// Whether a group has its buffer for itself.
    alone: Vec<bool>,
}

impl DiffGroups {
    fn new(layers: &[PlacedLayer], blobs: &IdVec<BlobId, PlacedBlob>, kept: &[BlobId]) -> Self {
        let of: Vec<_> = blobs.iter().map(|blob| blob.diff).collect();
        let (lifetimes, alone) = (vec![None; of.len()], vec![false; of.len()]);
        let mut groups = Self { lifetimes, alone, of: of.into() };
        for (index, layer) in layers.iter().enumerate().filter(|(_, layer)| layer.backward) {
            // A Split looks only at diffs that were written.
            let split = layer.traits.tops == TopMemory::BottomData;
            let tops = layer.tops.iter().filter(|&&top| !split || blobs[top].live);
            for blob in layer.wanted_diffs().chain(tops.copied()) {
                let lifetime = &mut groups.lifetimes[groups.of[blob]];
                let (first, last) = lifetime.map_or((index, index), |l| (l.first, l.last));
                *lifetime = Some(DiffLifetime { first: first.max(index), last: last.min(index) });
            }
            for &top in layer.tops.iter().filter(|&&top| !split && !blobs[top].live) {
                groups.alone[groups.of[top]] = true;
            }
        }
        for &blob in kept {
            groups.alone[groups.of[blob]] = true;
        }
        for (&top, _) in (layers.iter())
            .flat_map(|layer| layer.tops.iter().zip(&layer.loss_weights))
            .filter(|(_, weight)| **weight != 0.0)
        {
            groups.alone[groups.of[top]] = true;
        }
        groups
    }

    /// Makes two groups one.
    fn unite(&mut self, a: usize, b: usize) {
        self.of.iter_mut().filter(|of| **of == b).for_each(|of| *of = a);
        if let (Some(x), Some(y)) = (self.lifetimes[a], self.lifetimes[b]) {
            let (first, last) = (x.first.max(y.first), x.last.min(y.last));
            self.lifetimes[a] = Some(DiffLifetime { first, last });
        }
    }

    /// Buffers for all groups, first come first served.
    fn assign(&self, blobs: &mut IdVec<BlobId, PlacedBlob>) -> Vec<usize> {
        let mut sizes = vec![0; self.alone.len()];
        for (blob, &group) in blobs.iter().zip(self.of.iter()) {
            sizes[group] = sizes[group].max(blob.extent());
        }
        let mut order: Vec<usize> =
            blobs.ids().filter(|&id| self.of[id] == id.index()).map(ListId::index).collect();
        order.sort_by_key(|&group| std::cmp::Reverse(self.lifetimes[group].map(|l| l.first)));
        let mut buffers = vec![DiffBuffer { len: 0, busy_to: None }]; // for what is never touched
        let mut buffer_of = vec![0; sizes.len()];
        for group in order {
            let len = sizes[group];
            buffer_of[group] = match self.lifetimes[group] {
                None if !self.alone[group] => 0,
                Some(lifetime) if !self.alone[group] => take(&mut buffers, lifetime, len),
                _ => {
                    buffers.push(DiffBuffer { len, busy_to: None });
                    buffers.len() - 1
                }
            };
        }
        for (blob, &group) in blobs.iter_mut().zip(self.of.iter()) {
            blob.diff = buffer_of[group];
        }
        buffers.into_iter().map(|buffer| buffer.len).collect()
    }
}

struct DiffBuffer {
    len: usize,
    /// The last layer that uses it so far; `None` for a buffer that is not shared.
    busy_to: Option<usize>,
}

/// A buffer that is free when `lifetime` begins: the smallest that is large enough, else the
/// largest.
fn take(buffers: &mut Vec<DiffBuffer>, lifetime: DiffLifetime, len: usize) -> usize {
    let free = |buffer: &DiffBuffer| buffer.busy_to.is_some_and(|layer| layer > lifetime.first);
    let candidates = || buffers.iter().enumerate().filter(|(_, buffer)| free(buffer));
    let fits = candidates().filter(|(_, b)| b.len >= len).min_by_key(|(_, b)| b.len);
    let found = fits.or_else(|| candidates().max_by_key(|(_, b)| b.len)).map(|(index, _)| index);
    let index = found.unwrap_or_else(|| {
        buffers.push(DiffBuffer { len, busy_to: None });
        buffers.len() - 1
    });
    buffers[index].len = buffers[index].len.max(len);
    buffers[index].busy_to = Some(lifetime.last);
    index
}

/// A sum's bottoms take the top's memory, if nobody changes what is there for one of them.
fn share_sums(
    layers: &mut [PlacedLayer],
    blobs: &IdVec<BlobId, PlacedBlob>,
    groups: &mut DiffGroups,
) {
    for index in 0..layers.len() {
        let layer = &layers[index];
        if !(layer.backward && layer.traits.bottom_diffs == BottomDiffs::CopyOfTop) {
            continue;
        }
        let top = groups.of[layer.tops[0]];
        let wanted: Vec<usize> = layer.wanted_diffs().map(|bottom| groups.of[bottom]).collect();
        let free = |&group: &usize| {
            !groups.alone[group] && group != top && !changed(layers, groups, group)
        };
        if blobs[layer.tops[0]].live && !groups.alone[top] && wanted.iter().all(free) {
            wanted.into_iter().for_each(|bottom| groups.unite(top, bottom));
            layers[index].shares_diff = true;
        }
    }
}

/// Whether some layer changes a diff of this group in place.
fn changed(layers: &[PlacedLayer], groups: &DiffGroups, group: usize) -> bool {
    layers.iter().filter(|layer| layer.backward && !layer.idle).any(|layer| {
        let top = layer.tops.first().is_some_and(|&top| groups.of[top] == group);
        top && (layer.in_place || layer.unmasked)
    })
}

/// A Split adds up in the memory of the first diff that it adds, if that is nobody else's
/// afterwards.
fn share_splits(
    layers: &[PlacedLayer],
    blobs: &IdVec<BlobId, PlacedBlob>,
    groups: &mut DiffGroups,
) {
    for (index, layer) in layers.iter().enumerate().rev() {
        let split = layer.traits.tops == TopMemory::BottomData;
        let first = layer.tops.iter().copied().find(|&top| blobs[top].live);
        let adds = split && layer.backward && layer.propagate[0];
        let Some(first) = first.filter(|_| adds) else { continue };
        let [to, from] = [layer.bottoms[0], first].map(|blob| groups.of[blob]);
        let ends_here = groups.lifetimes[from].is_some_and(|lifetime| lifetime.last == index);
        if to != from && ends_here && !groups.alone[from] && !groups.alone[to] {
            groups.unite(to, from);
        }
    }
}
