//! What a compiled net looks like: what Caffe logs about it, and a table of its layers.

use base::Shape;
use caffe_format::{DataParameterDb, LayerParameter};
use serde::{Deserialize, Serialize};

use crate::blob_memory::BufferSize;
use crate::ids::{BlobId, ParamId};
use crate::placed::{PlacedLayer, PlacedNet};

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

impl LayerSummary {
    /// Floating-point operations of its multiply-adds in one forward, two each.
    #[must_use]
    pub fn forward_flops(&self) -> f64 {
        if self.alias { 0.0 } else { 2.0 * self.multiply_adds as f64 }
    }

    /// The same in one backward: once for the params' gradients, once for the bottoms' diffs.
    #[must_use]
    pub fn backward_flops(&self) -> f64 {
        let [gradients, diffs] = [self.backward.gradients, self.backward.diffs].map(f64::from);
        2.0 * (gradients + diffs) * self.multiply_adds as f64
    }
}

/// What a layer's backward computes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackwardWork {
    /// Gradients of its params.
    pub gradients: bool,
    /// The diff of a bottom.
    pub diffs: bool,
}

/// One row per layer, in the order they run.
pub(crate) fn rows(net: &PlacedNet) -> Vec<LayerSummary> {
    let row = |layer: &PlacedLayer| {
        let owned = |&&(p, _): &&(ParamId, Shape)| net.params[p].layer == layer.name();
        let alias = layer.traits.tops.is_bottom_data();
        let fresh = !layer.in_place && !alias;
        let shapes = |blobs: &[BlobId]| -> Vec<Shape> {
            blobs.iter().map(|&blob| net.blobs[blob].shape.clone()).collect()
        };
        let tops = shapes(&layer.tops);
        let bytes = (layer.tops.iter().map(|&top| &net.blobs[top]))
            .map(|top| BufferSize { values: top.shape.count(), format: top.format }.bytes())
            .sum();
        let values = |(p, _): &(ParamId, Shape)| net.params[*p].values.len();
        LayerSummary {
            name: layer.name().into(),
            kind: layer.kind.name,
            bottoms: shapes(&layer.bottoms),
            tops,
            params: layer.params.iter().filter(owned).map(values).sum(),
            params_read: layer.params.iter().map(values).sum(),
            multiply_adds: layer.layer.multiply_adds(),
            activation_bytes: if fresh { bytes } else { 0 },
            hidden: layer.hidden,
            alias,
            backward: BackwardWork {
                gradients: layer.backward && layer.learn.contains(&true),
                diffs: layer.backward && layer.propagate.contains(&true),
            },
        }
    };
    net.layers.iter().map(row).collect()
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
    /// What it reads, if it is a data layer.
    pub source: Option<SourceReport>,
    /// The file of the mean that it subtracts, as written.
    pub mean_file: Option<String>,
    /// Whether Caffe builds another layer inside, which it logs by the same name: the Softmax of a
    /// loss, the Bias of a Scale.
    pub inner: bool,
    /// Names of its bottoms.
    pub bottoms: Vec<String>,
    /// Its tops.
    pub tops: Vec<TopReport>,
    /// Params that it reads and another layer (or an earlier param of its own) owns.
    pub shared: Vec<SharedParam>,
    /// Whether backward runs it.
    pub needs_backward: bool,
}

/// What a data layer reads: paths as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceReport {
    /// An LMDB.
    Lmdb(String),
    /// A LevelDB.
    LevelDb(String),
    /// A list of HDF5 files.
    Hdf5List(String),
    /// A list of images.
    ImageList(String),
    /// A window file.
    Windows(String),
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
    #[serde(with = "crate::float_text")]
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

/// What the net consists of; layers that passes inserted are left out.
pub(crate) fn report(net: &PlacedNet) -> NetReport {
    let visible = net.layers.iter().filter(|layer| !layer.hidden);
    NetReport {
        layers: visible.map(|layer| layer_report(net, layer)).collect(),
        outputs: net.outputs.iter().map(|&blob| net.blobs[blob].name.clone()).collect(),
    }
}

fn layer_report(net: &PlacedNet, layer: &PlacedLayer) -> LayerReport {
    let top = |(index, (&top, &loss_weight)): (usize, (&BlobId, &f32))| {
        let shape = &net.blobs[top].shape;
        let (blob, bottom) = (layer.written.top.get(index), layer.written.bottom.get(index));
        TopReport {
            blob: blob.cloned(),
            shape: shape.dims().to_vec(),
            // As written: a pass may have given the layer a bottom of its own.
            in_place: blob.is_some() && blob == bottom,
            loss_weight,
            bytes: size_of::<f32>() * shape.count(),
        }
    };
    let shared = |(index, (param, _)): (usize, &(ParamId, Shape))| {
        let param = &net.params[*param];
        (param.layer != layer.name() || param.index != index).then(|| SharedParam {
            name: param.name.clone(),
            owner: param.layer.clone(),
            index: param.index,
        })
    };
    LayerReport {
        name: layer.name().into(),
        kind: layer.kind.name.into(),
        source: source(&layer.written),
        mean_file: layer.written.transform_param.as_ref().and_then(|param| param.mean_file.clone()),
        inner: match layer.kind.name {
            "SoftmaxWithLoss" | "InfogainLoss" => true,
            "Scale" => layer.written.scale_param().bias_term(),
            _ => false,
        },
        bottoms: layer.written.bottom.clone(),
        tops: layer.tops.iter().zip(&layer.loss_weights).enumerate().map(top).collect(),
        shared: layer.params.iter().enumerate().filter_map(shared).collect(),
        needs_backward: layer.backward,
    }
}

/// What `layer` reads, if it is a data layer.
fn source(layer: &LayerParameter) -> Option<SourceReport> {
    Some(match layer.type_() {
        "Data" => {
            let (param, source) = (layer.data_param(), layer.data_param().source().into());
            match param.backend() {
                DataParameterDb::Lmdb => SourceReport::Lmdb(source),
                DataParameterDb::Leveldb => SourceReport::LevelDb(source),
            }
        }
        "HDF5Data" => SourceReport::Hdf5List(layer.hdf5_data_param().source().into()),
        "ImageData" => SourceReport::ImageList(layer.image_data_param().source().into()),
        "WindowData" => SourceReport::Windows(layer.window_data_param().source().into()),
        _ => return None,
    })
}
