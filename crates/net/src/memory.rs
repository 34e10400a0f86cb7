//! Assigns buffers: which memory holds each blob's data and diff.

use layers::Alias;

use crate::{Blob, Net, Node};

/// How diffs use memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPlan {
    /// Every diff has memory of its own, so that all can be looked at after backward.
    KeepDiffs,
    /// Data only: for nets that never run backward.
    ForwardOnly,
}

/// Sizes of the buffers, in values.
pub(crate) struct Buffers {
    pub(crate) data: Vec<usize>,
    pub(crate) diff: Vec<usize>,
}

/// Gives every blob its buffers; aliases share their bottom's.
pub(crate) fn assign(nodes: &[Node], blobs: &mut [Blob], plan: MemoryPlan) -> Buffers {
    for node in nodes {
        let alias = node.layer.alias();
        for &top in &node.tops {
            if alias != Alias::None {
                blobs[top].data = blobs[node.bottoms[0]].data;
            }
            if alias == Alias::DataAndDiff {
                blobs[top].diff = blobs[node.bottoms[0]].diff;
            }
        }
    }
    let mut buffers = Buffers { data: vec![0; blobs.len()], diff: vec![0; blobs.len()] };
    for blob in blobs.iter() {
        let count = blob.shape.count();
        buffers.data[blob.data] = buffers.data[blob.data].max(count);
        if plan == MemoryPlan::KeepDiffs {
            buffers.diff[blob.diff] = buffers.diff[blob.diff].max(count);
        }
    }
    buffers
}

/// Bytes of each kind of memory a net uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        self.params.iter().filter_map(|p| p.gradient.as_ref()).map(|r| r.end).max().unwrap_or(0)
    }
}
