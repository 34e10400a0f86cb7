//! Concat in place: its bottoms become channels of its top, written and read there by their makers.
//!
//! Channels-last, a branch's channels are adjacent within every row of the top; a layer that [can
//! be placed](TopMemory::OwnOrPlaced) writes rows with gaps and reads its diff in rows with gaps.
//! So inception modules copy nothing, in either direction. Where one bottom cannot be placed, all
//! are copied.

use layers::{RowPlacement, TopMemory};
use tensor::Layout;

use crate::ids::BlobId;
use crate::placed::{ConcatBranch, LayerRole, PlacedLayer, Placement};

/// Joins the bottoms of every Concat that allows it.
pub(crate) fn join(mut placement: Placement) -> Placement {
    for index in 0..placement.layers.len() {
        if !can_join(&placement, index) {
            continue;
        }
        let Placement { layers, blobs } = &mut placement;
        let layer = &mut layers[index];
        layer.role = LayerRole::Joined;
        let top = layer.tops[0];
        let (stride, mut offset) = (blobs[top].shape.dims()[1], 0);
        for &bottom in &layer.bottoms {
            let rows = RowPlacement { stride, offset };
            blobs[bottom].branch = Some(ConcatBranch { top, rows });
            offset += blobs[bottom].shape.dims()[1];
        }
    }
    placement
}

fn can_join(placement: &Placement, index: usize) -> bool {
    let Placement { layers, blobs } = placement;
    let layer = &layers[index];
    let channels_last = |blob: BlobId| {
        blobs[blob].shape.nchw().is_some() && blobs[blob].layout == Layout::ChannelsLast
    };
    layer.traits.tops == TopMemory::JoinedChannels
        && channels_last(layer.tops[0])
        && blobs[layer.tops[0]].branch.is_none()
        && (layer.bottoms.iter())
            .all(|&branch| channels_last(branch) && is_placeable(layers, index, branch))
}

/// Whether a layer that can write with gaps makes `branch`, and nobody but the Concat uses it.
fn is_placeable(layers: &[PlacedLayer], concat: usize, branch: BlobId) -> bool {
    let touches =
        |layer: &PlacedLayer| layer.tops.contains(&branch) || layer.bottoms.contains(&branch);
    let mut users = (layers.iter().enumerate())
        .filter(|&(index, layer)| index != concat && layer.runs() && touches(layer))
        .map(|(_, layer)| layer);
    let maker = users.next().is_some_and(|layer| {
        layer.traits.tops == TopMemory::OwnOrPlaced
            && layer.tops[..] == [branch]
            && !layer.bottoms.contains(&branch)
            && layer.loss_weights == [0.0]
    });
    let once = layers[concat].bottoms.iter().filter(|&&bottom| bottom == branch).count() == 1;
    maker && once && users.next().is_none()
}
