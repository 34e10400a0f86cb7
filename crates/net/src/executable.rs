//! A net that runs, and what every pass over one of its layers needs.

use std::sync::Arc;

use base::Shape;
use kernels::HalfFormat;
use layers::{BackwardReads, BlobAccess, Layer, RowPlacement};
use tensor::{Layout, Slab};

use crate::blob_memory::{BlobMemory, ExpandedBlobs, ImageBlock, block_limit};
use crate::description::NetDescription;
use crate::ids::{BlobId, IdVec, ParamId};
use crate::params::Param;
use crate::{Precision, placed};

/// A net that runs: one worker's activations, diffs and workspaces, in compiled order.
pub struct Net {
    /// What reports and model files need. Running the net reads names from here, for errors.
    pub(crate) description: Arc<NetDescription>,
    pub(crate) layers: Vec<ExecutableLayer>,
    pub(crate) blobs: IdVec<BlobId, ExecutableBlob>,
    pub(crate) params: IdVec<ParamId, Param>,
    /// Blobs that no layer reads, sorted by name.
    pub(crate) outputs: Vec<BlobId>,
    /// Memory of data; a blob names its buffer.
    pub(crate) data: Vec<BlobMemory>,
    /// Memory of diffs, zero until written; `None` for a net that runs forward only.
    pub(crate) diff: Option<Vec<BlobMemory>>,
    /// Where 16-bit blobs are expanded to.
    pub(crate) expanded: ExpandedBlobs,
    /// What the net rounds to.
    pub(crate) precision: Precision,
    /// Values of params that the net whose slab is used does not have: see [`Net::adopt`].
    pub(crate) private: Slab,
    /// The same for running params.
    pub(crate) private_running: Slab,
    /// For each layer how much of the pool is ready after its backward.
    pub(crate) ready: Vec<usize>,
    /// Whether a param's gradient was written since [`Net::clear_gradients`].
    pub(crate) contributed: IdVec<ParamId, bool>,
}

/// A blob and its memory.
pub(crate) struct ExecutableBlob {
    pub(crate) name: String,
    /// Inserted by a pass: not shown to users.
    pub(crate) hidden: bool,
    /// Its present shape.
    pub(crate) shape: Shape,
    pub(crate) layout: Layout,
    /// Its format where that is not f32.
    pub(crate) format: Option<HalfFormat>,
    /// Where its rows are in its memory, if they are some channels of a wider blob.
    pub(crate) placement: Option<RowPlacement>,
    /// Index of its data's buffer.
    pub(crate) data: usize,
    /// Index of its diff's buffer, if it has one.
    pub(crate) diff: Option<usize>,
    /// Whether nobody else uses the diff's memory, so that it can be looked at and set.
    pub(crate) keeps_diff: bool,
    /// Whether the caller set the diff, which then stands in for a loss weight.
    pub(crate) given_diff: bool,
}

impl ExecutableBlob {
    /// Values of its buffers that it reaches into.
    pub(crate) fn extent(&self) -> usize {
        placed::extent(&self.shape, self.placement)
    }

    /// Makes room for the present shape in its diff's memory.
    pub(crate) fn grow_diff(&self, diffs: &mut Option<Vec<BlobMemory>>) {
        if let (Some(diffs), Some(buffer)) = (diffs, self.diff) {
            diffs[buffer].grow(self.extent());
        }
    }
}

/// A layer and all that forward and backward need of its surroundings.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a layer")]
pub(crate) struct ExecutableLayer {
    pub(crate) layer: Box<dyn Layer>,
    pub(crate) bottoms: Vec<ExecutableBottom>,
    pub(crate) tops: Vec<ExecutableTop>,
    /// Learned params in Caffe's order, then those of absorbed layers.
    pub(crate) learned: Vec<LearnedParam>,
    /// Running params in Caffe's order.
    pub(crate) running: Vec<ParamId>,
    /// Which of the replica's sources is this data layer's.
    pub(crate) source: Option<usize>,
    /// Whether forward has anything to do.
    pub(crate) forward: bool,
    /// Whether backward has anything to do.
    pub(crate) backward: bool,
    /// How it takes 16-bit blobs.
    pub(crate) access: BlobAccess,
    /// Which values backward reads.
    pub(crate) backward_reads: BackwardReads,
    /// Whether its bottoms' diffs are its top's memory, which it masks.
    pub(crate) shares_diff: bool,
    /// Whether forward draws from the replica's random stream.
    pub(crate) draws: bool,
    /// Whether forward computes with its running params without updating them.
    pub(crate) reads_running: bool,
    /// Whether it could not follow when a bottom changed its shape.
    pub(crate) refused: bool,
    /// Whether it remembers earlier forwards in ways that no snapshot has.
    pub(crate) remembers: bool,
}

