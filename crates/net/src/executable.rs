//! From placed net to one that runs: memory is allocated, and what every pass over a layer needs is
//! worked out once.

use base::Shape;
use layers::{Layer, TopMemory};
use tensor::{Layout, Slab};

use crate::description::NetDescription;
use crate::ids::{BlobId, IdVec, ParamId};
use crate::memory::MemoryPlan;
use crate::params::{self, Param, ParamStorage};
use crate::placed::{PlacedBlob, PlacedLayer, PlacedNet};

/// A net that runs: one worker's activations, diffs and workspaces, in compiled order.
pub struct Net {
    /// What reports and model files need. Running the net reads names from here, for errors.
    pub(crate) description: NetDescription,
    pub(crate) layers: Vec<ExecutableLayer>,
    pub(crate) blobs: IdVec<BlobId, PlacedBlob>,
    pub(crate) params: IdVec<ParamId, Param>,
    /// Blobs that no layer reads, sorted by name.
    pub(crate) outputs: Vec<BlobId>,
    /// Memory of data; a blob names its buffer.
    pub(crate) data: Vec<Slab>,
    /// Memory of diffs, zero until written.
    pub(crate) diff: Vec<Slab>,
    /// Values of params that the net whose slab is used does not have: see [`Net::adopt`].
    pub(crate) private: Slab,
    /// The same for running params.
    pub(crate) private_running: Slab,
    /// For each layer how much of the pool is ready after its backward.
    pub(crate) ready: Vec<usize>,
    pub(crate) plan: MemoryPlan,
    /// Blobs whose diff the caller set, which then stands in for a loss weight.
    pub(crate) given_diffs: IdVec<BlobId, bool>,
    /// Whether a param's gradient was written since [`Net::clear_gradients`].
    pub(crate) contributed: IdVec<ParamId, bool>,
}

/// A layer and all that forward and backward need of its surroundings.
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
    /// Whether forward draws from the replica's random stream.
    pub(crate) draws: bool,
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
    /// Nowhere: nobody writes it.
    Absent,
}

/// A param that a layer learns.
#[derive(Clone, Copy)]
pub(crate) struct LearnedParam {
    pub(crate) id: ParamId,
    /// Whether its gradient is wanted.
    pub(crate) learn: bool,
}

/// Allocates the memory of `placed`, which `description` describes.
pub(crate) fn allocate(placed: PlacedNet, description: NetDescription) -> Net {
    let uses = param_uses(&placed);
    let PlacedNet { layers, blobs, params, outputs, buffers, plan } = placed;
    let ready = ready_prefixes(&uses, &params);
    let layers = (layers.into_iter().zip(uses))
        .map(|(layer, uses)| executable(layer, uses, &blobs, &buffers.diff))
        .collect();
    let allocate = |sizes: Vec<usize>| sizes.into_iter().map(Slab::zeros).collect();
    Net {
        description,
        layers,
        given_diffs: IdVec::like(&blobs, false),
        contributed: IdVec::like(&params, false),
        blobs,
        params,
        outputs,
        data: allocate(buffers.data),
        diff: allocate(buffers.diff),
        private: Slab::default(),
        private_running: Slab::default(),
        ready,
        plan,
    }
}

/// The params that one layer runs with.
#[derive(Default)]
struct ParamUses {
    learned: Vec<LearnedParam>,
    running: Vec<ParamId>,
}

/// For each layer its params and those of the layers whose work it does; none for idle layers.
fn param_uses(placed: &PlacedNet) -> Vec<ParamUses> {
    let of = |layer: &PlacedLayer| {
        let mut uses = ParamUses::default();
        let followers = layer.followers.iter().map(|&follower| &placed.layers[follower]);
        for layer in std::iter::once(layer).chain(followers) {
            for (&(id, _), &learn) in layer.params.iter().zip(&layer.learn) {
                match placed.params[id].storage {
                    ParamStorage::Running => uses.running.push(id),
                    _ => uses.learned.push(LearnedParam { id, learn }),
                }
            }
        }
        uses
    };
    let layers = placed.layers.iter();
    layers.map(|layer| if layer.idle { ParamUses::default() } else { of(layer) }).collect()
}

/// For each layer the prefix of the pool that is ready once it has run backward: it ends where the
/// first gradient of an earlier layer begins.
fn ready_prefixes(uses: &[ParamUses], params: &IdVec<ParamId, Param>) -> Vec<usize> {
    let mut ready = params::pool_len(params);
    let mut prefixes = Vec::with_capacity(uses.len());
    for uses in uses {
        prefixes.push(ready);
        let gradients = uses.learned.iter().filter_map(|used| params[used.id].gradient.as_ref());
        ready = gradients.map(|gradient| gradient.start).fold(ready, usize::min);
    }
    prefixes
}

fn executable(
    placed: PlacedLayer,
    uses: ParamUses,
    blobs: &IdVec<BlobId, PlacedBlob>,
    diff_sizes: &[usize],
) -> ExecutableLayer {
    let memory = placed.traits.tops;
    let data_of = |blob: BlobId| blobs[blob].data;
    let bottoms: Vec<ExecutableBottom> = (placed.bottoms.iter().enumerate())
        .map(|(index, &blob)| ExecutableBottom {
            blob,
            layout: placed.bottom_layouts[index],
            seen: blobs[blob].shape.clone(),
            in_place: placed.tops.iter().any(|&top| data_of(top) == data_of(blob)),
            writes_diff: placed.propagate[index] && !placed.shares_diff,
            relu: placed.masks[index],
        })
        .collect();
    let gradient = |index: usize, blob: &PlacedBlob| {
        let mut written = bottoms.iter().filter(|bottom| bottom.writes_diff);
        if placed.unmasked && index == 0 {
            GradientMemory::Unmasked
        } else if written.any(|bottom| blobs[bottom.blob].diff == blob.diff) {
            GradientMemory::InPlace
        } else if diff_sizes[blob.diff] < blob.extent() {
            GradientMemory::Absent
        } else {
            GradientMemory::OutOfPlace
        }
    };
    let tops = (placed.tops.iter().zip(&placed.loss_weights).enumerate())
        .map(|(index, (&blob, &loss_weight))| ExecutableTop {
            blob,
            loss_weight,
            gradient: gradient(index, &blobs[blob]),
        })
        .collect();
    ExecutableLayer {
        layer: placed.layer,
        tops,
        learned: uses.learned,
        running: uses.running,
        source: placed.source,
        forward: !placed.idle && !memory.is_bottom_data(),
        backward: placed.backward && !placed.idle && memory != TopMemory::BottomDataAndDiff,
        draws: placed.traits.draws,
        bottoms,
    }
}
