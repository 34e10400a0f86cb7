//! What a compiled net looks like: what Caffe logs about it, and a table of its layers.

use base::Shape;
use serde::{Deserialize, Serialize};

use crate::Net;

/// One layer of the summary.
#[derive(Debug, Clone)]
pub struct LayerSummary {
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
    pub backward: BackwardWork,
}

/// What a layer's backward computes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackwardWork {
    /// Gradients of its params.
    pub gradients: bool,
    /// The diff of a bottom.
    pub diffs: bool,
}

impl Net {
    /// One row per layer, in the order they run.
    #[must_use]
    pub fn rows(&self) -> Vec<LayerSummary> {
        let row = |node: &crate::Node| {
            let name = node.written.name();
            let owned = |&&p: &&usize| self.params[p].layer == name;
            let alias = node.traits.tops.is_bottom_data();
            let fresh = !node.in_place && !alias;
            let shapes = || node.tops.iter().map(|&top| &self.blobs[top].shape);
            let values = |&p: &usize| self.params[p].values.len();
            LayerSummary {
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
                backward: BackwardWork {
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
pub struct LayoutConversion {
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
    pub fn conversions(&self) -> Vec<LayoutConversion> {
        let name = |node: Option<&crate::Node>| node.map_or("", |n| n.written.name()).to_owned();
        let conversion = |(layer, node): (usize, &crate::Node)| {
            let (from, to) = (node.bottoms[0], node.tops[0]);
            let before = self.nodes[..layer].iter().rev();
            LayoutConversion {
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

/// What a compiled net consists of, as Caffe logs it while it builds one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetReport {
    /// Layers as written and splits that were inserted, in the order they run.
    pub layers: Vec<LayerReport>,
    /// Names of the blobs that no layer reads.
    pub outputs: Vec<String>,
}

/// One layer of a [`NetReport`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerReport {
    /// Its name.
    pub name: String,
    /// Its type, as written in a prototxt.
    pub kind: String,
    /// Names of its bottoms.
    pub bottoms: Vec<String>,
    /// Its tops.
    pub tops: Vec<TopReport>,
    /// Params that it reads and another layer (or an earlier param of its own) owns.
    pub shared: Vec<SharedParam>,
    /// Whether backward runs it.
    pub needs_backward: bool,
}

/// A top of a [`LayerReport`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopReport {
    /// Its name; `None` for one that the layer made without being asked.
    pub blob: Option<String>,
    /// Sizes of its axes, outermost first.
    pub shape: Vec<usize>,
    /// Whether it is a bottom's memory.
    pub in_place: bool,
    /// 0 for what is not a loss.
    pub loss_weight: f32,
    /// Bytes of its data, as Caffe counts them: tops in place too.
    pub bytes: usize,
}

/// A param that a layer shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedParam {
    /// The param's name.
    pub name: String,
    /// The layer that owns it.
    pub owner: String,
    /// Its index among the owner's params.
    pub index: usize,
}

impl Net {
    /// What the net consists of; layers that passes inserted are left out.
    #[must_use]
    pub fn report(&self) -> NetReport {
        let visible = self.nodes.iter().filter(|node| !node.hidden);
        NetReport {
            layers: visible.map(|node| self.layer_report(node)).collect(),
            outputs: self.outputs.iter().map(|&blob| self.blobs[blob].name.clone()).collect(),
        }
    }

    fn layer_report(&self, node: &crate::Node) -> LayerReport {
        let name = node.written.name();
        let top = |(index, (&top, &loss_weight)): (usize, (&usize, &f32))| {
            let shape = &self.blobs[top].shape;
            TopReport {
                blob: node.written.top.get(index).cloned(),
                shape: shape.dims().to_vec(),
                in_place: node.in_place && index == 0,
                loss_weight,
                bytes: size_of::<f32>() * shape.count(),
            }
        };
        let shared = |(index, &param): (usize, &usize)| {
            let param = &self.params[param];
            (param.layer != name || param.index != index).then(|| SharedParam {
                name: param.name.clone(),
                owner: param.layer.clone(),
                index: param.index,
            })
        };
        LayerReport {
            name: name.into(),
            kind: node.kind.name.into(),
            bottoms: node.written.bottom.clone(),
            tops: node.tops.iter().zip(&node.loss_weights).enumerate().map(top).collect(),
            shared: node.params.iter().enumerate().filter_map(shared).collect(),
            needs_backward: node.backward,
        }
    }
}