impl ExecutableLayer {
    /// Whether there is anything to do; else it needs no workspaces.
    pub(crate) fn runs(&self) -> bool {
        self.forward || self.backward
    }

    /// The format that it rounds to, if any; where it does an absorbed layer's work, at the border
    /// between them too.
    pub(crate) fn rounding(&self, blobs: &IdVec<BlobId, ExecutableBlob>) -> Option<HalfFormat> {
        self.tops.first().and_then(|top| blobs[top.blob].format)
    }

    /// Whether forward takes bottom 0 and top 0 as they are stored, in 16 bits.
    pub(crate) fn takes_halves(&self, blobs: &IdVec<BlobId, ExecutableBlob>) -> bool {
        let half = |blob: BlobId| blobs[blob].format.is_some() && blobs[blob].placement.is_none();
        self.access == BlobAccess::SixteenBits
            && self.bottoms.iter().all(|bottom| half(bottom.blob) && !bottom.in_place)
            && self.tops.iter().all(|top| half(top.blob))
    }

    /// The images that it runs on at a time.
    pub(crate) fn blocks(
        &self,
        blobs: &IdVec<BlobId, ExecutableBlob>,
    ) -> impl Iterator<Item = ImageBlock> + use<> {
        let used = || {
            let bottoms = self.bottoms.iter().map(|bottom| &blobs[bottom.blob]);
            bottoms.chain(self.tops.iter().map(|top| &blobs[top.blob]))
        };
        let images = |blob: &ExecutableBlob| blob.shape.dims().first().copied();
        let total = used().next().and_then(images).filter(|&total| total > 0);
        let divisible = total.is_some()
            && used().all(|blob| images(blob) == total)
            && self.tops.iter().all(|top| blobs[top.blob].format.is_some());
        let limit = block_limit(self.access).filter(|_| divisible);
        let values = used().map(|blob| blob.shape.count()).max().unwrap_or(0);
        let all = limit.is_none().then_some(ImageBlock::All);
        let total = total.filter(|_| limit.is_some()).unwrap_or(0);
        all.into_iter().chain(ImageBlock::divide(total, values, limit.unwrap_or(0)))
    }
}

/// A bottom of a layer.
pub(crate) struct ExecutableBottom {
    pub(crate) blob: BlobId,
    /// Memory order it is read in; may differ from the blob's where both coincide.
    pub(crate) layout: Layout,
    /// The shape that `reshape` saw last.
    pub(crate) seen: Shape,
    /// Whether its data is in the memory of a top.
    pub(crate) in_place: bool,
    /// Whether backward writes its diff.
    pub(crate) writes_diff: bool,
    /// Slope of the ReLU whose mask the layer applies to its diff.
    pub(crate) relu: Option<f32>,
}

/// A top of a layer.
pub(crate) struct ExecutableTop {
    pub(crate) blob: BlobId,
    /// The shape that `reshape` gave it last.
    pub(crate) shaped: Shape,
    /// 0 for what is not a loss.
    pub(crate) loss_weight: f32,
    pub(crate) gradient: GradientMemory,
}

/// Where backward finds a top's gradient: [`layers::TopGradient`] without the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GradientMemory {
    /// In memory that no bottom's diff uses.
    OutOfPlace,
    /// In the diff of bottom 0.
    InPlace,
    /// To be masked by the layer first.
    Unmasked,
    /// Nobody writes it, unless a caller sets it; it may have no memory.
    Zero,
}

/// A param that a layer learns.
#[derive(Clone, Copy)]
pub(crate) struct LearnedParam {
    pub(crate) id: ParamId,
    /// Whether its gradient is wanted.
    pub(crate) learn: bool,
}
