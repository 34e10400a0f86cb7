//! From placed net to one that runs: memory is allocated, and what every pass over a layer needs is
//! worked out once.

use std::sync::Arc;

use kernels::{Cpu, Simd};
use layers::TopMemory;
use tensor::Slab;

use crate::Net;
use crate::blob_memory::{BlobMemory, BufferSize, ExpandedBlobs};
use crate::description::NetDescription;
use crate::executable::{
    ExecutableBlob, ExecutableBottom, ExecutableLayer, ExecutableTop, GradientMemory, LearnedParam,
};
use crate::fusion::ReluMasks;
use crate::ids::{BlobId, IdVec, ParamId};
use crate::memory::{Buffers, MemoryPlan};
use crate::params::{self, Param, ParamStorage};
use crate::placed::{PlacedBlob, PlacedLayer, PlacedNet};

/// Allocates the memory of `placed`, which `description` describes: blobs, and the workspaces of
/// layers that run.
pub(crate) fn allocate(placed: PlacedNet, description: NetDescription) -> Net {
    let uses = param_uses(&placed);
    let PlacedNet { layers, blobs, params, outputs, masks, live, buffers, plan, precision } =
        placed;
    let ready = ready_prefixes(&uses, &params);
    let runs = plan != MemoryPlan::NoBlobs;
    let decided = Decisions { blobs: &blobs, masks: &masks, live: &live, buffers: &buffers, runs };
    let layers: Vec<_> = (layers.into_iter().zip(uses).enumerate())
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
            format: blob.format,
            data: data[id],
            diff: diff[id],
            keeps_diff: plan == MemoryPlan::KeepDiffs || outputs.contains(&id),
            given_diff: false,
        }
    });
    let allocate = |sizes: Vec<BufferSize>| {
        sizes
            .into_iter()
            .map(|size| {
                let values = if runs { size.values } else { 0 };
                BlobMemory::zeros(BufferSize { values, ..size })
            })
            .collect()
    };
    let mut data: Vec<BlobMemory> = allocate(data_sizes);
    if runs {
        fill_constants(&layers, &blobs, &mut data);
    }
    Net {
        description: Arc::new(description),
        layers,
        contributed: IdVec::like(&params, false),
        blobs,
        params,
        outputs: if runs { outputs } else { Vec::new() },
        data,
        diff: (plan != MemoryPlan::ForwardOnly).then(|| allocate(diff_sizes)),
        expanded: ExpandedBlobs::default(),
        precision,
        private: Slab::default(),
        private_running: Slab::default(),
        ready,
    }
}

/// Fills the tops that layers leave alone.
fn fill_constants(
    layers: &[ExecutableLayer],
    blobs: &IdVec<BlobId, ExecutableBlob>,
    data: &mut [BlobMemory],
) {
    // One thread does, since nobody waits for it: these are labels and the like.
    let cpu = Cpu::new(1, Simd::Portable);
    for exec in layers {
        for (top, value) in exec.layer.constant_tops() {
            let blob = &blobs[exec.tops[top].blob];
            data[blob.data].fill(&cpu, blob.shape.count(), value);
        }
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
    /// Whether layers other than data layers will run.
    runs: bool,
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
                shaped: self.blobs[blob].shape.clone(),
                loss_weight,
                gradient: match top == 0 && self.masks.is_unmasked(index) {
                    true => GradientMemory::Unmasked,
                    false => self.gradient(blob, &bottoms),
                },
            })
            .collect();
        let mut executable = ExecutableLayer {
            layer: placed.layer,
            tops,
            learned: uses.learned,
            running: uses.running,
            source: placed.source,
            forward: runs && !memory.is_bottom_data(),
            backward: placed.backward && runs && memory != TopMemory::BottomDataAndDiff,
            access: placed.traits.access,
            backward_reads: placed.traits.backward_reads,
            shares_diff,
            draws: placed.traits.draws,
            reads_running: placed.traits.reads_running,
            refused: false,
            remembers: placed.traits.remembers,
            bottoms,
        };
        if self.runs && executable.runs() {
            executable.layer.allocate();
        }
        executable
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
