//! Assigns buffers: which memory holds each blob's data and diff.

use layers::TopMemory;
use serde::{Deserialize, Serialize};

use crate::ids::{BlobId, IdVec};
use crate::placed::{PlacedBlob, PlacedNet, Placement};
use crate::{Net, params, sharing};

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
}

/// Sizes of the buffers, in values.
pub(crate) struct BufferSizes {
    pub(crate) data: Vec<usize>,
    pub(crate) diff: Vec<usize>,
}

/// Gives every blob its buffers; tops that are their bottom's memory share it.
pub(crate) fn assign(
    mut placement: Placement,
    outputs: &[BlobId],
    plan: MemoryPlan,
) -> (Placement, BufferSizes) {
    let blobs = &mut placement.blobs;
    for layer in &placement.layers {
        let memory = layer.traits.tops;
        for &top in layer.tops.iter().filter(|_| memory.is_bottom_data()) {
            blobs[top].data = blobs[layer.bottoms[0]].data;
            if memory == TopMemory::BottomDataAndDiff {
                blobs[top].diff = blobs[layer.bottoms[0]].diff;
            }
        }
    }
    let (placement, diff) = match plan {
        MemoryPlan::KeepDiffs => {
            let diff = sizes(&placement.blobs, |blob| blob.diff);
            (placement, diff)
        }
        MemoryPlan::ShareDiffs => sharing::share(placement, outputs),
        MemoryPlan::ForwardOnly => {
            let diff = vec![0; placement.blobs.iter().len()];
            (placement, diff)
        }
    };
    let data = sizes(&placement.blobs, |blob| blob.data);
    (placement, BufferSizes { data, diff })
}

/// One buffer per blob, as large as the largest blob that uses it.
fn sizes(blobs: &IdVec<BlobId, PlacedBlob>, buffer: impl Fn(&PlacedBlob) -> usize) -> Vec<usize> {
    let mut sizes = vec![0; blobs.iter().len()];
    for blob in blobs.iter() {
        sizes[buffer(blob)] = sizes[buffer(blob)].max(blob.extent());
    }
    sizes
}

/// Bytes of each kind of memory a net uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Values of params.
    pub params: usize,
    /// Gradients of params.
    pub gradients: usize,
    /// Data of blobs.
    pub activations: usize,
    /// Diffs of blobs.
    pub diffs: usize,
    /// What layers hold besides.
    pub workspace: usize,
}

impl MemoryUse {
    /// From counts of values, and bytes of workspace.
    fn new(
        params: usize,
        gradients: usize,
        activations: usize,
        diffs: usize,
        workspace: usize,
    ) -> Self {
        let [params, gradients, activations, diffs] =
            [params, gradients, activations, diffs].map(|values| values * size_of::<f32>());
        Self { params, gradients, activations, diffs, workspace }
    }

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
}

impl PlacedNet {
    /// What this net will need, in bytes.
    pub(crate) fn memory(&self) -> MemoryUse {
        let params = self.params.iter().map(|param| param.values.len()).sum();
        let [activations, diffs] =
            [&self.buffers.data, &self.buffers.diff].map(|sizes| sizes.iter().sum());
        let workspace = self.layers.iter().map(|layer| layer.layer.workspace_bytes()).sum();
        MemoryUse::new(params, params::pool_len(&self.params), activations, diffs, workspace)
    }
}

impl Net {
    /// What this net uses at present, in bytes.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        let params = self.params.iter().map(|param| param.values.len()).sum();
        let [activations, diffs] =
            [&self.data, &self.diff].map(|slabs| slabs.iter().map(|slab| slab.len()).sum());
        let workspace = self.layers.iter().map(|layer| layer.layer.workspace_bytes()).sum();
        MemoryUse::new(params, self.pool_len(), activations, diffs, workspace)
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
