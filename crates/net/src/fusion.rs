//! Fusion: a layer does the work of the layers that follow it in place.
//!
//! Convolution + ReLU, BatchNorm + Scale + ReLU and Eltwise + ReLU each save one pass over memory
//! per absorbed layer, with the same bits. Whoever looks at blobs after a pass sees what Caffe
//! shows: all of it happens to one blob in place. What is between two such layers cannot be seen,
//! so debug output and nets whose diffs are looked at are compiled without this pass.
//!
//! In backward, the layer that makes the diff applies a ReLU's mask if it can
//! ([`BottomDiffs::Masked`]: Split, which adds diffs up, and Pooling), else the layer that absorbed
//! the ReLU.

use std::collections::{BTreeMap, BTreeSet};

use layers::{BottomDiffs, Follower, Fusion, InPlaceCost};

use crate::ids::BlobId;
use crate::memory::MemoryPlan;
use crate::placed::{LayerRole, PlacedLayer, Placement};

/// Lets layers absorb what directly follows them.
pub(crate) fn fuse(mut placement: Placement, plan: MemoryPlan) -> Placement {
    let mut leader: Option<Leader> = None;
    for index in 0..placement.layers.len() {
        if let Some(leader) = &mut leader
            && absorb(&mut placement.layers, leader, index, plan)
        {
            continue;
        }
        let backward = placement.layers[index].backward && plan != MemoryPlan::ForwardOnly;
        if backward && placement.layers[index].in_place {
            move_apart(&mut placement, index);
        }
        // In place, its bottom's diff would be its top's: nothing can be kept apart there.
        let leads = !backward || !placement.layers[index].in_place;
        leader = leads.then_some(Leader { index, used: 0 });
    }
    placement
}

/// The layer that may absorb what follows.
struct Leader {
    index: usize,
    /// How many of the followers that its traits list are used up.
    used: usize,
}

/// Whether `leader` does the work of the layer at `index` from now on.
fn absorb(layers: &mut [PlacedLayer], leader: &mut Leader, index: usize, plan: MemoryPlan) -> bool {
    let Some(follower) = layers[index].traits.follower else { return false };
    let changed_later = layers[index + 1..]
        .iter()
        .any(|later| later.in_place && later.tops.first() == layers[index].tops.first());
    if changed_later && matches!(follower, Follower::Relu { .. }) {
        return false; // backward would see what the later layer made of the values
    }
    let (before, rest) = layers.split_at_mut(index);
    let (lead, next) = (&mut before[leader.index], &mut rest[0]);
    let same_blob = next.in_place && lead.tops == next.tops && next.bottoms == next.tops;
    let flows = next.propagate[0] || !lead.backward;
    let plain = next.loss_weights.iter().chain(&lead.loss_weights).all(|&weight| weight == 0.0);
    let backward = (lead.backward || next.backward) && plan != MemoryPlan::ForwardOnly;
    let absorbs = lead.traits.absorbs;
    let used = absorbs.absorb(leader.used, follower).filter(|_| absorbs.backward || !backward);
    let Some(used) = used.filter(|_| same_blob && flows && plain) else { return false };
    let LayerRole::Runs { followers } = &mut lead.role else { return false };
    followers.push(index);
    leader.used = used;
    lead.layer.fuse(Fusion::Absorb(follower));
    lead.backward |= next.backward;
    next.role = LayerRole::Absorbed;
    true
}

/// Gives a layer that would have to copy its bottom a bottom of its own instead: the layers before
/// it write there.
fn move_apart(placement: &mut Placement, index: usize) {
    let layer = &placement.layers[index];
    let blob = layer.tops[0];
    let maker = placement.layers[..index].iter().find(|maker| maker.tops.contains(&blob));
    // Users write into the tops of layers without bottoms.
    let may = maker.is_some_and(|maker| !maker.bottoms.is_empty());
    let copies = layer.traits.in_place == InPlaceCost::CopiesBottom;
    if !(may && copies && layer.bottoms.len() == 1) {
        return;
    }
    let name = format!("{} before {}", placement.blobs[blob].name, layer.name());
    let hidden = placement.add_hidden(blob, name, placement.blobs[blob].layout);
    let (before, rest) = placement.layers.split_at_mut(index);
    for earlier in before {
        let used = earlier.bottoms.iter_mut().chain(&mut earlier.tops);
        used.filter(|used| **used == blob).for_each(|used| *used = hidden);
    }
    rest[0].layer.fuse(Fusion::MoveApart);
    rest[0].bottoms[0] = hidden;
    rest[0].in_place = false;
}

