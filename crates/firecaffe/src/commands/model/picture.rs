//! A net as boxes and arrows: layers with type, shape, parameters and multiply-adds.

use caffe_format::{LayerParameter, NetParameter, Phase};
use net::{LayerSummary, MemoryPlan, describe};
use report::chart::{GraphBox, GraphDrawing};
use train::{FileSources, OnBadSample, Precision};

use super::draw::DrawArgs;
use crate::options::file_root;

/// Types of layers by colour: data, with params, losses and scores, the rest.
const COLORS: [&[&str]; 3] = [
    &["Data", "ImageData", "HDF5Data", "WindowData", "MemoryData", "DummyData", "Input"],
    &["Convolution", "Deconvolution", "InnerProduct", "Embed", "LSTM", "RNN", "Scale", "Bias"],
    &["SoftmaxWithLoss", "Softmax", "Accuracy", "EuclideanLoss", "HingeLoss"],
];

/// The drawing of `net`, whose layers are chosen already.
pub(super) fn draw(net: &NetParameter, args: &DrawArgs) -> GraphDrawing {
    let known = summaries(net, args).unwrap_or_default();
    let mut boxes: Vec<GraphBox> = Vec::new();
    // Who made each blob last: a layer that works in place makes it anew.
    let mut makers: Vec<(&str, usize)> = Vec::new();
    for (index, layer) in net.layer.iter().enumerate() {
        let maker = |bottom: &String| {
            makers.iter().rev().find(|(blob, _)| blob == bottom).map(|(_, maker)| *maker)
        };
        let needs = layer.bottom.iter().filter_map(maker).collect();
        let summary = known.iter().find(|row| row.name == layer.name());
        boxes.push(GraphBox { lines: lines(layer, summary), color: color(layer.type_()), needs });
        makers.extend(layer.top.iter().map(|top| (top.as_str(), index)));
    }
    GraphDrawing { title: net.name().to_owned(), boxes }
}

/// What the net consists of; `None` if it cannot be built.
fn summaries(net: &NetParameter, args: &DrawArgs) -> Option<Vec<LayerSummary>> {
    let root = file_root(&args.net);
    let state = Some(args.selection.state(args.phase.unwrap_or(Phase::Train)));
    let written = NetParameter { state, ..net.clone() };
    let net = train::attach_matrices(&written, root.clone()).ok()?;
    let mut sources = FileSources::alone(root, OnBadSample::Fail);
    let described = describe(&net, &mut sources, MemoryPlan::ForwardOnly, Precision::F32);
    described.ok().map(|(net, _)| net.rows)
}

fn lines(layer: &LayerParameter, summary: Option<&LayerSummary>) -> Vec<String> {
    let mut lines = vec![layer.name().to_owned(), layer.type_().to_owned()];
    let Some(row) = summary else { return lines };
    lines.extend(row.tops.iter().take(3).map(ToString::to_string));
    if row.params > 0 {
        lines.push(format!("{} parameters", counted(row.params as f64)));
    }
    if row.multiply_adds > 0 {
        lines.push(format!("{} multiply-adds", counted(row.multiply_adds as f64)));
    }
    lines
}

/// `1.23 M`.
fn counted(count: f64) -> String {
    match count {
        c if c >= 1e9 => format!("{:.2} G", c / 1e9),
        c if c >= 1e6 => format!("{:.2} M", c / 1e6),
        c if c >= 1e3 => format!("{:.1} k", c / 1e3),
        c => format!("{c}"),
    }
}

fn color(kind: &str) -> usize {
    let found = COLORS.iter().position(|kinds| kinds.contains(&kind));
    found.map_or(7, |color| [2, 0, 1][color])
}
