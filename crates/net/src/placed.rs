//! From shaped net to placed net: memory orders, fusion and buffers, as sizes only. No blob's
//! memory is allocated here, so a net larger than the machine can be placed and reported.

use std::sync::Arc;

use base::Shape;
use caffe_format::LayerParameter;
use kernels::HalfFormat;
use layers::{Layer, LayerKind, LayerTraits, RowPlacement};
use tensor::Layout;

use crate::fusion::{self, ReluMasks};
use crate::ids::{BlobId, IdVec, ParamId};
use crate::memory::{self, Buffers, MemoryPlan};
use crate::params::Param;
use crate::shapes::{ShapedBlob, ShapedLayer, ShapedNet};
use crate::{Precision, joining, layouts, needs, precision};

/// A net whose layers and blobs have their final order and memory.
pub(crate) struct PlacedNet {
    pub(crate) layers: Vec<PlacedLayer>,
    pub(crate) blobs: IdVec<BlobId, PlacedBlob>,
    pub(crate) params: IdVec<ParamId, Param>,
    /// Blobs that no layer reads, sorted by name.
    pub(crate) outputs: Vec<BlobId>,
    pub(crate) masks: ReluMasks,
    /// For each blob whether backward writes its diff.
    pub(crate) live: IdVec<BlobId, bool>,
    pub(crate) buffers: Buffers,
    pub(crate) plan: MemoryPlan,
    pub(crate) precision: Precision,
}

/// A blob and its memory order.
pub(crate) struct PlacedBlob {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) layout: Layout,
    /// Its format where that is not f32.
    pub(crate) format: Option<HalfFormat>,
    /// The wider blob whose channels it is, if it is joined to one.
    pub(crate) branch: Option<ConcatBranch>,
    /// Inserted by a pass: not shown to users.
    pub(crate) hidden: bool,
}

/// A blob whose data and diff are some channels of a Concat's top.
#[derive(Clone, Copy)]
pub(crate) struct ConcatBranch {
    pub(crate) top: BlobId,
    pub(crate) rows: RowPlacement,
}

impl PlacedBlob {
    fn new(ShapedBlob { name, shape }: ShapedBlob, format: Option<HalfFormat>) -> Self {
        Self { name, shape, layout: Layout::RowMajor, format, branch: None, hidden: false }
    }

    /// Where its rows are in its memory, if they are some channels of a wider blob.
    pub(crate) fn placement(&self) -> Option<RowPlacement> {
        self.branch.map(|branch| branch.rows)
    }

    /// Values of its buffers that it reaches into.
    pub(crate) fn extent(&self) -> usize {
        extent(&self.shape, self.placement())
    }
}

/// Values that a blob reaches into, from the beginning of its memory.
pub(crate) fn extent(shape: &Shape, placement: Option<RowPlacement>) -> usize {
    let count = shape.count();
    match (placement, shape.nchw()) {
        (Some(placement), Some([_, c, ..])) => count / c.max(1) * placement.stride,
        _ => count,
    }
}

/// A layer, what it connects, and what is decided about it before memory is assigned.
pub(crate) struct PlacedLayer {
    pub(crate) kind: &'static LayerKind,
    /// As written, with its phase; of a conversion, its name only.
    pub(crate) written: Arc<LayerParameter>,
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
    pub(crate) role: LayerRole,
}

/// What a layer does when its turn comes.
pub(crate) enum LayerRole {
    /// It runs, and does the work of the layers at these positions, whose params come after its
    /// own.
    Runs { followers: Vec<usize> },
    /// Nothing: an earlier layer does its work.
    Absorbed,
    /// Nothing: its bottoms are channels of its top.
    Joined,
}

impl PlacedLayer {
    /// A layer as the shaped net has it, which runs by itself.
    pub(crate) fn new(shaped: ShapedLayer) -> Self {
        let ShapedLayer { built, params, need } = shaped;
        let shapes = built.decls.into_iter().map(|decl| decl.shape);
        Self {
            kind: built.kind,
            written: Arc::new(built.written),
            hidden: false,
            layer: built.layer,
            traits: built.traits,
            bottom_layouts: vec![Layout::RowMajor; built.bottoms.len()],
            bottoms: built.bottoms,
            tops: built.tops,
            in_place: built.in_place,
            params: params.into_iter().zip(shapes).collect(),
            learn: need.learn,
            loss_weights: built.loss_weights,
            source: built.source,
            backward: need.backward,
            propagate: need.propagate,
            role: LayerRole::Runs { followers: Vec::new() },
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.written.name()
    }

    pub(crate) fn runs(&self) -> bool {
        matches!(self.role, LayerRole::Runs { .. })
    }

    /// Positions of the layers whose work it does.
    pub(crate) fn followers(&self) -> &[usize] {
        match &self.role {
            LayerRole::Runs { followers } => followers,
            LayerRole::Absorbed | LayerRole::Joined => &[],
        }
    }

    /// Bottoms whose diffs are wanted.
    pub(crate) fn wanted_diffs(&self) -> impl Iterator<Item = BlobId> {
        let bottoms = self.bottoms.iter().zip(&self.propagate);
        bottoms.filter(|(_, wanted)| **wanted).map(|(&bottom, _)| bottom)
    }
}

/// Layers and blobs, on their way through the passes that change which there are and what they do.
pub(crate) struct Placement {
    pub(crate) layers: Vec<PlacedLayer>,
    pub(crate) blobs: IdVec<BlobId, PlacedBlob>,
}

impl Placement {
    /// Adds a blob that users do not see, of the shape and format of another.
    pub(crate) fn add_hidden(&mut self, like: BlobId, name: String, layout: Layout) -> BlobId {
        let PlacedBlob { shape, format, .. } = &self.blobs[like];
        let blob = PlacedBlob::new(ShapedBlob { name, shape: shape.clone() }, *format);
        self.blobs.push(PlacedBlob { layout, hidden: true, ..blob })
    }
}

/// What backward does to the diffs of a [`Placement`]: what decides about their memory.
#[derive(Clone, Copy)]
pub(crate) struct DiffFlow<'a> {
    pub(crate) layers: &'a [PlacedLayer],
    pub(crate) blobs: &'a IdVec<BlobId, PlacedBlob>,
    pub(crate) masks: &'a ReluMasks,
    pub(crate) live: &'a IdVec<BlobId, bool>,
}

/// Decides where everything is and what runs as one.
pub(crate) fn place(shaped: ShapedNet, plan: MemoryPlan, precision: Precision) -> PlacedNet {
    let ShapedNet { layers, blobs, params, outputs } = shaped;
    let formats = precision::formats(&layers, &blobs, precision);
    let mut formats = formats.iter();
    let blobs = blobs.map(|blob| PlacedBlob::new(blob, *formats.next().expect("one per blob")));
    let placement = layouts::assign(layers, blobs);
    let placement = match plan {
        MemoryPlan::KeepDiffs => placement,
        _ => joining::join(fusion::fuse(placement, plan)),
    };
    let masks = fusion::place_masks(&placement);
    let live = needs::live_diffs(&placement);
    let Placement { layers, blobs } = placement;
    let flow = DiffFlow { layers: &layers, blobs: &blobs, masks: &masks, live: &live };
    let buffers = memory::assign(flow, &outputs, plan);
    PlacedNet { layers, blobs, params, outputs, masks, live, buffers, plan, precision }
}
