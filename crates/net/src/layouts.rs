//! Assigns memory orders and inserts conversions where a reader wants another order than the
//! maker's.
//!
//! A blob keeps the order of the layer that makes it. A conversion is a hidden layer with a hidden
//! blob; where both orders coincide (one channel, or one pixel) the reader just takes the memory as
//! it is. Layers that work in place on a blob of the wrong order get a hidden copy and write it
//! back.

use base::Shape;
use caffe_format::LayerParameter;
use layers::{Backward, Forward, InPlace, Layer, LayerError, LayerKind, LayerTraits, LayoutRule};
use tensor::Layout;

use crate::ids::{BlobId, IdVec};
use crate::needs::BackwardNeed;
use crate::placed::{PlacedBlob, PlacedLayer, Placement};
use crate::shapes::{BuiltLayer, ShapedLayer};

/// Gives every blob a layout and inserts the conversions.
pub(crate) fn assign(layers: Vec<ShapedLayer>, blobs: IdVec<BlobId, PlacedBlob>) -> Placement {
    let mut to = Placement { layers: Vec::with_capacity(layers.len()), blobs };
    for shaped in layers {
        let mut layer = PlacedLayer::new(shaped);
        let order = order_for(&layer, &to.blobs);
        let mut back = None;
        for i in 0..layer.bottoms.len() {
            let blob = layer.bottoms[i];
            let want = of_shape(order, &to.blobs[blob].shape);
            layer.bottom_layouts[i] = want;
            if to.blobs[blob].layout == want || Layout::coincide(&to.blobs[blob].shape) {
                continue;
            }
            let name = format!("{} ({want:?})", to.blobs[blob].name);
            let hidden = to.add_hidden(blob, name, want);
            to.layers.push(conversion(&to.blobs, blob, hidden, layer.propagate[i]));
            layer.bottoms[i] = hidden;
            if layer.in_place && i == 0 {
                layer.tops[0] = hidden;
                back = Some((hidden, blob));
            }
        }
        let top_order = match layer.layer.layouts() {
            LayoutRule::AnyToRowMajor => Layout::RowMajor,
            _ => order,
        };
        for (i, &top) in layer.tops.iter().enumerate() {
            if !(layer.in_place && i == 0) {
                to.blobs[top].layout = of_shape(top_order, &to.blobs[top].shape);
            }
        }
        let backward = layer.backward;
        to.layers.push(layer);
        if let Some((hidden, blob)) = back {
            to.layers.push(conversion(&to.blobs, hidden, blob, backward));
        }
    }
    to
}

/// The order of a layer's bottoms.
fn order_for(layer: &PlacedLayer, blobs: &IdVec<BlobId, PlacedBlob>) -> Layout {
    match layer.layer.layouts() {
        LayoutRule::RowMajor => Layout::RowMajor,
        LayoutRule::ChannelsLast => Layout::ChannelsLast,
        LayoutRule::Same | LayoutRule::AnyToRowMajor => {
            let of = |&blob: &BlobId| blobs[blob].shape.nchw().map(|_| blobs[blob].layout);
            layer.bottoms.iter().find_map(of).unwrap_or(Layout::RowMajor)
        }
    }
}

fn of_shape(order: Layout, shape: &Shape) -> Layout {
    if shape.nchw().is_some() { order } else { Layout::RowMajor }
}

fn conversion(
    blobs: &IdVec<BlobId, PlacedBlob>,
    from: BlobId,
    to: BlobId,
    backward: bool,
) -> PlacedLayer {
    let written = LayerParameter {
        name: Some(format!("{} as {:?}", blobs[from].name, blobs[to].layout)),
        type_: Some(KIND.name.into()),
        ..LayerParameter::default()
    };
    let layout = blobs[from].layout;
    let built = BuiltLayer {
        kind: &KIND,
        written,
        layer: Box::new(LayoutConversionLayer { from: layout }),
        traits: LayerTraits::default(),
        decls: Vec::new(),
        bottoms: vec![from],
        tops: vec![to],
        in_place: false,
        loss_weights: vec![0.0],
        source: None,
    };
    let need = BackwardNeed { backward, propagate: vec![backward], learn: Vec::new() };
    let shaped = ShapedLayer { built, params: Vec::new(), need };
    PlacedLayer { hidden: true, bottom_layouts: vec![layout], ..PlacedLayer::new(shaped) }
}

/// Not in the layer table: users cannot write it.
static KIND: LayerKind = LayerKind {
    name: "Convert",
    formula: "y = x in another memory order",
    in_place: InPlace::Never,
    ..LayerKind::UNARY
};

struct LayoutConversionLayer {
    from: Layout,
}

impl Layer for LayoutConversionLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(bottoms.to_vec())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, shape) = (io.bottoms[0].data(), io.bottoms[0].shape);
        convert(io.cpu, shape, self.from, x, io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let top = &io.tops[0];
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
