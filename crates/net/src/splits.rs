//! Gives every blob one reader: where a top is read more than once, a Split layer is inserted.
//!
//! A use as a loss (`loss_weight`) counts as a reader, so that backward adds the loss's gradient.
//! Names are Caffe's: blob `ip2` of layer `ip2` becomes `ip2_ip2_0_split_0`, `ip2_ip2_0_split_1`,
//! ….

use std::collections::BTreeMap;

use caffe_format::{LayerParameter, NetParameter};

/// A top or bottom: which layer, and which of its tops or bottoms.
type LayerSlot = (usize, usize);

/// Inserts Split layers. Bottoms that no earlier layer makes are left as they are; the graph pass
/// reports them.
#[must_use]
pub(crate) fn insert_splits(net: &NetParameter) -> NetParameter {
    let TopUses { readers, weights, sources } = TopUses::count(net);
    let mut given = BTreeMap::<LayerSlot, usize>::new();
    let mut layers = Vec::with_capacity(net.layer.len());
    for (i, original) in net.layer.iter().enumerate() {
        let mut layer = original.clone();
        for (j, bottom) in layer.bottom.iter_mut().enumerate() {
            let Some(&source) = sources.get(&(i, j)) else { continue };
            if readers[&source] > 1 {
                let next = given.entry(source).or_default();
                *bottom = blob_name(&net.layer[source.0], source.1, *next);
                *next += 1;
            }
        }
        let mut inserted = Vec::new();
        for top in 0..original.top.len() {
            let slot = (i, top);
            let count = readers.get(&slot).copied().unwrap_or(0);
            if count > 1 {
                let weight = weights.get(&slot).copied().unwrap_or(0.0);
                inserted.push(split(original, top, count, weight));
                if weight != 0.0 {
                    layer.loss_weight.clear();
                    *given.entry(slot).or_default() += 1; // the loss reads the first
                }
            }
        }
        layers.push(layer);
        layers.append(&mut inserted);
    }
    NetParameter { layer: layers, ..net.clone() }
}

struct TopUses {
    /// How often each top is read, by layers and as a loss.
    readers: BTreeMap<LayerSlot, usize>,
    /// Loss weight of each top that has one.
    weights: BTreeMap<LayerSlot, f32>,
    /// Which top each bottom reads.
    sources: BTreeMap<LayerSlot, LayerSlot>,
}

impl TopUses {
    fn count(net: &NetParameter) -> Self {
        let mut uses =
            Self { readers: BTreeMap::new(), weights: BTreeMap::new(), sources: BTreeMap::new() };
        let mut last = BTreeMap::<&str, LayerSlot>::new();
        for (i, layer) in net.layer.iter().enumerate() {
            for (j, bottom) in layer.bottom.iter().enumerate() {
                if let Some(&source) = last.get(bottom.as_str()) {
                    uses.sources.insert((i, j), source);
                    *uses.readers.entry(source).or_default() += 1;
                }
            }
            for (j, top) in layer.top.iter().enumerate() {
                last.insert(top, (i, j));
            }
            for (j, &weight) in layer.loss_weight.iter().take(layer.top.len()).enumerate() {
                uses.weights.insert((i, j), weight);
                if weight != 0.0 {
                    *uses.readers.entry((i, j)).or_default() += 1;
                }
            }
        }
        uses
    }
}

fn blob_name(layer: &LayerParameter, top: usize, index: usize) -> String {
    format!("{}_{}_{top}_split_{index}", layer.top[top], layer.name())
}

fn split(layer: &LayerParameter, top: usize, count: usize, weight: f32) -> LayerParameter {
    let mut split = LayerParameter {
        name: Some(format!("{}_{}_{top}_split", layer.top[top], layer.name())),
        type_: Some("Split".into()),
        bottom: vec![layer.top[top].clone()],
        top: (0..count).map(|index| blob_name(layer, top, index)).collect(),
        ..LayerParameter::default()
    };
    if weight != 0.0 {
        split.loss_weight = vec![0.0; count];
        split.loss_weight[0] = weight;
    }
    split
}
