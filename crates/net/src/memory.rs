//! Assigns buffers: which memory holds each blob's data and diff.

use std::collections::BTreeSet;
use std::fmt;

use base::megabytes;
use layers::{BlobAccess, TopMemory};
use serde::{Deserialize, Serialize};

use crate::blob_memory::{BlobMemory, BufferSize, block_limit, block_values};
use crate::ids::{BlobId, IdVec, ListId, ParamId};
use crate::params::Param;
use crate::placed::{DiffFlow, PlacedBlob, PlacedNet};
use crate::sharing::{self, SharedDiffs};
use crate::{Net, Precision, params};

/// How diffs use memory, and whether layers may run as one: what can be looked at afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPlan {
    /// Every diff has memory of its own and every layer runs by itself, so that all of Caffe's
    /// values can be looked at after every layer.
    KeepDiffs,
    /// For training: layers are fused, and a diff's memory is used again once its maker has run.
    /// Data can be looked at after forward; diffs of outputs only.
    ShareDiffs,
    /// Data only: for nets that never run backward.
    ForwardOnly,
    /// As `ShareDiffs`, without the memory: layers, params and the order of gradients are known,
    /// but only data layers can run. For an emulated run, which waits instead of computing.
    NoBlobs,
}

/// Which memory holds each blob's data and diff.
pub(crate) struct Buffers {
    /// For each blob the buffer of its data.
    pub(crate) data: IdVec<BlobId, usize>,
    /// For each blob the buffer of its diff; `None` where there is none: backward does not touch
    /// it, or the plan keeps no diffs.
    pub(crate) diff: IdVec<BlobId, Option<usize>>,
    /// Size of each buffer of data.
    pub(crate) data_sizes: Vec<BufferSize>,
    /// Size of each buffer of diffs.
    pub(crate) diff_sizes: Vec<BufferSize>,
    /// Layers whose bottoms' diffs are their top's memory, so that they have nothing to write.
    pub(crate) shared_sums: BTreeSet<usize>,
}

/// Gives every blob its buffers; tops that are their bottom's memory share it.
pub(crate) fn assign(flow: DiffFlow<'_>, outputs: &[BlobId], plan: MemoryPlan) -> Buffers {
    let data = own_or_bottoms(flow, TopMemory::is_bottom_data);
    let data_sizes = sizes(flow.blobs, &data);
    let own_diffs = || own_or_bottoms(flow, |memory| memory == TopMemory::BottomDataAndDiff);
    let SharedDiffs { buffers: diff, sizes: diff_sizes, sums: shared_sums } = match plan {
        MemoryPlan::KeepDiffs => {
            let own = own_diffs();
            let sizes = sizes(flow.blobs, &own);
            SharedDiffs { buffers: own.map(Some), sizes, sums: BTreeSet::new() }
        }
        MemoryPlan::ShareDiffs | MemoryPlan::NoBlobs => sharing::share(flow, own_diffs(), outputs),
        MemoryPlan::ForwardOnly => SharedDiffs {
            buffers: IdVec::like(flow.blobs, None),
            sizes: Vec::new(),
            sums: BTreeSet::new(),
        },
    };
    Buffers { data, diff, data_sizes, diff_sizes, shared_sums }
}

/// A buffer for each blob: its own, numbered like it, its Concat's, or that of bottom 0 for tops
/// whose memory `is_bottoms`.
fn own_or_bottoms(
    flow: DiffFlow<'_>,
    is_bottoms: impl Fn(TopMemory) -> bool,
) -> IdVec<BlobId, usize> {
    let mut buffers = IdVec::like(flow.blobs, 0);
    for id in flow.blobs.ids() {
        buffers[id] = flow.blobs[id].branch.map_or(id, |branch| branch.top).index();
    }
    for layer in flow.layers.iter().filter(|layer| is_bottoms(layer.traits.tops)) {
        for &top in &layer.tops {
            buffers[top] = buffers[layer.bottoms[0]];
        }
    }
    buffers
}

/// One buffer per blob, as large as the largest blob that uses it; all have one format.
fn sizes(blobs: &IdVec<BlobId, PlacedBlob>, buffers: &IdVec<BlobId, usize>) -> Vec<BufferSize> {
    let mut sizes = vec![BufferSize::default(); blobs.iter().len()];
    for (blob, &buffer) in blobs.iter().zip(buffers.iter()) {
        let values = sizes[buffer].values.max(blob.extent());
        sizes[buffer] = BufferSize { values, format: blob.format };
    }
    sizes
}

