//! V0's padding layers: their `pad` moves into the convolution or pooling that reads them.
//!
//! ```text
//! norm1 ─▶ pad2 (pad: 2) ─▶ conv2        norm1 ─▶ conv2 (pad: 2)
//! ```

use std::collections::BTreeMap;

use super::UpgradeError;
use crate::V1LayerParameter;

/// The layers without padding layers. `inputs` are the net's own blobs.
pub(super) fn fold(
    inputs: &[String],
    layers: Vec<V1LayerParameter>,
) -> Result<Vec<V1LayerParameter>, UpgradeError> {
    // What the blob's last writer padded: nothing, unless that was a padding layer.
    let mut writers: BTreeMap<String, Option<Padding>> =
        inputs.iter().map(|input| (input.clone(), None)).collect();
    let mut kept = Vec::with_capacity(layers.len());
    for mut layer in layers {
        let bottoms = layer.bottom.clone();
        for (i, bottom) in bottoms.iter().enumerate() {
            let writer = writers.get(bottom).ok_or_else(|| UpgradeError::UnknownBottom {
                layer: layer.layer().name().to_owned(),
                blob: bottom.clone(),
            })?;
            if let Some(padding) = writer {
                check(&layer, padding)?;
                layer.bottom[i].clone_from(&padding.bottoms[0]);
                layer.layer.get_or_insert_default().pad = Some(padding.pad);
            }
        }
        let is_padding = layer.layer().type_() == "padding";
        let padding = is_padding.then(|| Padding {
            name: layer.layer().name().to_owned(),
            pad: layer.layer().pad(),
            bottoms,
            tops: layer.top.len(),
        });
        for top in &layer.top {
            writers.insert(top.clone(), padding.clone());
        }
        if !is_padding {
            kept.push(layer);
        }
    }
    Ok(kept)
}

#[derive(Clone)]
struct Padding {
    name: String,
    pad: u32,
    bottoms: Vec<String>,
    tops: usize,
}

fn check(layer: &V1LayerParameter, padding: &Padding) -> Result<(), UpgradeError> {
    let why = match layer.layer().type_() {
        "conv" | "pool" if layer.bottom.len() != 1 => "it has more than one bottom",
        "conv" | "pool" if padding.bottoms.len() != 1 => "the padding has not one bottom",
        "conv" | "pool" if padding.tops != 1 => "the padding has not one top",
        "conv" | "pool" => return Ok(()),
        _ => "it is neither `conv` nor `pool`",
    };
    let layer = layer.layer().name().to_owned();
    Err(UpgradeError::Padding { layer, padding: padding.name.clone(), why })
}
