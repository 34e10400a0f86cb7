//! From shaped net to placed net: memory orders, fusion and buffers, as sizes only. No blob's
//! memory is allocated here, so a net larger than the machine can be placed and reported.

use base::Shape;
use caffe_format::LayerParameter;
use layers::{Layer, LayerKind, LayerTraits, RowPlacement};
use tensor::Layout;

use crate::ids::{BlobId, IdVec, ParamId};
use crate::memory::{self, BufferSizes, MemoryPlan};
use crate::params::Param;
use crate::shapes::{ShapedBlob, ShapedLayer, ShapedNet};
use crate::{fusion, joining, layouts, needs};

/// A net whose layers and blobs have their final order and memory.
pub(crate) struct PlacedNet {
    pub(crate) layers: Vec<PlacedLayer>,
    pub(crate) blobs: IdVec<BlobId, PlacedBlob>,
    pub(crate) params: IdVec<ParamId, Param>,
    /// Blobs that no layer reads, sorted by name.
    pub(crate) outputs: Vec<BlobId>,
    pub(crate) buffers: BufferSizes,
    pub(crate) plan: MemoryPlan,
}

/// A blob and its memory.
pub(crate) struct PlacedBlob {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) layout: Layout,
    /// Index of its data's buffer.
    pub(crate) data: usize,
    /// Index of its diff's buffer.
    pub(crate) diff: usize,
    /// Where its rows are in both buffers, if they are some channels of a wider blob.
    pub(crate) placement: Option<RowPlacement>,
    /// Whether backward writes its diff.
    pub(crate) live: bool,
    /// Inserted by a pass: not shown to users.
    pub(crate) hidden: bool,
}

impl PlacedBlob {
    /// A blob with buffers of its own, whose number is its id's.
    fn new(shaped: ShapedBlob, buffer: usize) -> Self {
        let ShapedBlob { name, shape } = shaped;
        let (layout, placement) = (Layout::RowMajor, None);
        Self {
            name,
            shape,
            layout,
            data: buffer,
            diff: buffer,
            placement,
            live: false,
            hidden: false,
        }
    }

    /// Values of its buffers that it reaches into.
    pub(crate) fn extent(&self) -> usize {
        let count = self.shape.count();
        match (self.placement, self.shape.nchw()) {
            (Some(placement), Some([_, c, ..])) => count / c.max(1) * placement.stride,
            _ => count,
        }
    }
}

/// A layer, what it connects, and what the passes decided about it.
#[expect(clippy::struct_excessive_bools, reason = "each is the decision of one pass")]
pub(crate) struct PlacedLayer {
    pub(crate) kind: &'static LayerKind,
    /// As written, with its phase; of a conversion, its name only.
    pub(crate) written: LayerParameter,
    /// Inserted by a pass and not part of Caffe's net: a layout conversion.
    pub(crate) hidden: bool,
    pub(crate) layer: Box<dyn Layer>,
    pub(crate) traits: LayerTraits,
    pub(crate) bottoms: Vec<BlobId>,
    pub(crate) tops: Vec<BlobId>,
    pub(crate) in_place: bool,
    /// Memory order each bottom is read in; may differ from the blob's where both coincide.
    pub(crate) bottom_layouts: Vec<Layout>,
    /// Its params in Caffe's order, with the shapes that it declares.
    pub(crate) params: Vec<(ParamId, Shape)>,
    /// Whether each param's gradient is wanted.
    pub(crate) learn: Vec<bool>,
    /// Loss weight of each top; 0 for what is not a loss.
    pub(crate) loss_weights: Vec<f32>,
    /// Which of the sources is this data layer's.
    pub(crate) source: Option<usize>,
    /// Whether backward runs.
    pub(crate) backward: bool,
    /// Whether each bottom's diff is wanted.
    pub(crate) propagate: Vec<bool>,
    /// Does nothing when its turn comes: another layer does its work, or there is none.
    pub(crate) idle: bool,
    /// Layers whose work this one does, by position; their params come after its own.
    pub(crate) followers: Vec<usize>,
    /// How many of the followers that its traits list are used up.
    pub(crate) absorbed: usize,
    /// Whether the diff of top 0 lacks the mask of the ReLU among the followers.
    pub(crate) unmasked: bool,
    /// For each bottom the slope of the ReLU whose mask this layer applies to its diff.
    pub(crate) masks: Vec<Option<f32>>,
    /// Whether the bottoms' diffs are the top's memory, so that there is nothing to write.
    pub(crate) shares_diff: bool,
}

impl PlacedLayer {
    /// A layer as the shaped net has it, with no decision made.
    pub(crate) fn new(shaped: ShapedLayer) -> Self {
        let ShapedLayer { built, params, need } = shaped;
        let shapes = built.decls.into_iter().map(|decl| decl.shape);
        Self {
            kind: built.kind,
            written: built.written,
            hidden: false,
            layer: built.layer,
            traits: built.traits,
            bottom_layouts: vec![Layout::RowMajor; built.bottoms.len()],
            masks: vec![None; built.bottoms.len()],
            bottoms: built.bottoms,
            tops: built.tops,
            in_place: built.in_place,
            params: params.into_iter().zip(shapes).collect(),
            learn: need.learn,
            loss_weights: built.loss_weights,
            source: built.source,
            backward: need.backward,
            propagate: need.propagate,
            idle: false,
            followers: Vec::new(),
            absorbed: 0,
            unmasked: false,
            shares_diff: false,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.written.name()
    }

    /// Bottoms whose diffs are wanted.
    pub(crate) fn wanted_diffs(&self) -> impl Iterator<Item = BlobId> {
        let bottoms = self.bottoms.iter().zip(&self.propagate);
        bottoms.filter(|(_, wanted)| **wanted).map(|(&bottom, _)| bottom)
    }
}

/// Layers and blobs on their way through the passes of [`place`].
pub(crate) struct Placement {
    pub(crate) layers: Vec<PlacedLayer>,
    pub(crate) blobs: IdVec<BlobId, PlacedBlob>,
}

impl Placement {
    /// Adds a blob that users do not see, of the shape of another.
    pub(crate) fn add_hidden(&mut self, like: BlobId, name: String, layout: Layout) -> BlobId {
        let shape = self.blobs[like].shape.clone();
        let buffer = self.blobs.iter().len();
        let blob = PlacedBlob::new(ShapedBlob { name, shape }, buffer);
        self.blobs.push(PlacedBlob { layout, hidden: true, ..blob })
    }
}

/// Decides where everything is and what runs as one.
pub(crate) fn place(shaped: ShapedNet, plan: MemoryPlan) -> PlacedNet {
    let ShapedNet { layers, blobs, params, outputs } = shaped;
    let mut buffers = 0..;
    let blobs = blobs.map(|blob| PlacedBlob::new(blob, buffers.next().unwrap_or_default()));
    let placement = layouts::assign(layers, blobs);
    let placement = match plan {
        MemoryPlan::KeepDiffs => placement,
        _ => fusion::place_masks(joining::join(fusion::fuse(placement, plan))),
    };
    let placement = needs::mark_live(placement);
    let (Placement { layers, blobs }, buffers) = memory::assign(placement, &outputs, plan);
    PlacedNet { layers, blobs, params, outputs, buffers, plan }
}
