//! Assigns buffers: which memory holds each blob's data and diff.

use layers::TopMemory;
use serde::{Deserialize, Serialize};

use crate::{Blob, Net, Node, params, sharing};

/// How diffs use memory, and whether layers may run as one: what can be looked at afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPlan {
    /// Every diff has memory of its own and every layer runs by itself, so that all of Caffe's values can
    /// be looked at after every layer.
    KeepDiffs,
    /// For training: layers are fused, and a diff's memory is used again once its maker has run.
    /// Data can be looked at after forward; diffs of outputs only.
    ShareDiffs,
    /// Data only: for nets that never run backward.
    ForwardOnly,
}

/// Sizes of the buffers, in values.
pub(crate) struct Buffers {
    pub(crate) data: Vec<usize>,
    pub(crate) diff: Vec<usize>,
}

/// Gives every blob its buffers; aliases share their bottom's.
pub(crate) fn assign(
    nodes: &mut [Node],
    blobs: &mut [Blob],
    outputs: &[usize],
    plan: MemoryPlan,
) -> Buffers {
    for node in nodes.iter() {
        for &top in &node.tops {
            if node.traits.tops.is_bottom_data() {
                blobs[top].data = blobs[node.bottoms[0]].data;
            }
            if node.traits.tops == TopMemory::BottomDataAndDiff {
                blobs[top].diff = blobs[node.bottoms[0]].diff;
            }
        }
    }
    let diff = match plan {
        MemoryPlan::KeepDiffs => sizes(blobs, |blob| blob.diff),
        MemoryPlan::ShareDiffs => sharing::share(nodes, blobs, outputs),
        MemoryPlan::ForwardOnly => vec![0; blobs.len()],
    };
    Buffers { data: sizes(blobs, |blob| blob.data), diff }
}

/// One buffer a blob, as large as the largest blob that names it.
fn sizes(blobs: &[Blob], buffer: impl Fn(&Blob) -> usize) -> Vec<usize> {
    let mut sizes = vec![0; blobs.len()];
    for blob in blobs {
        sizes[buffer(blob)] = sizes[buffer(blob)].max(blob.extent());
    }
    sizes
}

/// Bytes of each kind of memory a net uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
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

impl Memory {
    /// That of `workers` in one process, each with a net and a pool of gradients; they share the params.
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

impl Net {
    /// What this net needs, in bytes.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let bytes = |values: usize| values * size_of::<f32>();
        Memory {
            params: bytes(self.params.iter().map(|p| p.values.len()).sum()),
            gradients: bytes(self.pool_len()),
            activations: bytes(self.data.iter().map(|slab| slab.len()).sum()),
            diffs: bytes(self.diff.iter().map(|slab| slab.len()).sum()),
            workspace: self.nodes.iter().map(|node| node.layer.workspace_bytes()).sum(),
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
    use super::Memory;

    #[test]
    fn workers_share_params_only() {
        let one = Memory { params: 1, gradients: 2, activations: 3, diffs: 4, workspace: 5 };
        let two = Memory { params: 1, gradients: 4, activations: 6, diffs: 8, workspace: 10 };
        assert_eq!(one.of_workers(2), two);
    }
}
