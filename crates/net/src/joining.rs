//! Concat in place: its bottoms become parts of its top, written and read there by their makers.
//!
//! Channels-last, a branch's channels are a run within every row of the top; a layer that
//! [can be placed](TopMemory::OwnOrPlaced) writes rows with gaps and reads its diff in rows with
//! gaps. So inception modules copy nothing, in either direction. Where one bottom cannot be placed, all
//! are copied as before.

use layers::{RowPlacement, TopMemory};
use tensor::Layout;

use crate::{Blob, Node};

/// Joins the bottoms of every Concat that allows it.
pub(crate) fn join(nodes: &mut [Node], blobs: &mut [Blob]) {
    for index in 0..nodes.len() {
        if !can_join(nodes, blobs, index) {
            continue;
        }
        let node = &mut nodes[index];
        node.idle = true;
        let top = node.tops[0];
        let channels = |blobs: &[Blob], blob: usize| blobs[blob].shape.dims()[1];
        let stride = channels(blobs, top);
        let mut offset = 0;
        for &part in &node.bottoms {
            let placement = Some(RowPlacement { stride, offset });
            offset += channels(blobs, part);
            let (data, diff) = (blobs[top].data, blobs[top].diff);
            blobs[part] = Blob { placement, data, diff, ..blobs[part].clone() };
        }
    }
}

fn can_join(nodes: &[Node], blobs: &[Blob], index: usize) -> bool {
    let node = &nodes[index];
    let last = |blob: usize| {
        blobs[blob].shape.nchw().is_some() && blobs[blob].layout == Layout::ChannelsLast
    };
    node.traits.tops == TopMemory::JoinedChannels
        && last(node.tops[0])
        && blobs[node.tops[0]].placement.is_none()
        && node.bottoms.iter().all(|&part| last(part) && is_placeable(nodes, index, part))
}

/// Whether a layer that can write with gaps makes `part`, and nobody but the Concat uses it.
fn is_placeable(nodes: &[Node], concat: usize, part: usize) -> bool {
    let touches = |node: &Node| node.tops.contains(&part) || node.bottoms.contains(&part);
    let mut users = (nodes.iter().enumerate())
        .filter(|&(index, node)| index != concat && !node.idle && touches(node))
        .map(|(_, node)| node);
    let maker = users.next().is_some_and(|node| {
        node.traits.tops == TopMemory::OwnOrPlaced
            && node.tops[..] == [part]
            && !node.bottoms.contains(&part)
            && node.loss_weights == [0.0]
    });
    let once = nodes[concat].bottoms.iter().filter(|&&bottom| bottom == part).count() == 1;
    maker && once && users.next().is_none()
}
