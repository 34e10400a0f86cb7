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

use layers::{BottomDiffs, Follower, Fusion, InPlaceCost, TopMemory};

use crate::ids::BlobId;
use crate::memory::MemoryPlan;
use crate::placed::{PlacedLayer, Placement};

/// Lets layers absorb what directly follows them.
pub(crate) fn fuse(mut placement: Placement, plan: MemoryPlan) -> Placement {
    let mut leader = None;
    for index in 0..placement.layers.len() {
        if leader.is_some_and(|leader| absorb(&mut placement.layers, leader, index, plan)) {
            continue;
        }
        let backward = placement.layers[index].backward && plan != MemoryPlan::ForwardOnly;
        if backward && placement.layers[index].in_place {
            move_apart(&mut placement, index);
        }
        // In place, its bottom's diff would be its top's: nothing can be kept apart there.
        leader = (!backward || !placement.layers[index].in_place).then_some(index);
    }
    placement
}

/// Whether `leader` does the work of the layer at `index` from now on.
fn absorb(layers: &mut [PlacedLayer], leader: usize, index: usize, plan: MemoryPlan) -> bool {
    let Some(follower) = layers[index].traits.follower else { return false };
    let changed_later = layers[index + 1..]
        .iter()
        .any(|later| later.in_place && later.tops.first() == layers[index].tops.first());
    if changed_later && matches!(follower, Follower::Relu { .. }) {
        return false; // backward would see what the later layer made of the values
    }
    let (before, rest) = layers.split_at_mut(index);
    let (lead, next) = (&mut before[leader], &mut rest[0]);
    let same_blob = next.in_place && lead.tops == next.tops && next.bottoms == next.tops;
    let flows = next.propagate[0] || !lead.backward;
    let plain = next.loss_weights.iter().chain(&lead.loss_weights).all(|&weight| weight == 0.0);
    let backward = (lead.backward || next.backward) && plan != MemoryPlan::ForwardOnly;
    let absorbs = lead.traits.absorbs;
    let used = absorbs.absorb(lead.absorbed, follower).filter(|_| absorbs.backward || !backward);
    let Some(used) = used.filter(|_| same_blob && flows && plain) else { return false };
    lead.layer.fuse(Fusion::Absorb(follower));
    lead.absorbed = used;
    lead.followers.push(index);
    lead.backward |= next.backward;
    next.idle = true;
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

/// Decides for every absorbed ReLU who applies its mask.
pub(crate) fn place_masks(mut placement: Placement) -> Placement {
    let layers = &mut placement.layers;
    for leader in 0..layers.len() {
        let Some(slope) = relu_slope(layers, leader).filter(|_| layers[leader].backward) else {
            continue;
        };
        match reader_that_masks(layers, layers[leader].tops[0]) {
            Some((reader, bottom)) => layers[reader].masks[bottom] = Some(slope),
            None => layers[leader].unmasked = true,
        }
    }
    for concat in 0..layers.len() {
        mask_joined(layers, concat);
    }
    placement
}

/// The slope of the ReLU that a layer absorbed.
fn relu_slope(layers: &[PlacedLayer], leader: usize) -> Option<f32> {
    layers[leader].followers.iter().find_map(|&follower| match layers[follower].traits.follower {
        Some(Follower::Relu { slope }) => Some(slope),
        _ => None,
    })
}

/// The reader of `blob`, and which of its bottoms that is, if it can mask that bottom's diff.
fn reader_that_masks(layers: &[PlacedLayer], blob: BlobId) -> Option<(usize, usize)> {
    let reads = |layer: &PlacedLayer| !layer.idle && layer.bottoms.contains(&blob);
    let index = layers.iter().position(reads)?;
    let reader = &layers[index];
    let bottom = reader.bottoms.iter().position(|&bottom| bottom == blob)?;
    let masks = reader.traits.bottom_diffs == BottomDiffs::Masked;
    let can = masks && reader.backward && reader.propagate[bottom] && !reader.in_place;
    can.then_some((index, bottom))
}

/// Where all branches of a joined blob wait for the mask of the same ReLU, the blob's reader
/// applies it.
fn mask_joined(layers: &mut [PlacedLayer], concat: usize) {
    if !(layers[concat].idle && layers[concat].traits.tops == TopMemory::JoinedChannels) {
        return;
    }
    let makers: Vec<usize> = (layers[concat].bottoms.iter())
        .filter_map(|branch| layers.iter().position(|l| !l.idle && l.tops.contains(branch)))
        .collect();
    let mut slopes =
        makers.iter().map(|&maker| relu_slope(layers, maker).filter(|_| layers[maker].unmasked));
    let Some(Some(slope)) = slopes.next() else { return };
    let same = |other: Option<f32>| other.is_some_and(|o| o.to_bits() == slope.to_bits());
    if !slopes.all(same) {
        return;
    }
    if let Some((reader, bottom)) = reader_that_masks(layers, layers[concat].tops[0]) {
        layers[reader].masks[bottom] = Some(slope);
        makers.into_iter().for_each(|maker| layers[maker].unmasked = false);
    }
}

#[cfg(test)]
mod tests;
