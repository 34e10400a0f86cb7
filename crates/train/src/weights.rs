//! A model file's blobs into a net's params, by layer name.

use caffe_format::NetParameter;
use net::Net;
use snapshot::weights::{TargetBlob, TargetLayer, WeightsError, match_layers};

/// Copies what matches and returns the names of the model's layers that the net does not have.
pub(crate) fn copy(
    net: &Net,
    model: &NetParameter,
    params: &mut [f32],
    running: &mut [f32],
) -> Result<Vec<String>, WeightsError> {
    let targets: Vec<TargetLayer> = (net.layer_params().into_iter())
        .map(|(name, blobs)| TargetLayer {
            name: name.into(),
            blobs: (blobs.into_iter())
                .map(|(shape, shared)| TargetBlob { shape, shared })
                .collect(),
        })
        .collect();
    let plan = match_layers(&targets, model)?;
    for copy in &plan.copies {
        let target = &targets[copy.target].name;
        let values = copy.blob(model).values().expect("checked by the matching");
        net.set_param(target, copy.blob, &values, params, running);
    }
    Ok(plan.ignored)
}
