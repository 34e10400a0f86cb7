//! From a written net to one that runs.
//!
//! A net is compiled by passes, each a function from value to value:
//!
//! | pass | does |
//! |---|---|
//! | [`filter`] | drops layers by their include and exclude rules |
//! | [`splits`] | gives every blob one reader, by inserting Split layers |
//! | `graph` | names become ids; in-place, arity and layer types are checked |
//! | `shapes` | layers are built and shaped, first to last |
//! | `params` | parameters are shared by name and given places in slab, pool and running state |
//! | `needs` | which layers and bottoms take part in backward |
//! | `layouts` | blobs get a memory order; conversions are inserted where readers disagree |
//! | `fusion` | layers take over what follows them in place, and ReLU masks move to where diffs are made |
//! | `joining` | bottoms of a Concat become parts of its top |
//! | `memory` | blobs get buffers |
//!
//! The result, [`Net`], belongs to one worker: it owns activations and workspaces, and borrows
//! parameters, gradients and a replica's state from its caller. It knows no files, ranks or clocks.

mod backward;
mod blobs;
mod compile;
mod debug;
mod error;
mod forward;
mod fusion;
mod graph;
mod joining;
mod layouts;
mod memory;
mod needs;
mod params;
mod replica;
mod report;
mod shapes;
mod sharing;
mod weights;

pub mod filter;
pub mod splits;

pub use blobs::{Output, Values};
pub use compile::{OpenSources, compile};
pub use debug::{DebugBlob, DebugValue, NetNorms};
pub use error::{NetError, RunError};
pub use filter::{Mismatch, UnmetRule};
pub use memory::{Memory, MemoryPlan};
pub use params::{Home, Param};
pub use replica::ReplicaState;
pub use report::{
    BackwardWork, LayerReport, LayerSummary, LayoutConversion, NetReport, SharedParam, TopReport,
};

use base::{Phase, Shape};
use caffe_format::{LayerParameter, NetParameter};
use kernels::Write;
use layers::{Layer, LayerKind, LayerTraits, RowPlacement};
use tensor::{Layout, Slab};

/// A net that runs: one worker's activations, diffs and workspaces, in compiled order.
pub struct Net {
    name: String,
    phase: Phase,
    /// The filtered net with splits, as it is written into model files.
    written: NetParameter,
    /// The layers that remained after filtering, as written.
    filtered: Vec<LayerParameter>,
    nodes: Vec<Node>,
    blobs: Vec<Blob>,
    params: Vec<Param>,
    /// Indices of blobs that no layer reads, by name, as Caffe lists a net's outputs.
    outputs: Vec<usize>,
    /// Memory of data; a blob names its buffer.
    data: Vec<Slab>,
    /// Memory of diffs, zero until written.
    diff: Vec<Slab>,
    /// Values of params that the net whose slab is used does not have: see [`Net::adopt`].
    private: Slab,
    /// For each layer how much of the pool is ready after its backward.
    ready: Vec<usize>,
    /// How diffs use memory.
    plan: MemoryPlan,
    /// Whether a param's gradient was written since [`Net::clear_gradients`].
    contributed: Vec<bool>,
}

/// A layer in its place.
#[expect(clippy::struct_excessive_bools, reason = "what each pass found out, each by itself")]
struct Node {
    kind: &'static LayerKind,
    /// As written, with its phase; also for conversions, which carry their name only.
    written: LayerParameter,
    /// Inserted by a pass and not part of Caffe's net: a layout conversion.
    hidden: bool,
    layer: Box<dyn Layer>,
    traits: LayerTraits,
    bottoms: Vec<usize>,
    tops: Vec<usize>,
    in_place: bool,
    /// Memory order each bottom is read in; may differ from the blob's where both coincide.
    bottom_layouts: Vec<Layout>,
    /// Bottom shapes that `layer.reshape` saw last.
    seen: Vec<Shape>,
    /// Indices into the net's params.
    params: Vec<usize>,
    /// Loss weight of each top; 0 for what is not a loss.
    loss_weights: Vec<f32>,
    /// Which of the sources is this data layer's.
    source: Option<usize>,
    /// Whether backward runs.
    backward: bool,
    /// Whether each bottom's diff is wanted.
    propagate: Vec<bool>,
    /// Whether each param's gradient is wanted.
    learn: Vec<bool>,
    /// Does nothing when its turn comes: another layer does its part, or it need not be done.
    idle: bool,
    /// Layers whose work this one does; their params come after its own.
    followers: Vec<usize>,
    /// How many of the followers that its traits list are used up.
    absorbed: usize,
    /// Whether the diff of top 0 lacks the mask of the ReLU among the followers.
    unmasked: bool,
    /// For each bottom the slope of the ReLU whose mask this layer applies to its diff.
    masks: Vec<Option<f32>>,
    /// Whether the bottoms' diffs are the top's memory, so that there is nothing to write.
    shares_diff: bool,
}