/// Bytes of each kind of memory a net uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Values of params; in mixed precision their rounded copy too.
    pub params: usize,
    /// Gradients of params.
    pub gradients: usize,
    /// Data of blobs.
    pub activations: usize,
    /// Diffs of blobs.
    pub diffs: usize,
    /// What layers hold besides, and in mixed precision where blobs are expanded.
    pub workspace: usize,
}

impl MemoryUse {
    /// That of `workers` in one process, each with a net and a pool of gradients; they share the
    /// params.
    #[must_use]
    pub fn of_workers(self, workers: usize) -> Self {
        let each = |bytes: usize| bytes.saturating_mul(workers);
        Self {
            params: self.params,
            gradients: each(self.gradients),
            activations: each(self.activations),
            diffs: each(self.diffs),
            workspace: each(self.workspace),
        }
    }

    /// Each kind of memory by name, in bytes.
    #[must_use]
    pub fn named(&self) -> [(&'static str, usize); 5] {
        [
            ("parameters", self.params),
            ("gradients", self.gradients),
            ("activations", self.activations),
            ("diffs", self.diffs),
            ("workspace", self.workspace),
        ]
    }

    /// All of it, in bytes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.named().iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }
}

impl fmt::Display for MemoryUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, bytes) in self.named() {
            write!(f, "{name} {}, ", megabytes(bytes))?;
        }
        write!(f, "total {}", megabytes(self.total()))
    }
}

impl PlacedNet {
    /// What this net will need, in bytes.
    pub(crate) fn memory(&self) -> MemoryUse {
        let bytes = |sizes: &[BufferSize]| sizes.iter().map(|size| size.bytes()).sum();
        let running = || self.layers.iter().filter(|layer| layer.runs());
        let workspace: usize = running().map(|layer| layer.layer.workspace_bytes()).sum();
        MemoryUse {
            params: params_bytes(&self.params, self.precision),
            gradients: params::pool_len(&self.params) * size_of::<f32>(),
            activations: bytes(&self.buffers.data_sizes),
            diffs: bytes(&self.buffers.diff_sizes),
            workspace: workspace + self.expanded_bytes(),
        }
    }

    /// Bytes that 16-bit blobs are expanded into: of each position among a layer's blobs the
    /// largest, for data and, where there are diffs, for them.
    fn expanded_bytes(&self) -> usize {
        let mut largest: [Vec<usize>; 2] = Default::default();
        for layer in self.layers.iter().filter(|layer| layer.runs()) {
            let access = layer.traits.access;
            if access == BlobAccess::SixteenBits {
                continue;
            }
            for (sizes, blobs) in largest.iter_mut().zip([&layer.bottoms, &layer.tops]) {
                sizes.resize(sizes.len().max(blobs.len()), 0);
                for (size, &blob) in sizes.iter_mut().zip(blobs) {
                    let blob = &self.blobs[blob];
                    let values = blob.format.map_or(0, |_| blob.shape.count());
                    let images = blob.shape.dims().first().copied().unwrap_or(1);
                    let block = match block_limit(access) {
                        Some(limit) => block_values(images, values, limit),
                        None => values,
                    };
                    *size = block.max(*size);
                }
            }
        }
        let roles = if self.plan == MemoryPlan::ForwardOnly { 1 } else { 2 };
        roles * size_of::<f32>() * largest.iter().flatten().sum::<usize>()
    }
}

/// Bytes of all params and, in mixed precision, of their rounded copy.
fn params_bytes(params: &IdVec<ParamId, Param>, precision: Precision) -> usize {
    let values: usize = params.iter().map(|param| param.values.len()).sum();
    values * size_of::<f32>() * if precision.half().is_some() { 2 } else { 1 }
}

impl Net {
    /// What this net uses at present, in bytes.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        let bytes = |buffers: &[BlobMemory]| buffers.iter().map(BlobMemory::bytes).sum();
        let running = self.layers.iter().filter(|layer| layer.runs());
        let workspace: usize = running.map(|layer| layer.layer.workspace_bytes()).sum();
        MemoryUse {
            params: params_bytes(&self.params, self.precision),
            gradients: self.pool_len() * size_of::<f32>(),
            activations: bytes(&self.data),
            diffs: self.diff.as_deref().map_or(0, bytes),
            workspace: workspace + self.expanded.bytes(),
        }
    }

    /// Values in the gradient pool.
    #[must_use]
    pub fn pool_len(&self) -> usize {
        params::pool_len(&self.params)
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryUse;

    #[test]
    fn workers_share_params_only() {
        let one = MemoryUse { params: 1, gradients: 2, activations: 3, diffs: 4, workspace: 5 };
        let two = MemoryUse { params: 1, gradients: 4, activations: 6, diffs: 8, workspace: 10 };
        assert_eq!(one.of_workers(2), two);
    }
}
