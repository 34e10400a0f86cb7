//! Fusion: a layer takes over what the layers behind it do in place.
//!
//! Convolution + ReLU, BatchNorm + Scale + ReLU and Eltwise + ReLU each make one pass over memory less
//! per layer taken over, with the same bits. Who looks at blobs after a pass sees what Caffe shows:
//! all of it happens to one blob in place. What is between two such layers cannot be seen, so debug
//! output and nets whose diffs are looked at are compiled without this pass.
//!
//! Backward, a ReLU's mask is applied by whoever makes the diff if it can
//! ([`BottomDiffs::Masked`]: Split, which adds diffs up, and Pooling), else by the layer that took the ReLU over.

use layers::{BottomDiffs, Follower, Fusion, InPlaceCost, TopMemory};

use crate::layouts::add_hidden;
use crate::memory::MemoryPlan;
use crate::{Blob, Node};

/// Lets layers absorb what directly follows them.
pub(crate) fn fuse(nodes: &mut [Node], blobs: &mut Vec<Blob>, plan: MemoryPlan) {
    let mut leader = None;
    for index in 0..nodes.len() {
        if leader.is_some_and(|leader| absorb(nodes, leader, index, plan)) {
            continue;
        }
        let backward = nodes[index].backward && plan != MemoryPlan::ForwardOnly;
        if backward && nodes[index].in_place {
            move_apart(nodes, blobs, index);
        }
        // In place, its bottom's diff would be its top's: nothing can be kept apart there.
        leader = (!backward || !nodes[index].in_place).then_some(index);
    }
}

/// Whether the node at `index` became part of `leader`.
fn absorb(nodes: &mut [Node], leader: usize, index: usize, plan: MemoryPlan) -> bool {
    let Some(follower) = nodes[index].traits.follower else { return false };
    let changed_later = nodes[index + 1..]
        .iter()
        .any(|later| later.in_place && later.tops.first() == nodes[index].tops.first());
    if changed_later && matches!(follower, Follower::Relu { .. }) {
        return false; // backward would see what the later layer made of the values
    }
    let (before, rest) = nodes.split_at_mut(index);
    let (lead, node) = (&mut before[leader], &mut rest[0]);
    let same_blob = node.in_place && lead.tops == node.tops && node.bottoms == node.tops;
    let flows = node.propagate[0] || !lead.backward;
    let plain = node.loss_weights.iter().chain(&lead.loss_weights).all(|&weight| weight == 0.0);
    let backward = (lead.backward || node.backward) && plan != MemoryPlan::ForwardOnly;
    let absorbs = lead.traits.absorbs;
    let used = absorbs.absorb(lead.absorbed, follower).filter(|_| absorbs.backward || !backward);
    let Some(used) = used.filter(|_| same_blob && flows && plain) else { return false };
    lead.layer.fuse(Fusion::Absorb(follower));
    lead.absorbed = used;
    lead.followers.push(index);
    lead.backward |= node.backward;
    node.idle = true;
    true
}

/// Gives a layer that would have to copy its bottom a bottom of its own instead: the layers before it
/// write there.
fn move_apart(nodes: &mut [Node], blobs: &mut Vec<Blob>, index: usize) {
    let blob = nodes[index].tops[0];
    let made_by_layer = nodes[..index].iter().find(|node| node.tops.contains(&blob));
    // Users write into the tops of layers without bottoms.
    let may = made_by_layer.is_some_and(|maker| !maker.bottoms.is_empty());
    let copies = nodes[index].traits.in_place == InPlaceCost::CopiesBottom;
    if !(may && copies && nodes[index].bottoms.len() == 1) {
        return;
    }
    nodes[index].layer.fuse(Fusion::MoveApart);
    let name = format!("{} before {}", blobs[blob].name, nodes[index].written.name());
    let hidden = add_hidden(blobs, blob, name, blobs[blob].layout);
    for node in &mut nodes[..index] {
        for place in node.bottoms.iter_mut().chain(&mut node.tops).filter(|place| **place == blob) {
            *place = hidden;
        }
    }
    nodes[index].bottoms[0] = hidden;
    nodes[index].in_place = false;
}

/// Decides for every absorbed ReLU who applies its mask.
pub(crate) fn place_masks(nodes: &mut [Node]) {
    for leader in 0..nodes.len() {
        let Some(slope) = relu_slope(nodes, leader).filter(|_| nodes[leader].backward) else {
            continue;
        };
        let blob = nodes[leader].tops[0];
        let reader = nodes.iter().position(|node| !node.idle && node.bottoms.contains(&blob));
        let masker = reader.and_then(|reader| bottom_that_masks(&nodes[reader], blob, reader));
        match masker {
            Some((reader, bottom)) => nodes[reader].masks[bottom] = Some(slope),
            None => nodes[leader].unmasked = true,
        }
    }
    for join in 0..nodes.len() {
        mask_joined(nodes, join);
    }
}

/// The ReLU that a node absorbed.
fn relu_slope(nodes: &[Node], leader: usize) -> Option<f32> {
    nodes[leader].followers.iter().find_map(|&follower| match nodes[follower].traits.follower {
        Some(Follower::Relu { slope }) => Some(slope),
        _ => None,
    })
}

fn bottom_that_masks(node: &Node, blob: usize, index: usize) -> Option<(usize, usize)> {
    let bottom = node.bottoms.iter().position(|&bottom| bottom == blob)?;
    let can = node.traits.bottom_diffs == BottomDiffs::Masked
        && node.backward
        && node.propagate[bottom]
        && !node.in_place;
    can.then_some((index, bottom))
}

/// Where all parts of a joined blob wait for the mask of the same ReLU, the blob's reader applies it.
fn mask_joined(nodes: &mut [Node], join: usize) {
    if !(nodes[join].idle && nodes[join].traits.tops == TopMemory::JoinedChannels) {
        return;
    }
    let blob = nodes[join].tops[0];
    let makers: Vec<usize> = (nodes[join].bottoms.iter())
        .filter_map(|part| nodes.iter().position(|n| !n.idle && n.tops.contains(part)))
        .collect();
    let mut slopes =
        makers.iter().map(|&maker| relu_slope(nodes, maker).filter(|_| nodes[maker].unmasked));
    let Some(Some(slope)) = slopes.next() else { return };
    let same = |other: Option<f32>| other.is_some_and(|o| o.to_bits() == slope.to_bits());
    let reader = nodes.iter().position(|node| !node.idle && node.bottoms.contains(&blob));
    let masker = reader.and_then(|reader| bottom_that_masks(&nodes[reader], blob, reader));
    if let Some((reader, bottom)) = masker.filter(|_| slopes.all(same)) {
        drop(slopes);
        nodes[reader].masks[bottom] = Some(slope);
        makers.into_iter().for_each(|maker| nodes[maker].unmasked = false);
    }
}

#[cfg(test)]
mod tests;
