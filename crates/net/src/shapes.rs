//! Builds the layers and shapes the blobs, first to last.

use base::Shape;
use layers::{LayerError, LayerTraits, Spec};
use tensor::Layout;

use crate::graph::{Graph, GraphNode};
use crate::{Blob, NetError, Node, OpenSources};

/// Every node with its layer built and every blob with its shape; later passes fill in the rest.
pub(crate) fn infer(
    graph: Graph,
    opener: &mut dyn OpenSources,
) -> Result<(Vec<Node>, Vec<Blob>), NetError> {
    let mut shapes: Vec<Option<Shape>> = vec![None; graph.blobs.len()];
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    let mut sources = 0;
    for wired in graph.nodes {
        let mut node = build(wired, &shapes, opener)?;
        let kind = node.kind;
        let tops = node.layer.reshape(&node.seen).map_err(|e| about(&node, e))?;
        node.traits = node.layer.traits();
        assert_eq!(tops.len(), node.tops.len(), "{} shapes all of its tops", kind.name);
        for (&top, shape) in node.tops.iter().zip(tops) {
            shapes[top] = Some(shape);
        }
        node.source = kind.has_source.then(|| {
            sources += 1;
            sources - 1
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
            placement: None,
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
    opener: &mut dyn OpenSources,
) -> Result<Node, NetError> {
    let GraphNode { kind, written, phase, bottoms, tops, in_place } = wired;
    let source_shapes = match kind.has_source {
        true => opener
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
        source_shapes: &source_shapes,
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
        traits: LayerTraits::default(),
        bottom_layouts: vec![Layout::RowMajor; bottoms.len()],
        propagate: vec![false; bottoms.len()],
        masks: vec![None; bottoms.len()],
        seen,
        bottoms,
        tops,
        in_place,
        params: Vec::new(),
        loss_weights,
        source: None,
        backward: false,
        learn: Vec::new(),
        idle: false,
        followers: Vec::new(),
        absorbed: 0,
        unmasked: false,
        shares_diff: false,
        written,
    })
}

pub(crate) fn about(node: &Node, source: LayerError) -> NetError {
    NetError::Layer { layer: node.written.name().into(), kind: node.kind.name, source }
}
