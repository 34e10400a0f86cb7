//! Caffe's layer types: the [`LAYERS`] table, one file a layer, and the gradient checker.
//!
//! A layer sees only its bottoms, tops and params; it knows no net, file or rank. Its life:
//!
//! 1. [`LayerKind::build`] lowers `layer { .. }` as written into a layer that can run, or says what is wrong.
//! 2. [`Layer::reshape`] takes the bottoms' shapes and answers the tops'; called again when they change.
//! 3. [`Layer::params`] declares parameters once; the net allocates and fills them.
//! 4. [`Layer::forward`] and [`Layer::backward`] run on borrowed memory ([`Forward`], [`Backward`]).
//!
//! Values are in the layout that [`Layer::layouts`] asked for; shapes are always Caffe's.

mod axis;
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
mod repeated;
mod softmax_loss;
mod table;
mod window;

#[cfg(test)]
mod extremes;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod gradient_check;
#[cfg(test)]
mod testing;

pub use data_source::{DataSource, DataSourceError, OutputSink, SinkSource, SourceNotice};
pub use error::LayerError;
pub use filler::{FillerError, fill};
pub use io::{
    Backward, Bottom, BottomDiff, BottomMemory, Forward, Gradient, InlineVec, RowPlacement, Top,
    TopDiff, TopGradient,
};
pub use kind::{Arity, Case, Fill, InPlace, LayerKind, Spec};
pub use table::{LAYERS, find};

use base::Shape;
use caffe_format::FillerParameter;

/// A layer that can run. One exists per worker: it may keep workspaces, but nothing that belongs to
/// a replica (random streams, running statistics), which is passed in.
pub trait Layer: Send {
    /// The tops' shapes for these bottoms. Called before the first forward and whenever a bottom's
    /// shape changes; sizes workspaces.
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError>;

    /// Parameters in Caffe's order, known after the first `reshape`.
    fn params(&self) -> Vec<ParamDecl> {
        Vec::new()
    }

    /// What Caffe draws from the random stream after the params and throws away: an unrolled recurrent
    /// net fills the weights of every step and keeps those of the first. To be drawn, in this order,
    /// so that the layers behind get Caffe's numbers.
    fn discarded(&self) -> Vec<ParamDecl> {
        Vec::new()
    }

    /// Memory order of bottoms and tops, known after `reshape`.
    fn layouts(&self) -> LayoutRule {
        LayoutRule::RowMajor
    }

    /// Whether the tops are the bottom under another name, so that nothing need be copied.
    fn alias(&self) -> Alias {
        Alias::None
    }

    /// Computes the tops. Not called for a layer whose tops are aliases.
    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError>;

    /// Computes the bottoms' diffs (overwriting) and the params' (as [`Gradient::write`] says).
    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError>;

    /// What this layer is to the one before it, when it runs in place and that one could do its part.
    fn follower(&self) -> Option<Follower> {
        None
    }

    /// Whether this layer does `next`'s part on its top 0 from now on, in its own passes and with the
    /// same bits; the params of `next` come behind its own. `backward` says whether that will run.
    fn absorb(&mut self, next: Follower, backward: bool) -> bool {
        let _ = (next, backward);
        false
    }

    /// Whether backward can apply the mask of a ReLU that made its bottom: [`BottomDiff::relu`].
    fn masks(&self) -> bool {
        false
    }

    /// Whether backward copies the top's diff to every bottom, so that they may share its memory.
    fn shares_diff(&self) -> bool {
        false
    }

    /// For a layer in place that has to copy its bottom: `true` when it now takes another top, as it
    /// will be given.
    fn move_apart(&mut self) -> bool {
        false
    }

    /// Whether top 0 may lie in a wider blob: [`Top::place`].
    fn takes_place(&self) -> bool {
        false
    }

    /// Whether the top is the bottoms side by side, channels-last, so that they may be written there.
    fn joins_channels(&self) -> bool {
        false
    }

    /// Whether gradient may flow into bottom `index` when `force_backward` asks for it; labels say no.
    fn backward_to(&self, index: usize) -> bool {
        let _ = index;
        true
    }

    /// Whether forward draws from the replica's random stream.
    fn draws(&self) -> bool {
        false
    }

    /// What the next batch begins with, besides params: a replica's own, which whoever runs several of
    /// them in turn swaps. Its lengths follow the bottoms.
    fn carried(&mut self) -> &mut [Vec<f32>] {
        &mut []
    }

    /// Multiply-adds of one forward, for `model summary`; 0 where they do not matter.
    fn multiply_adds(&self) -> u64 {
        0
    }

    /// Bytes this layer holds beside blobs and params, for the memory plan.
    fn workspace_bytes(&self) -> usize {
        0
    }
}

/// A layer that the one before it can take over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Follower {
    /// `y = x · gamma + beta` per channel, both params.
    Affine,
    /// `y = x` where `x > 0`, else `slope · x`.
    Relu {
        /// Caffe's `negative_slope`, 0 or more.
        slope: f32,
    },
}

/// One parameter blob of a layer.
#[derive(Debug, Clone)]
pub struct ParamDecl {
    /// Caffe's shape, which model files have too.
    pub shape: Shape,
    /// How the values begin.
    pub filler: FillerParameter,
    /// Who owns it.
    pub kind: ParamKind,
}

impl ParamDecl {
    /// A learned one.
    pub(crate) fn learned(shape: &Shape, filler: &FillerParameter) -> Self {
        Self { shape: shape.clone(), filler: filler.clone(), kind: ParamKind::Learned }
    }
}

/// What becomes of a parameter during training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// In the parameter slab; has a gradient in the pool.
    Learned,
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
}

/// Which memory of a bottom the tops are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alias {
    /// Tops have memory of their own.
    None,
    /// Tops share the bottom's data, not its diff: Split, whose backward adds.
    Data,
    /// Tops share data and diff: Flatten and Reshape; neither forward nor backward runs.
    DataAndDiff,
}
