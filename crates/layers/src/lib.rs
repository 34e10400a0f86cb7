//! Caffe's layer types: the [`LAYERS`] table, one file per layer, and the gradient checker.
//!
//! A layer sees only its bottoms, tops and params; it knows no net, file or rank. Its life:
//!
//! 1. [`LayerKind::build`] lowers `layer { .. }` as written into a layer that can run, or says what
//!    is wrong.
//! 2. [`Layer::reshape`] takes the bottoms' shapes and returns the tops'; called again when they
//!    change. It needs no memory of the blobs' size, so a net of any size can be described.
//! 3. [`Layer::params`] declares parameters once; the net allocates and fills them.
//!    [`Layer::traits`] says what the net may do with the layer: fuse it, share its memory.
//! 4. [`Layer::allocate`] provides the workspaces that `reshape` sized, if the layer is to run.
//! 5. [`Layer::forward`] and [`Layer::backward`] run on borrowed memory ([`Forward`],
//!    [`Backward`]).
//!
//! Values are in the layout that [`Layer::layouts`] asked for; shapes are always Caffe's.

mod added;
mod axis;
mod border;
mod broadcast;
mod channel_norm;
mod convolve;
mod data_layer;
mod data_source;
mod elementwise;
mod error;
mod filler;
mod io;
mod kind;
mod loss;
mod params;
mod recurrent;
mod regions;
mod repeated;
mod shapes_only;
mod side_pads;
mod softmax_loss;
mod table;
mod traits;
mod window;
mod workspace;

#[cfg(test)]
mod extremes;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod gradient_check;
#[cfg(test)]
mod loss_digits;
#[cfg(test)]
mod testing;

pub use added::{AddedLayers, LayerObject};
pub use data_source::{DataSource, DataSourceError, OutputSink, SinkSource, SourceNotice};
pub use error::LayerError;
pub use filler::{FillerError, check_filler, fill};
pub use io::{
    Backward, Bottom, BottomDiff, BottomMemory, Forward, HalfBackward, HalfForward, InlineVec,
    ParamGradient, RowPlacement, Top, TopDiff, TopGradient,
};
pub use kind::{Arity, BottomFill, GradientCase, InPlace, LayerKind, LayerSpec};
pub use table::{LAYERS, find};
pub use traits::{
    AbsorbableFollowers, BackwardReads, BlobAccess, BottomDiffs, Follower, FollowerKind, Fusion,
    GradientBottoms, InPlaceCost, LayerTraits, TopMemory, TopPrecision,
};

use std::sync::Arc;

use base::Shape;
use caffe_format::FillerParameter;

/// A layer that can run. One exists per worker: it may keep workspaces, but nothing that belongs to
/// a replica (random streams, running statistics), which is passed in.
pub trait Layer: Send {
    /// The tops' shapes for these bottoms. Called before the first forward and whenever a bottom's
    /// shape changes; sizes workspaces, which [`allocate`](Self::allocate) provides.
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError>;

    /// Parameters in Caffe's order, known after the first `reshape`.
    fn params(&self) -> Vec<ParamDecl> {
        Vec::new()
    }

    /// What Caffe draws from the random stream after the params and throws away: an unrolled
    /// recurrent net fills the weights of every step and keeps those of the first. To be drawn, in
    /// this order, so that later layers get Caffe's numbers.
    fn discarded(&self) -> Vec<ParamDecl> {
        Vec::new()
    }

    /// Memory order of bottoms and tops, known after `reshape`.
    fn layouts(&self) -> LayoutRule {
        LayoutRule::RowMajor
    }

    /// What the compiler may do with this layer, known after `reshape`.
    fn traits(&self) -> LayerTraits {
        LayerTraits::default()
    }

    /// Told once per decision, before the first forward.
    fn fuse(&mut self, decision: Fusion) {
        unreachable!("{decision:?} is not among this layer's traits");
    }

    /// Allocates workspaces for the shapes that `reshape` saw last. Called before the first forward
    /// and after each later `reshape`; not for layers that never run.
    fn allocate(&mut self) {}

    /// Tops that have one value in all places from set-up on and that forward leaves alone: which,
    /// and the value. A caller may change what is in them.
    fn constant_tops(&self) -> Vec<(usize, f32)> {
        Vec::new()
    }

    /// Computes the tops. Not called where they are the [bottom's data](TopMemory).
    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError>;

    /// Computes diffs: the bottoms' (overwriting) and the params' (see [`ParamGradient::write`]).
    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError>;

    /// State that the next batch begins with: a recurrent layer's. It belongs to the replica; a
    /// worker that runs several replicas swaps it. Its lengths follow the bottoms.
    fn carried(&mut self) -> &mut [Vec<f32>] {
        &mut []
    }

    /// What the layer keeps for one replica, if it keeps an object; [`LayerObject`] says when there
    /// is one. A worker that runs several replicas exchanges it.
    fn object(&mut self) -> Option<&mut LayerObject> {
        None
    }

    /// Multiply-adds of one forward, for `model summary`; 0 where they do not matter.
    fn multiply_adds(&self) -> u64 {
        0
    }

    /// Bytes that [`allocate`](Self::allocate) makes this layer hold, for the memory plan.
    fn workspace_bytes(&self) -> usize {
        0
    }
}

/// One parameter blob of a layer.
#[derive(Debug, Clone)]
pub struct ParamDecl {
    /// Caffe's shape, which model files have too.
    pub shape: Shape,
    /// How the values begin.
    pub filler: FillerParameter,
    /// What they begin with, in place of the filler's; nothing is drawn for them.
    pub values: Option<Arc<[f32]>>,
    /// Who owns it.
    pub kind: ParamKind,
}

impl ParamDecl {
    /// A learned one.
    pub(crate) fn learned(shape: &Shape, filler: &FillerParameter) -> Self {
        let (shape, filler) = (shape.clone(), filler.clone());
        Self { shape, filler, values: None, kind: ParamKind::Learned }
    }
}

/// What becomes of a parameter during training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// In the parameter slab; has a gradient in the pool.
    Learned,
    /// In the parameter slab, and never changed, whatever `lr_mult` says: BN's when it is frozen.
    Constant,
    /// Changed by forward and owned by the replica: BatchNorm's running statistics.
    Running,
}

/// Memory orders a layer takes; blobs that do not have four axes are always row-major.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutRule {
    /// Every bottom and top in Caffe's order.
    RowMajor,
    /// Every bottom and top channels-last.
    ChannelsLast,
    /// Any order, as long as all blobs have the same: elementwise layers.
    Same,
    /// Bottoms in any order, as long as all have the same; tops in Caffe's: Permute.
    AnyToRowMajor,
}
