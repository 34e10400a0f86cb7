//! Draws a net as a Graphviz graph, as Caffe's `draw_net.py` does.
//!
//! Layers are boxes and blobs are octagons. A layer that runs in place has an edge from and to the
//! same blob, and another colour.

use std::fmt::Write as _;

use caffe_format::{ConvolutionParameter, LayerParameter, NetParameter, PoolingParameter};

/// In which direction data flows through the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    LeftRight,
    /// From top to bottom.
    TopBottom,
    /// From bottom to top, as Caffe's terms suggest.
    BottomTop,
}

// Graphviz's names, which are Caffe's.
base::names!(pub Direction { LeftRight = "LR", TopBottom = "TB", BottomTop = "BT" });

/// The graph in DOT, for `dot -Tsvg`. To draw one phase, filter the net first
/// ([`net::filter::filter`]).
#[must_use]
pub fn draw(net: &NetParameter, direction: Direction) -> String {
    let mut out = format!("digraph {} {{\n  rankdir={direction};\n", quoted(net.name()));
    let mut blobs: Vec<&str> = Vec::new();
    for (index, layer) in net.layer.iter().enumerate() {
        let in_place = layer.bottom.first().is_some_and(|bottom| layer.top.first() == Some(bottom));
        let fill = if in_place { "#90ee90" } else { "#6495ed" };
        let label = quoted(&label(layer));
        line(
            &mut out,
            &format!("l{index} [label={label} shape=box style=filled fillcolor=\"{fill}\"]"),
        );
        let mut blob = |name| match blobs.iter().position(|known| *known == name) {
            Some(at) => at,
            None => {
                blobs.push(name);
                blobs.len() - 1
            }
        };
        for bottom in &layer.bottom {
            let edge = format!("b{} -> l{index}", blob(bottom));
            line(&mut out, &edge);
        }
        for top in &layer.top {
            let edge = format!("l{index} -> b{}{}", blob(top), edge_label(layer));
            line(&mut out, &edge);
        }
    }
    for (index, name) in blobs.iter().enumerate() {
        let label = quoted(name);
        line(
            &mut out,
            &format!("b{index} [label={label} shape=octagon style=filled fillcolor=\"#e0e0e0\"]"),
        );
    }
    out.push_str("}\n");
    out
}

/// Name, type and, for sliding windows, their sizes.
fn label(layer: &LayerParameter) -> String {
    let window = match layer.type_() {
        "Convolution" | "Deconvolution" => convolution(layer.convolution_param()),
        "Pooling" => pooling(layer.pooling_param()),
        _ => String::new(),
    };
    format!("{}\n({}){window}", layer.name(), layer.type_())
}

/// The layer's `num_output`, if it has one.
fn edge_label(layer: &LayerParameter) -> String {
    let outputs = match layer.type_() {
        "Convolution" | "Deconvolution" => layer.convolution_param().num_output(),
        "InnerProduct" => layer.inner_product_param().num_output(),
        _ => return String::new(),
    };
    format!(" [label=\"{outputs}\"]")
}

fn convolution(p: &ConvolutionParameter) -> String {
    let sides = |each: &[u32], h: Option<u32>, w: Option<u32>, default: u32| match (each, h, w) {
        ([side], ..) => format!("{side}"),
        ([], None, None) => format!("{default}"),
        ([], h, w) => format!("{}x{}", h.unwrap_or(default), w.unwrap_or(default)),
        (each, ..) => each.iter().map(u32::to_string).collect::<Vec<_>>().join("x"),
    };
    let kernel = sides(&p.kernel_size, p.kernel_h, p.kernel_w, 0);
    let stride = sides(&p.stride, p.stride_h, p.stride_w, 1);
    let pad = sides(&p.pad, p.pad_h, p.pad_w, 0);
    format!("\nkernel {kernel} stride {stride} pad {pad}")
}

fn pooling(p: &PoolingParameter) -> String {
    let sides = |each: u32, h: Option<u32>, w: Option<u32>| match (h, w) {
        (None, None) => format!("{each}"),
        (h, w) => format!("{}x{}", h.unwrap_or(each), w.unwrap_or(each)),
    };
    let method = format!("{:?}", p.pool()).to_uppercase();
    if p.global_pooling() {
        return format!("\n{method} over the whole image");
    }
    let kernel = sides(p.kernel_size(), p.kernel_h, p.kernel_w);
    let stride = sides(p.stride(), p.stride_h, p.stride_w);
    let pad = sides(p.pad(), p.pad_h, p.pad_w);
    format!("\n{method} kernel {kernel} stride {stride} pad {pad}")
}

/// `text` as a DOT string.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "  {text};").expect("writing to a String cannot fail");
}
