//! From placed net to one that runs: memory is allocated, and what every pass over a layer needs is
//! worked out once.

use base::Shape;
use layers::{Layer, RowPlacement, TopMemory};
use tensor::{Layout, Slab};

use crate::description::NetDescription;
use crate::fusion::ReluMasks;
use crate::ids::{BlobId, IdVec, ParamId};
use crate::memory::{Buffers, MemoryPlan};
use crate::params::{self, Param, ParamStorage};
use crate::placed::{self, PlacedBlob, PlacedLayer, PlacedNet};

/// A net that runs: one worker's activations, diffs and workspaces, in compiled order.
pub struct Net {
    /// What reports and model files need. Running the net reads names from here, for errors.
    pub(crate) description: NetDescription,
    pub(crate) layers: Vec<ExecutableLayer>,
    pub(crate) blobs: IdVec<BlobId, ExecutableBlob>,
    pub(crate) params: IdVec<ParamId, Param>,
    /// Blobs that no layer reads, sorted by name.
    pub(crate) outputs: Vec<BlobId>,
    /// Memory of data; a blob names its buffer.
    pub(crate) data: Vec<Slab>,
    /// Memory of diffs, zero until written; `None` for a net that runs forward only.
    pub(crate) diff: Option<Vec<Slab>>,
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
    pub(crate) fn grow_diff(&self, diffs: &mut Option<Vec<Slab>>) {
        if let (Some(diffs), Some(buffer)) = (diffs, self.diff) {
            diffs[buffer].grow(self.extent());
        }
    }
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

/// Allocates the memory of `placed`, which `description` describes.
pub(crate) fn allocate(placed: PlacedNet, description: NetDescription) -> Net {
    let uses = param_uses(&placed);
    let PlacedNet { layers, blobs, params, outputs, masks, live, buffers, plan } = placed;
    let ready = ready_prefixes(&uses, &params);
    let decided = Decisions { blobs: &blobs, masks: &masks, live: &live, buffers: &buffers };
    let layers = (layers.into_iter().zip(uses).enumerate())
        .map(|(index, (layer, uses))| decided.executable(index, layer, uses))
        .collect();
    let Buffers { data, diff, data_sizes, diff_sizes, .. } = buffers;
    let mut ids = blobs.ids();
    let blobs = blobs.map(|blob| {
        let id = ids.next().expect("one id per blob");
        ExecutableBlob {
            placement: blob.placement(),
            name: blob.name,
            hidden: blob.hidden,
            shape: blob.shape,
            layout: blob.layout,
            data: data[id],
            diff: diff[id],
            keeps_diff: plan == MemoryPlan::KeepDiffs || outputs.contains(&id),
            given_diff: false,
        }
    });
    let allocate = |sizes: Vec<usize>| sizes.into_iter().map(Slab::zeros).collect();
    Net {
        description,
        layers,
        contributed: IdVec::like(&params, false),
        blobs,
        params,
        outputs,
        data: allocate(data_sizes),
        diff: (plan != MemoryPlan::ForwardOnly).then(|| allocate(diff_sizes)),
        private: Slab::default(),
        private_running: Slab::default(),
        ready,
    }
}

/// The params that one layer runs with.
#[derive(Default)]
struct ParamUses {
    learned: Vec<LearnedParam>,
    running: Vec<ParamId>,
}

/// For each layer its params and those of the layers whose work it does; none for one that does not
/// run.
fn param_uses(placed: &PlacedNet) -> Vec<ParamUses> {
    let of = |layer: &PlacedLayer| {
        let mut uses = ParamUses::default();
        let followers = layer.followers().iter().map(|&follower| &placed.layers[follower]);
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
    layers.map(|layer| if layer.runs() { of(layer) } else { ParamUses::default() }).collect()
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

/// What the compiler decided about blobs, for the layers that use them.
struct Decisions<'a> {
    blobs: &'a IdVec<BlobId, PlacedBlob>,
    masks: &'a ReluMasks,
    live: &'a IdVec<BlobId, bool>,
    buffers: &'a Buffers,
}

impl Decisions<'_> {
    fn executable(&self, index: usize, placed: PlacedLayer, uses: ParamUses) -> ExecutableLayer {
        let (memory, runs, data) = (placed.traits.tops, placed.runs(), &self.buffers.data);
        let shares_diff = self.buffers.shared_sums.contains(&index);
        let bottoms: Vec<ExecutableBottom> = (placed.bottoms.iter().enumerate())
            .map(|(bottom, &blob)| ExecutableBottom {
                blob,
                layout: placed.bottom_layouts[bottom],
                seen: self.blobs[blob].shape.clone(),
                in_place: placed.tops.iter().any(|&top| data[top] == data[blob]),
                writes_diff: placed.propagate[bottom] && !shares_diff,
                relu: self.masks.of_bottom(index, bottom),
            })
            .collect();
        let tops = (placed.tops.iter().zip(&placed.loss_weights).enumerate())
            .map(|(top, (&blob, &loss_weight))| ExecutableTop {
                blob,
                loss_weight,
                gradient: match top == 0 && self.masks.is_unmasked(index) {
                    true => GradientMemory::Unmasked,
                    false => self.gradient(blob, &bottoms),
                },
            })
            .collect();
        ExecutableLayer {
            layer: placed.layer,
            tops,
            learned: uses.learned,
            running: uses.running,
            source: placed.source,
            forward: runs && !memory.is_bottom_data(),
            backward: placed.backward && runs && memory != TopMemory::BottomDataAndDiff,
            draws: placed.traits.draws,
            bottoms,
        }
    }

    /// Where the gradient of `top` is, for a layer that writes the diffs of `bottoms`.
    fn gradient(&self, top: BlobId, bottoms: &[ExecutableBottom]) -> GradientMemory {
        let diff = &self.buffers.diff;
        let mut written = bottoms.iter().filter(|bottom| bottom.writes_diff);
        if diff[top].is_some() && written.any(|bottom| diff[bottom.blob] == diff[top]) {
            GradientMemory::InPlace
        } else if self.live[top] {
            GradientMemory::OutOfPlace
        } else {
            GradientMemory::Zero
        }
    }
}