/// Who applies the masks of absorbed ReLUs to diffs.
#[derive(Default)]
pub(crate) struct ReluMasks {
    /// Layers that apply the mask of the ReLU they absorbed to the diff of their top 0.
    by_absorber: BTreeSet<usize>,
    /// By layer and bottom: the slope of the ReLU whose mask it applies to the bottom's diff.
    by_reader: BTreeMap<(usize, usize), f32>,
}

impl ReluMasks {
    /// Whether the diff of top 0 of the layer at `index` lacks a mask, which that layer applies.
    pub(crate) fn is_unmasked(&self, index: usize) -> bool {
        self.by_absorber.contains(&index)
    }

    /// The slope of the ReLU whose mask the layer at `index` applies to the diff of `bottom`.
    pub(crate) fn of_bottom(&self, index: usize, bottom: usize) -> Option<f32> {
        self.by_reader.get(&(index, bottom)).copied()
    }
}

/// Decides for every absorbed ReLU who applies its mask.
pub(crate) fn place_masks(Placement { layers, .. }: &Placement) -> ReluMasks {
    let mut masks = ReluMasks::default();
    for (index, leader) in layers.iter().enumerate() {
        let Some(slope) = relu_slope(layers, leader).filter(|_| leader.backward) else { continue };
        match reader_that_masks(layers, leader.tops[0]) {
            Some(reader) => _ = masks.by_reader.insert(reader, slope),
            None => _ = masks.by_absorber.insert(index),
        }
    }
    for concat in layers.iter().filter(|layer| matches!(layer.role, LayerRole::Joined)) {
        mask_joined(layers, concat, &mut masks);
    }
    masks
}

/// The slope of the ReLU that a layer absorbed.
fn relu_slope(layers: &[PlacedLayer], leader: &PlacedLayer) -> Option<f32> {
    leader.followers().iter().find_map(|&follower| match layers[follower].traits.follower {
        Some(Follower::Relu { slope }) => Some(slope),
        _ => None,
    })
}

/// The reader of `blob`, and which of its bottoms that is, if it can mask that bottom's diff.
fn reader_that_masks(layers: &[PlacedLayer], blob: BlobId) -> Option<(usize, usize)> {
    let reads = |layer: &PlacedLayer| layer.runs() && layer.bottoms.contains(&blob);
    let index = layers.iter().position(reads)?;
    let reader = &layers[index];
    let bottom = reader.bottoms.iter().position(|&bottom| bottom == blob)?;
    let masks = reader.traits.bottom_diffs == BottomDiffs::Masked;
    let can = masks && reader.backward && reader.propagate[bottom] && !reader.in_place;
    can.then_some((index, bottom))
}

/// Where all branches of a joined blob wait for the mask of the same ReLU, the blob's reader
/// applies it.
fn mask_joined(layers: &[PlacedLayer], concat: &PlacedLayer, masks: &mut ReluMasks) {
    let makers: Vec<usize> = (concat.bottoms.iter())
        .filter_map(|branch| layers.iter().position(|l| l.runs() && l.tops.contains(branch)))
        .collect();
    let slope_of =
        |&maker: &usize| relu_slope(layers, &layers[maker]).filter(|_| masks.is_unmasked(maker));
    let mut slopes = makers.iter().map(slope_of);
    let Some(Some(slope)) = slopes.next() else { return };
    let same = |other: Option<f32>| other.is_some_and(|o| o.to_bits() == slope.to_bits());
    if !slopes.all(same) {
        return;
    }
    if let Some(reader) = reader_that_masks(layers, concat.tops[0]) {
        masks.by_reader.insert(reader, slope);
        masks.by_absorber.retain(|layer| !makers.contains(layer));
    }
}

#[cfg(test)]
mod tests;
