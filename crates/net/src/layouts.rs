//! Assigns memory orders and inserts conversions where a reader wants another order than the maker's.
//!
//! A blob keeps the order of the layer that makes it. A conversion is a hidden layer with a hidden
//! blob; where both orders coincide (one channel, or one pixel) the reader just takes the memory as it is.
//! Layers that work in place on a blob of the wrong order get a hidden copy and write it back.

use base::Shape;
use caffe_format::LayerParameter;
use layers::{Backward, Forward, InPlace, Layer, LayerError, LayerKind, LayerTraits, LayoutRule};
use tensor::Layout;

use crate::{Blob, Node};

/// Assigns every blob's layout; `nodes` and `blobs` grow by the conversions.
pub(crate) fn assign(nodes: &mut Vec<Node>, blobs: &mut Vec<Blob>) {
    let mut placed = Vec::with_capacity(nodes.len());
    for mut node in nodes.drain(..) {
        let order = order_for(&node, blobs);
        let mut back = None;
        for i in 0..node.bottoms.len() {
            let blob = node.bottoms[i];
            let want = of_shape(order, &blobs[blob].shape);
            node.bottom_layouts[i] = want;
            if blobs[blob].layout == want || Layout::coincide(&blobs[blob].shape) {
                continue;
            }
            let name = format!("{} ({want:?})", blobs[blob].name);
            let hidden = add_hidden(blobs, blob, name, want);
            placed.push(conversion(blobs, blob, hidden, node.propagate[i]));
            node.bottoms[i] = hidden;
            if node.in_place && i == 0 {
                node.tops[0] = hidden;
                back = Some((hidden, blob));
            }
        }
        for (i, &top) in node.tops.iter().enumerate() {
            if !(node.in_place && i == 0) {
                blobs[top].layout = of_shape(order, &blobs[top].shape);
            }
        }
        let propagate = node.backward;
        placed.push(node);
        if let Some((hidden, blob)) = back {
            placed.push(conversion(blobs, hidden, blob, propagate));
        }
    }
    *nodes = placed;
}

/// The order a node works in.
fn order_for(node: &Node, blobs: &[Blob]) -> Layout {
    match node.layer.layouts() {
        LayoutRule::RowMajor => Layout::RowMajor,
        LayoutRule::ChannelsLast => Layout::ChannelsLast,
        LayoutRule::Same => {
            let of = |&blob: &usize| blobs[blob].shape.nchw().map(|_| blobs[blob].layout);
            node.bottoms.iter().find_map(of).unwrap_or(Layout::RowMajor)
        }
    }
}

fn of_shape(order: Layout, shape: &Shape) -> Layout {
    if shape.nchw().is_some() { order } else { Layout::RowMajor }
}

/// A blob that users do not see, of the shape of another.
pub(crate) fn add_hidden(
    blobs: &mut Vec<Blob>,
    like: usize,
    name: String,
    layout: Layout,
) -> usize {
    let index = blobs.len();
    let like = &blobs[like];
    blobs.push(Blob {
        name,
        shape: like.shape.clone(),
        layout,
        data: index,
        diff: index,
        placement: None,
        live: false,
        given: false,
        hidden: true,
    });
    index
}

fn conversion(blobs: &[Blob], from: usize, to: usize, backward: bool) -> Node {
    let name = format!("{} as {:?}", blobs[from].name, blobs[to].layout);
    Node {
        kind: &KIND,
        written: LayerParameter {
            name: Some(name),
            type_: Some(KIND.name.into()),
            ..LayerParameter::default()
        },
        hidden: true,
        layer: Box::new(Convert { from: blobs[from].layout }),
        traits: LayerTraits::default(),
        bottoms: vec![from],
        tops: vec![to],
        in_place: false,
        bottom_layouts: vec![blobs[from].layout],
        seen: vec![blobs[from].shape.clone()],
        params: Vec::new(),
        loss_weights: vec![0.0],
        source: None,
        backward,
        propagate: vec![backward],
        learn: Vec::new(),
        idle: false,
        followers: Vec::new(),
        absorbed: 0,
        unmasked: false,
        masks: vec![None],
        shares_diff: false,
    }
}

/// Not in the layer table: users cannot write it.
static KIND: LayerKind = LayerKind {
    name: "Convert",
    formula: "y = x in another memory order",
    in_place: InPlace::Never,
    ..LayerKind::UNARY
};

struct Convert {
    from: Layout,
}

impl Layer for Convert {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(bottoms.to_vec())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, shape) = (io.bottoms[0].data(), io.bottoms[0].shape);
        convert(io.cpu, shape, self.from, x, io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let top = io.tops[0];
        if let Some(dx) = io.bottoms[0].diff.as_deref_mut() {
            convert(io.cpu, top.shape, top.layout, top.diff(), dx);
        }
        Ok(())
    }
}

/// Copies an image blob from order `from` into the other one.
pub(crate) fn convert(cpu: &kernels::Cpu, shape: &Shape, from: Layout, x: &[f32], y: &mut [f32]) {
    let Some([n, c, h, w]) = shape.nchw() else {
        y.copy_from_slice(x);
        return;
    };
    match from {
        Layout::RowMajor => kernels::layout::to_channels_last(cpu, n, c, h * w, x, y),
        Layout::ChannelsLast => kernels::layout::to_row_major(cpu, n, c, h * w, x, y),
    }
}
