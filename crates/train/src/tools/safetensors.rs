//! Converts models to safetensors files, which Python reads without Caffe, and back.
//!
//! Blob `i` of a layer is the tensor `<layer>/<i>`. The net is stored in the metadata as prototxt,
//! so that converting back gives the same model. A file without it becomes a model of layers with a
//! name and blobs, which is all that loading by layer name needs. Values are written as F32 and
//! read from F32, F64 or BF16.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ::safetensors::tensor::{Dtype, SafeTensors, TensorView};
use base::Shape;
use caffe_format::{BlobProto, LayerParameter, NetParameter, binary, text};
use snapshot::SnapshotError;

use crate::{TensorProblem, TrainError};

/// Key of the net's prototxt in the metadata.
const NET: &str = "caffe.net";

/// Converts a model file in any of Caffe's formats to safetensors.
pub fn to_safetensors(model: &Path, output: &Path) -> Result<(), TrainError> {
    let mut net = snapshot::load_model(model)?;
    let bad = |source| TrainError::Tensors { path: model.into(), source };
    let mut tensors = BTreeMap::new();
    for layer in &net.layer {
        for (index, blob) in layer.blobs.iter().enumerate() {
            let name = format!("{}/{index}", layer.name());
            let in_blob = |source| bad(TensorProblem::Blob { blob: name.clone(), source });
            let dims = blob.dims().map_err(in_blob)?;
            let values = blob.values().map_err(in_blob)?;
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            if tensors.insert(name.clone(), (dims, bytes)).is_some() {
                return Err(bad(TensorProblem::SameName { layer: layer.name().into() }));
            }
        }
    }
    let views: Result<Vec<_>, _> = (tensors.iter())
        .map(|(name, (dims, bytes))| Ok((name, TensorView::new(Dtype::F32, dims.clone(), bytes)?)))
        .collect();
    net.layer.iter_mut().for_each(|layer| layer.blobs.clear());
    let metadata = [("format".to_owned(), "caffe".to_owned()), (NET.to_owned(), text::write(&net))];
    let bytes = views
        .and_then(|views| ::safetensors::serialize(views, Some(metadata.into_iter().collect())))
        .map_err(|error| bad(error.into()))?;
    snapshot::atomic::write(output, &bytes).map_err(SnapshotError::Write)?;
    Ok(())
}

/// Converts a safetensors file to a `.caffemodel`.
pub fn from_safetensors(input: &Path, model: &Path) -> Result<(), TrainError> {
    let path = || input.to_owned();
    let bytes = fs::read(input).map_err(|source| TrainError::Read { path: path(), source })?;
    let net = read(&bytes).map_err(|source| TrainError::Tensors { path: path(), source })?;
    snapshot::atomic::write(model, &binary::write(&net)).map_err(SnapshotError::Write)?;
    Ok(())
}

fn read(bytes: &[u8]) -> Result<NetParameter, TensorProblem> {
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    let written = header.metadata().as_ref().and_then(|metadata| metadata.get(NET));
    let mut net: NetParameter = match written {
        Some(source) => text::read(NET, source)?,
        None => NetParameter::default(),
    };
    let mut tensors = SafeTensors::deserialize(bytes)?.tensors();
    let mut named = Vec::new();
    for (tensor, (name, _)) in tensors.iter().enumerate() {
        let split = name.rsplit_once('/');
        let split = split.and_then(|(layer, i)| Some((layer, i.parse::<usize>().ok()?)));
        let Some((layer, index)) = split else {
            return Err(TensorProblem::Name { tensor: name.clone() });
        };
        named.push((layer.to_owned(), index, tensor));
    }
    named.sort_unstable();
    for (layer, index, tensor) in named {
        let (name, view) = &mut tensors[tensor];
        let found = net.layer.iter().position(|found| found.name() == layer);
        let at = found.unwrap_or_else(|| {
            let name = Some(layer.clone());
            net.layer.push(LayerParameter { name, ..LayerParameter::default() });
            net.layer.len() - 1
        });
        let blobs = &mut net.layer[at].blobs;
        if blobs.len() != index {
            let (tensor, index) = (name.clone(), blobs.len());
            return Err(TensorProblem::Gap { tensor, layer, index });
        }
        let wrong = |source| TensorProblem::Shape { tensor: name.clone(), source };
        let shape = Shape::new(view.shape()).map_err(wrong)?;
        blobs.push(BlobProto::from_values(shape.dims(), values(name, view)?));
    }
    Ok(net)
}

#[expect(clippy::cast_possible_truncation, reason = "blobs are f32")]
fn values(name: &str, view: &TensorView<'_>) -> Result<Vec<f32>, TensorProblem> {
    let bytes = view.data();
    let f64s = || bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b) as f32);
    let bf16 = |&[low, high]: &[u8; 2]| f32::from_le_bytes([0, 0, low, high]);
    Ok(match view.dtype() {
        Dtype::F32 => bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect(),
        Dtype::F64 => f64s().collect(),
        Dtype::BF16 => bytes.as_chunks().0.iter().map(bf16).collect(),
        other => {
            let dtype = format!("{other:?}");
            return Err(TensorProblem::Type { tensor: name.into(), dtype });
        }
    })
}