/// A blob in its place.
#[derive(Clone)]
struct Blob {
    name: String,
    shape: Shape,
    layout: Layout,
    /// Index of its data's buffer.
    data: usize,
    /// Index of its diff's buffer.
    diff: usize,
    /// Where its rows lie in both buffers, if they are part of a wider blob.
    placement: Option<RowPlacement>,
    /// Whether backward writes its diff.
    live: bool,
    /// Whether the caller set its diff, which then stands in for a loss weight.
    given: bool,
    /// Inserted by a pass: not shown to users.
    hidden: bool,
}

impl Blob {
    /// Values of its buffers that it reaches into.
    fn extent(&self) -> usize {
        let count = self.shape.count();
        match (self.placement, self.shape.nchw()) {
            (Some(placement), Some([_, c, ..])) => count / c.max(1) * placement.stride,
            _ => count,
        }
    }
}

impl Net {
    /// The net's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Train or test.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Layers that run, conversions included; the argument of the per-layer calls is below this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no layers at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Name of the layer at `index`.
    #[must_use]
    pub fn layer_name(&self, index: usize) -> &str {
        self.nodes[index].written.name()
    }

    /// Whether the layer at `index` reads from a source.
    #[must_use]
    pub fn is_data(&self, index: usize) -> bool {
        self.nodes[index].source.is_some() && self.nodes[index].bottoms.is_empty()
    }

    /// Whether some layer writes through its source: HDF5Output.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.nodes.iter().any(|node| node.source.is_some() && !node.bottoms.is_empty())
    }

    /// Whether a forward draws random numbers from the replica's stream.
    #[must_use]
    pub fn draws(&self) -> bool {
        self.nodes.iter().any(|node| node.traits.draws)
    }

    /// Whether a batch goes on from the one before.
    pub fn carries(&mut self) -> bool {
        self.nodes.iter_mut().any(|node| !node.layer.carried().is_empty())
    }

    /// Exchanges what the layers carry from batch to batch with `other`, which begins as zeros when it
    /// is empty or belongs to other shapes.
    pub fn swap_carried(&mut self, other: &mut Vec<Vec<f32>>) {
        let own = self.nodes.iter_mut().flat_map(|node| node.layer.carried());
        for (index, own) in own.enumerate() {
            if other.len() == index {
                other.push(Vec::new());
            }
            if other[index].len() != own.len() {
                other[index] = vec![0.0; own.len()];
            }
            std::mem::swap(own, &mut other[index]);
        }
    }

    /// Items in a batch: the first axis of the first top that a data layer (or any first layer) makes.
    #[must_use]
    pub fn batch_items(&self) -> usize {
        let node = self.nodes.iter().find(|n| n.source.is_some()).or(self.nodes.first());
        let top = node.and_then(|node| node.tops.first());
        top.and_then(|&top| self.blobs[top].shape.dims().first().copied()).unwrap_or(0)
    }

    /// Names of the data layers, in the order of their sources.
    #[must_use]
    pub fn source_names(&self) -> Vec<&str> {
        self.nodes.iter().filter(|n| n.source.is_some()).map(|n| n.written.name()).collect()
    }

    /// The layers that remained after filtering, as written, splits left out.
    #[must_use]
    pub fn filtered(&self) -> Vec<LayerParameter> {
        self.filtered.clone()
    }

    /// Parameters in net order.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Forgets gradients: the next contribution to each param overwrites.
    pub fn clear_gradients(&mut self) {
        self.contributed.fill(false);
    }

    /// How the next contribution to a param is written.
    fn next_write(contributed: &mut bool) -> Write {
        if std::mem::replace(contributed, true) { Write::Add } else { Write::Set }
    }
}

#[cfg(test)]
mod tests;
