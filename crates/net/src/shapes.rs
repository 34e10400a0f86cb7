//! Builds the layers and shapes the blobs, first to last.

use base::Shape;
use layers::{LayerError, Spec};
use tensor::Layout;

use crate::graph::{Graph, GraphNode};
use crate::{Blob, NetError, Node, Sources};

/// Every node with its layer built and every blob with its shape; later passes fill in the rest.
pub(crate) fn infer(
    graph: Graph,
    sources: &mut dyn Sources,
) -> Result<(Vec<Node>, Vec<Blob>), NetError> {
    let mut shapes: Vec<Option<Shape>> = vec![None; graph.blobs.len()];
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    let mut feeds = 0;
    for wired in graph.nodes {
        let mut node = build(wired, &shapes, sources)?;
        let kind = node.kind;
        let tops = node.layer.reshape(&node.seen).map_err(|e| about(&node, e))?;
        assert_eq!(tops.len(), node.tops.len(), "{} shapes all of its tops", kind.name);
        for (&top, shape) in node.tops.iter().zip(tops) {
            shapes[top] = Some(shape);
        }
        node.feed = kind.fed.then(|| {
            feeds += 1;
            feeds - 1
        });
        nodes.push(node);
    }
    let blobs = (graph.blobs.into_iter().zip(shapes).enumerate())
        .map(|(index, (name, shape))| Blob {
            name,
            shape: shape.unwrap_or_default(),
            layout: Layout::RowMajor,
            data: index,
            diff: index,
            place: None,
            live: false,
            given: false,
            hidden: false,
        })
        .collect();
    Ok((nodes, blobs))
}

fn build(
    wired: GraphNode,
    shapes: &[Option<Shape>],
    sources: &mut dyn Sources,
) -> Result<Node, NetError> {
    let GraphNode { kind, written, phase, bottoms, tops, in_place } = wired;
    let fed = match kind.fed {
        true => sources
            .shapes(&written, phase)
            .map_err(|source| NetError::Source { layer: written.name().into(), source })?,
        false => Vec::new(),
    };
    let spec = Spec {
        layer: &written,
        phase,
        in_place,
        bottoms: bottoms.len(),
        tops: tops.len(),
        fed: &fed,
    };
    let layer = (kind.build)(&spec).map_err(|source| NetError::Layer {
        layer: written.name().into(),
        kind: kind.name,
        source,
    })?;
    let seen: Vec<Shape> = (bottoms.iter())
        .map(|&blob| shapes[blob].clone().expect("a bottom's maker comes before its reader"))
        .collect();
    let mut loss_weights = written.loss_weight.clone();
    loss_weights.resize(tops.len(), 0.0);
    if kind.loss && written.loss_weight.is_empty() {
        loss_weights[0] = 1.0;
    }
    Ok(Node {
        kind,
        hidden: false,
        layer,
        bottom_layouts: vec![Layout::RowMajor; bottoms.len()],
        propagate: vec![false; bottoms.len()],
        masks: vec![None; bottoms.len()],
        seen,
        bottoms,
        tops,
        in_place,
        params: Vec::new(),
        loss_weights,
        feed: None,
        backward: false,
        learn: Vec::new(),
        idle: false,
        followers: Vec::new(),
        unmasked: false,
        shares_diff: false,
        written,
    })
}

pub(crate) fn about(node: &Node, source: LayerError) -> NetError {
    NetError::Layer { layer: node.written.name().into(), kind: node.kind.name, source }
}
