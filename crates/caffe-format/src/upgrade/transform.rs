//! `scale`, `mean_file`, `crop_size` and `mirror` of V1 data layers, moved to `transform_param`.
//!
//! Caffe looks at the whole net: if one data layer has such a field, all data layers get both
//! messages, be they empty. We do the same, so that the result is the same message.

use super::UpgradeChange;
use crate::{
    NetParameter, TransformationParameter, V1LayerParameter, V1LayerParameterLayerType as Type,
};

pub(super) fn net(net: &mut NetParameter, changes: &mut Vec<UpgradeChange>) {
    if net.layers.iter_mut().filter_map(fields).any(|old| old.is_set()) {
        for layer in &mut net.layers {
            upgrade(layer);
        }
        changes.push(UpgradeChange::TransformFields);
    }
}

/// The four fields, wherever the layer's type keeps them.
struct Fields<'a> {
    scale: &'a mut Option<f32>,
    mean_file: &'a mut Option<String>,
    crop_size: &'a mut Option<u32>,
    mirror: &'a mut Option<bool>,
}

impl Fields<'_> {
    fn is_set(&self) -> bool {
        self.scale.is_some()
            || self.mean_file.is_some()
            || self.crop_size.is_some()
            || self.mirror.is_some()
    }
}

fn upgrade(layer: &mut V1LayerParameter) {
    match layer.type_() {
        Type::Data => drop(layer.data_param.get_or_insert_default()),
        Type::ImageData => drop(layer.image_data_param.get_or_insert_default()),
        Type::WindowData => drop(layer.window_data_param.get_or_insert_default()),
        _ => return,
    }
    let mut new = layer.transform_param.take().unwrap_or_default();
    if let Some(old) = fields(layer) {
        take(old, &mut new);
    }
    layer.transform_param = Some(new);
}

fn take(old: Fields<'_>, new: &mut TransformationParameter) {
    new.scale = old.scale.take().or(new.scale);
    new.mean_file = old.mean_file.take().or_else(|| new.mean_file.take());
    new.crop_size = old.crop_size.take().or(new.crop_size);
    new.mirror = old.mirror.take().or(new.mirror);
}

fn fields(layer: &mut V1LayerParameter) -> Option<Fields<'_>> {
    macro_rules! fields {
        ($param:ident) => {{
            let old = layer.$param.as_mut()?;
            Some(Fields {
                scale: &mut old.scale,
                mean_file: &mut old.mean_file,
                crop_size: &mut old.crop_size,
                mirror: &mut old.mirror,
            })
        }};
    }
    match layer.type_() {
        Type::Data => fields!(data_param),
        Type::ImageData => fields!(image_data_param),
        Type::WindowData => fields!(window_data_param),
        _ => None,
    }
}
