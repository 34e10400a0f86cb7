//! `infogain_loss_param.source`: the matrix of an InfogainLoss, from its file into its layer.
//!
//! Layers read no files, so the blob is put where the layer looks for it, before the net is
//! compiled. Layers that the net's state leaves out need no file.

use std::borrow::Cow;

use caffe_format::{LayerParameter, NetParameter};
use data::PathRoot;
use net::filter::filter;

use crate::TrainError;

/// `written`, with every matrix that a layer of the net names. Paths are relative to `root`.
pub fn attach_matrices(
    written: &NetParameter,
    root: impl Into<PathRoot>,
) -> Result<Cow<'_, NetParameter>, TrainError> {
    let root = root.into();
    if !written.layer.iter().any(names_matrix) {
        return Ok(Cow::Borrowed(written));
    }
    let mut net = written.clone();
    for (index, layer) in net.layer.iter_mut().enumerate().filter(|(_, l)| names_matrix(l)) {
        if !is_kept(written, index) {
            continue;
        }
        let name = layer.infogain_loss_param().source();
        if let Some(path) = root.misplaced(name) {
            return Err(TrainError::MisplacedMatrix { layer: layer.name().into(), path });
        }
        let blob = snapshot::load_blob(&root.join(name))
            .map_err(|source| TrainError::Matrix { layer: layer.name().into(), source })?;
        layer.blobs = vec![blob];
    }
    Ok(Cow::Owned(net))
}

/// A third bottom takes the file's place.
fn names_matrix(layer: &LayerParameter) -> bool {
    layer.type_() == "InfogainLoss"
        && layer.bottom.len() < 3
        && !layer.infogain_loss_param().source().is_empty()
}

/// Whether the layer's rules admit the net's state; contradictory ones are the compiler's to
/// report.
fn is_kept(net: &NetParameter, layer: usize) -> bool {
    let alone = NetParameter {
        state: net.state.clone(),
        layer: vec![net.layer[layer].clone()],
        ..NetParameter::default()
    };
    filter(&alone).is_ok_and(|(kept, _)| !kept.layer.is_empty())
}
