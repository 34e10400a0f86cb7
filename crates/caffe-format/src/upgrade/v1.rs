//! V1 to Caffe 1.0: `layers { type: CONVOLUTION blobs_lr: 1 }` to `layer { type: "Convolution"
//! param { .. } }`.
//!
//! The messages of the layer types are the same; what changed is the type, from an enum to a
//! string, and the four parallel lists about learnable parameters, now one `param` each.

use super::{UpgradeChange, UpgradeError};
use crate::{
    LayerParameter, NetParameter, ParamSpec, ParamSpecDimCheckMode, V1LayerParameter,
    V1LayerParameterDimCheckMode as V1Mode, V1LayerParameterLayerType as Type,
};

pub(super) fn net(
    mut net: NetParameter,
    changes: &mut Vec<UpgradeChange>,
) -> Result<NetParameter, UpgradeError> {
    if net.layers.is_empty() {
        return Ok(net);
    }
    if !net.layer.is_empty() {
        return Err(UpgradeError::MixedLayers);
    }
    net.layer = std::mem::take(&mut net.layers).into_iter().map(layer).collect();
    changes.push(UpgradeChange::V1Layers);
    Ok(net)
}

fn layer(old: V1LayerParameter) -> LayerParameter {
    LayerParameter {
        param: params(&old),
        name: old.name,
        type_: old.type_.map(|type_| type_name(type_).to_owned()),
        bottom: old.bottom,
        top: old.top,
        include: old.include,
        exclude: old.exclude,
        blobs: old.blobs,
        loss_weight: old.loss_weight,
        transform_param: old.transform_param,
        loss_param: old.loss_param,
        accuracy_param: old.accuracy_param,
        argmax_param: old.argmax_param,
        concat_param: old.concat_param,
        contrastive_loss_param: old.contrastive_loss_param,
        convolution_param: old.convolution_param,
        data_param: old.data_param,
        dropout_param: old.dropout_param,
        dummy_data_param: old.dummy_data_param,
        eltwise_param: old.eltwise_param,
        exp_param: old.exp_param,
        hdf5_data_param: old.hdf5_data_param,
        hdf5_output_param: old.hdf5_output_param,
        hinge_loss_param: old.hinge_loss_param,
        image_data_param: old.image_data_param,
        infogain_loss_param: old.infogain_loss_param,
        inner_product_param: old.inner_product_param,
        lrn_param: old.lrn_param,
        memory_data_param: old.memory_data_param,
        mvn_param: old.mvn_param,
        pooling_param: old.pooling_param,
        power_param: old.power_param,
        relu_param: old.relu_param,
        sigmoid_param: old.sigmoid_param,
        softmax_param: old.softmax_param,
        slice_param: old.slice_param,
        tanh_param: old.tanh_param,
        threshold_param: old.threshold_param,
        window_data_param: old.window_data_param,
        ..LayerParameter::EMPTY
    }
}

/// As many as the longest of the four lists.
fn params(old: &V1LayerParameter) -> Vec<ParamSpec> {
    let lens =
        [old.param.len(), old.blob_share_mode.len(), old.blobs_lr.len(), old.weight_decay.len()];
    let count = lens.into_iter().max().unwrap_or(0);
    let spec = |i: usize| ParamSpec {
        name: old.param.get(i).cloned(),
        share_mode: old.blob_share_mode.get(i).map(|mode| match mode {
            V1Mode::Strict => ParamSpecDimCheckMode::Strict,
            V1Mode::Permissive => ParamSpecDimCheckMode::Permissive,
        }),
        lr_mult: old.blobs_lr.get(i).copied(),
        decay_mult: old.weight_decay.get(i).copied(),
        ..ParamSpec::EMPTY
    };
    (0..count).map(spec).collect()
}

fn type_name(type_: Type) -> &'static str {
    match type_ {
        Type::None => "",
        Type::Absval => "AbsVal",
        Type::Accuracy => "Accuracy",
        Type::Argmax => "ArgMax",
        Type::Bnll => "BNLL",
        Type::Concat => "Concat",
        Type::ContrastiveLoss => "ContrastiveLoss",
        Type::Convolution => "Convolution",
        Type::Data => "Data",
        Type::Deconvolution => "Deconvolution",
        Type::Dropout => "Dropout",
        Type::DummyData => "DummyData",
        Type::EuclideanLoss => "EuclideanLoss",
        Type::Eltwise => "Eltwise",
        Type::Exp => "Exp",
        Type::Flatten => "Flatten",
        Type::Hdf5Data => "HDF5Data",
        Type::Hdf5Output => "HDF5Output",
        Type::HingeLoss => "HingeLoss",
        Type::Im2col => "Im2col",
        Type::ImageData => "ImageData",
        Type::InfogainLoss => "InfogainLoss",
        Type::InnerProduct => "InnerProduct",
        Type::Lrn => "LRN",
        Type::MemoryData => "MemoryData",
        Type::MultinomialLogisticLoss => "MultinomialLogisticLoss",
        Type::Mvn => "MVN",
        Type::Pooling => "Pooling",
        Type::Power => "Power",
        Type::Relu => "ReLU",
        Type::Sigmoid => "Sigmoid",
        Type::SigmoidCrossEntropyLoss => "SigmoidCrossEntropyLoss",
        Type::Silence => "Silence",
        Type::Softmax => "Softmax",
        Type::SoftmaxLoss => "SoftmaxWithLoss",
        Type::Split => "Split",
        Type::Slice => "Slice",
        Type::Tanh => "TanH",
        Type::WindowData => "WindowData",
        Type::Threshold => "Threshold",
    }
}
