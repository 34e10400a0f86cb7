//! V0 to V1: `layers { layer { type: "conv" num_output: 8 } }` to `layers { type: CONVOLUTION ..
//! }`.
//!
//! V0 layers had one flat list of parameters. Each goes to the message of its layer's type; one
//! that means nothing for the type is dropped with a notice. As in Caffe, only the net's name,
//! layers, `input`, `input_dim` and `force_backward` survive.

mod params;

use super::{UpgradeChange, UpgradeError, padding};
use crate::{NetParameter, V0LayerParameter, V1LayerParameter, V1LayerParameterLayerType as Type};

pub(super) fn net(
    net: NetParameter,
    changes: &mut Vec<UpgradeChange>,
) -> Result<NetParameter, UpgradeError> {
    if net.layers.iter().all(|layer| layer.layer.is_none()) {
        return Ok(net);
    }
    let NetParameter { name, input, input_dim, force_backward, layers, .. } = net;
    let layers = padding::fold(&input, layers)?;
    let layers: Result<_, _> = layers.into_iter().map(|old| layer(old, changes)).collect();
    changes.push(UpgradeChange::V0Layers);
    Ok(NetParameter {
        name,
        input,
        input_dim,
        force_backward,
        layers: layers?,
        ..NetParameter::EMPTY
    })
}

fn layer(
    old: V1LayerParameter,
    changes: &mut Vec<UpgradeChange>,
) -> Result<V1LayerParameter, UpgradeError> {
    let V1LayerParameter { bottom, top, layer, .. } = old;
    let mut v0 = layer.unwrap_or_default();
    let kind = v0.type_.take().map(|kind| layer_type(&v0, &kind).map(|type_| (kind, type_)));
    let (kind, type_) = kind.transpose()?.unzip();
    let new = V1LayerParameter {
        bottom,
        top,
        name: v0.name.take(),
        type_,
        blobs: std::mem::take(&mut v0.blobs),
        blobs_lr: std::mem::take(&mut v0.blobs_lr),
        weight_decay: std::mem::take(&mut v0.weight_decay),
        ..V1LayerParameter::EMPTY
    };
    let kind = kind.unwrap_or_default();
    Ok(params::distribute(v0, &kind, new, changes))
}

fn layer_type(v0: &V0LayerParameter, kind: &str) -> Result<Type, UpgradeError> {
    Ok(match kind {
        "accuracy" => Type::Accuracy,
        "bnll" => Type::Bnll,
        "concat" => Type::Concat,
        "conv" => Type::Convolution,
        "data" => Type::Data,
        "dropout" => Type::Dropout,
        "euclidean_loss" => Type::EuclideanLoss,
        "flatten" => Type::Flatten,
        "hdf5_data" => Type::Hdf5Data,
        "hdf5_output" => Type::Hdf5Output,
        "im2col" => Type::Im2col,
        "images" => Type::ImageData,
        "infogain_loss" => Type::InfogainLoss,
        "innerproduct" => Type::InnerProduct,
        "lrn" => Type::Lrn,
        "multinomial_logistic_loss" => Type::MultinomialLogisticLoss,
        "pool" => Type::Pooling,
        "relu" => Type::Relu,
        "sigmoid" => Type::Sigmoid,
        "softmax" => Type::Softmax,
        "softmax_loss" => Type::SoftmaxLoss,
        "split" => Type::Split,
        "tanh" => Type::Tanh,
        "window_data" => Type::WindowData,
        _ => {
            let layer = v0.name().to_owned();
            return Err(UpgradeError::V0Type { layer, kind: kind.to_owned() });
        }
    })
}
