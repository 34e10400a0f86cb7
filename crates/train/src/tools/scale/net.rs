//! The net's part: batch sizes, and which params are decayed.

use caffe_format::text::{Outline, TextEdits};
use caffe_format::{LayerParameter, NetParameter, Phase};

use super::ScalingError;

/// Blocks of a data layer that hold its `batch_size`.
const DATA_PARAMS: [&str; 5] =
    ["data_param", "image_data_param", "hdf5_data_param", "memory_data_param", "window_data_param"];

/// Layers whose second param is a bias.
const WITH_BIAS: [&str; 4] = ["Convolution", "Deconvolution", "InnerProduct", "Embed"];

/// Layers all of whose params belong to a normalisation.
const NORMALISING: [&str; 2] = ["Scale", "Bias"];

const NO_DECAY: &str = "biases and normalisation are not decayed in large batches";

/// The batch of the TRAIN phase's data layers.
pub(super) fn batch_size(net: &NetParameter) -> Result<u64, ScalingError> {
    let mut sizes = net.layer.iter().filter(|layer| trains(layer)).filter_map(data_batch);
    let first = sizes.next().ok_or(ScalingError::NoBatchSize)?;
    match sizes.find(|&other| other != first) {
        Some(other) => Err(ScalingError::BatchSizes { first, other }),
        None => Ok(first),
    }
}

/// Sets the batch of the TRAIN phase's data layers to `batch`, and `decay_mult` where it must be 0.
pub(super) fn scale(
    net: &NetParameter,
    outline: &Outline,
    edits: &mut TextEdits<'_>,
    batch: u64,
) -> Result<(), ScalingError> {
    let written: Vec<&Outline> = outline.all("layer").collect();
    if written.len() != net.layer.len() {
        return Err(ScalingError::Old { what: "net" });
    }
    for (layer, written) in net.layer.iter().zip(written) {
        if trains(layer) && data_batch(layer).is_some() {
            let blocks = DATA_PARAMS.iter().filter_map(|name| written.field(name));
            for size in blocks.filter_map(|block| block.field("batch_size")) {
                edits.replace(&size.values[0], &batch.to_string(), "the new batch");
            }
        }
        leave_undecayed(layer, written, edits);
    }
    Ok(())
}

/// Whether the layer is part of the TRAIN phase by its own phase and rules on phases.
fn trains(layer: &LayerParameter) -> bool {
    let includes = |phase: Option<Phase>| phase.is_none_or(|phase| phase == Phase::Train);
    let included = layer.include.is_empty() || layer.include.iter().any(|r| includes(r.phase));
    included && !layer.exclude.iter().any(|rule| rule.phase == Some(Phase::Train))
}

fn data_batch(layer: &LayerParameter) -> Option<u64> {
    let size = match layer.type_() {
        "Data" => layer.data_param.as_ref()?.batch_size?,
        "ImageData" => layer.image_data_param.as_ref()?.batch_size?,
        "HDF5Data" => layer.hdf5_data_param.as_ref()?.batch_size?,
        "MemoryData" => layer.memory_data_param.as_ref()?.batch_size?,
        "WindowData" => layer.window_data_param.as_ref()?.batch_size?,
        _ => return None,
    };
    Some(u64::from(size))
}

/// Gives biases and the params of normalisation layers `decay_mult: 0`.
fn leave_undecayed(layer: &LayerParameter, written: &Outline, edits: &mut TextEdits<'_>) {
    let kind = layer.type_();
    let first_undecayed = match kind {
        _ if WITH_BIAS.contains(&kind) && has_bias(layer) => 1,
        _ if NORMALISING.contains(&kind) => 0,
        _ => return,
    };
    let params = if kind == "Scale" && !layer.scale_param().bias_term() { 1 } else { 2 };
    let params = if kind == "Bias" { 1 } else { params };
    let blocks: Vec<&Outline> = written.all("param").collect();
    for index in 0..params {
        let undecayed = index >= first_undecayed;
        match blocks.get(index) {
            Some(_) if !undecayed => {}
            Some(block) => match block.field("decay_mult") {
                Some(decay) => edits.replace(&decay.values[0], "0", NO_DECAY),
                None => edits.append(&block.values[0], "decay_mult: 0", NO_DECAY),
            },
            None if undecayed => {
                edits.append(&written.values[0], "param { decay_mult: 0 }", NO_DECAY);
            }
            None => edits.append(&written.values[0], "param { }", "the weights, as before"),
        }
    }
}

fn has_bias(layer: &LayerParameter) -> bool {
    match layer.type_() {
        "InnerProduct" => layer.inner_product_param().bias_term(),
        "Embed" => layer.embed_param().bias_term(),
        _ => layer.convolution_param().bias_term(),
    }
}
