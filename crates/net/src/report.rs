//! What a compiled net looks like: Caffe's build log, and a table of its layers.

use base::Shape;

use crate::Net;

/// One layer of the summary.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: &'static str,
    /// Shapes of its bottoms.
    pub bottoms: Vec<Shape>,
    /// Shapes of its tops.
    pub tops: Vec<Shape>,
    /// Values of its params, shared ones counted at their owner.
    pub params: usize,
    /// Values of the params that it reads, shared ones included.
    pub params_read: usize,
    /// Multiply-adds of one forward.
    pub multiply_adds: u64,
    /// Bytes of its tops' data, 0 for tops that share memory with a bottom.
    pub activation_bytes: usize,
    /// Inserted by a pass: a layout conversion.
    pub hidden: bool,
    /// Whether its tops are its bottom under another name, so that forward does nothing.
    pub alias: bool,
    /// What backward does.
    pub backward: Computes,
}

/// What a layer's backward computes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Computes {
    /// Gradients of its params.
    pub gradients: bool,
    /// The diff of a bottom.
    pub diffs: bool,
}

impl Net {
    /// One row a layer, in the order they run.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let row = |node: &crate::Node| {
            let name = node.written.name();
            let owned = |&&p: &&usize| self.params[p].layer == name;
            let alias = node.layer.alias() != layers::Alias::None;
            let fresh = !node.in_place && !alias;
            let shapes = || node.tops.iter().map(|&top| &self.blobs[top].shape);
            let values = |&p: &usize| self.params[p].values.len();
            Row {
                name: name.into(),
                kind: node.kind.name,
                bottoms: node.bottoms.iter().map(|&b| self.blobs[b].shape.clone()).collect(),
                tops: shapes().cloned().collect(),
                params: node.params.iter().filter(owned).map(values).sum(),
                params_read: node.params.iter().map(values).sum(),
                multiply_adds: node.layer.multiply_adds(),
                activation_bytes: if fresh { shapes().map(|s| 4 * s.count()).sum() } else { 0 },
                hidden: node.hidden,
                alias,
                backward: Computes {
                    gradients: node.backward && node.learn.contains(&true),
                    diffs: node.backward && node.propagate.contains(&true),
                },
            }
        };
        self.nodes.iter().map(row).collect()
    }
}

/// A change of memory order that the layout pass could not avoid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// The hidden layer that does it, as the per-layer calls count.
    pub layer: usize,
    /// The layer that makes the blob.
    pub maker: String,
    /// The layer that wants it in another order.
    pub reader: String,
    /// The blob.
    pub blob: String,
    /// Bytes of the blob: read once and written once, in forward and, if it has one, in backward.
    pub bytes: usize,
    /// Whether backward converts the diff back.
    pub backward: bool,
}

impl Net {
    /// Every conversion between memory orders, in the order they run.
    #[must_use]
    pub fn conversions(&self) -> Vec<Conversion> {
        let name = |node: Option<&crate::Node>| node.map_or("", |n| n.written.name()).to_owned();
        let conversion = |(layer, node): (usize, &crate::Node)| {
            let (from, to) = (node.bottoms[0], node.tops[0]);
            let before = self.nodes[..layer].iter().rev();
            Conversion {
                layer,
                maker: name(before.filter(|n| !n.idle).find(|n| n.tops.contains(&from))),
                reader: name(self.nodes[layer + 1..].iter().find(|n| n.bottoms.contains(&to))),
                blob: self.blobs[from].name.clone(),
                bytes: size_of::<f32>() * self.blobs[from].shape.count(),
                backward: node.backward,
            }
        };
        self.nodes.iter().enumerate().filter(|(_, node)| node.hidden).map(conversion).collect()
    }
}

/// What Caffe logs while it builds this net, after "Initializing net from parameters".
#[must_use]
pub fn build_log(net: &Net) -> Vec<String> {
    let mut lines = Vec::new();
    let mut memory = 0;
    for node in net.nodes.iter().filter(|node| !node.hidden) {
        let name = node.written.name();
        lines.push(format!("Creating Layer {name}"));
        lines.extend(node.written.bottom.iter().map(|blob| format!("{name} <- {blob}")));
        for (i, &top) in node.tops.iter().enumerate() {
            let blob = node.written.top.get(i).map_or("(automatic)", String::as_str);
            let note = if node.in_place && i == 0 { " (in-place)" } else { "" };
            lines.push(format!("{name} -> {blob}{note}"));
            memory += 4 * net.blobs[top].shape.count();
        }
        lines.push(format!("Setting up {name}"));
        for (&top, weight) in node.tops.iter().zip(&node.loss_weights) {
            lines.push(format!("Top shape: {}", net.blobs[top].shape));
            if *weight != 0.0 {
                lines.push(format!("    with loss weight {weight}"));
            }
        }
        lines.push(format!("Memory required for data: {memory}"));
        lines.extend(node.params.iter().enumerate().filter_map(|(index, &p)| {
            let param = &net.params[p];
            let shared = param.layer != name || param.index != index;
            shared.then(|| {
                let (name, owner, index) = (&param.name, &param.layer, param.index);
                format!("Sharing parameters '{name}' owned by layer '{owner}', param index {index}")
            })
        }));
    }
    for node in net.nodes.iter().rev().filter(|node| !node.hidden) {
        let verb = if node.backward { "needs" } else { "does not need" };
        lines.push(format!("{} {verb} backward computation.", node.written.name()));
    }
    let outputs = net.outputs.iter().map(|&blob| &net.blobs[blob].name);
    lines.extend(outputs.map(|name| format!("This network produces output {name}")));
    lines.push("Network initialization done.".into());
    lines
}
