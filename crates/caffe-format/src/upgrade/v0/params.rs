//! Where each of V0's flat parameters goes, by the layer's type.

use crate::upgrade::UpgradeChange;
use crate::{
    ConvolutionParameter, DataParameter, ImageDataParameter, InnerProductParameter, LRNParameter,
    PoolingParameter, PoolingParameterPoolMethod as Pool, TransformationParameter,
    V0LayerParameter, V0LayerParameterPoolMethod as V0Pool, V1LayerParameter, WindowDataParameter,
};

/// The layer that is made, and how its type was called.
struct V1Layer<'a> {
    kind: &'a str,
    layer: V1LayerParameter,
    changes: &'a mut Vec<UpgradeChange>,
}

/// Moves the parameters of `v0`, a layer of V0 type `kind`, to their places in `layer`.
pub(super) fn distribute(
    mut v0: V0LayerParameter,
    kind: &str,
    layer: V1LayerParameter,
    changes: &mut Vec<UpgradeChange>,
) -> V1LayerParameter {
    let mut to = V1Layer { kind, layer, changes };
    to.weights(&mut v0);
    to.windows(&v0);
    to.values(&v0);
    to.source(&mut v0);
    to.detection(&mut v0);
    to.layer
}

impl V1Layer<'_> {
    /// Hands `value`, if set, to `place`, which says whether the layer's type has a place for it.
    fn put<T>(
        &mut self,
        name: &str,
        value: Option<T>,
        place: impl FnOnce(&str, &mut V1LayerParameter, T) -> Option<()>,
    ) {
        let Some(value) = value else { return };
        if place(self.kind, &mut self.layer, value).is_none() {
            self.changes.push(UpgradeChange::DroppedField {
                layer: self.layer.name().to_owned(),
                field: name.to_owned(),
                kind: self.kind.to_owned(),
            });
        }
    }

    fn weights(&mut self, v0: &mut V0LayerParameter) {
        self.put("num_output", v0.num_output, |kind, to, value| match kind {
            "conv" => set(&mut conv(to).num_output, value),
            "innerproduct" => set(&mut inner(to).num_output, value),
            _ => None,
        });
        self.put("biasterm", v0.biasterm, |kind, to, value| match kind {
            "conv" => set(&mut conv(to).bias_term, value),
            "innerproduct" => set(&mut inner(to).bias_term, value),
            _ => None,
        });
        self.put("weight_filler", v0.weight_filler.take(), |kind, to, value| match kind {
            "conv" => set(&mut conv(to).weight_filler, value),
            "innerproduct" => set(&mut inner(to).weight_filler, value),
            _ => None,
        });
        self.put("bias_filler", v0.bias_filler.take(), |kind, to, value| match kind {
            "conv" => set(&mut conv(to).bias_filler, value),
            "innerproduct" => set(&mut inner(to).bias_filler, value),
            _ => None,
        });
    }

    fn windows(&mut self, v0: &V0LayerParameter) {
        self.put("pad", v0.pad, |kind, to, value| match kind {
            "conv" => add(&mut conv(to).pad, value),
            "pool" => set(&mut pool(to).pad, value),
            _ => None,
        });
        self.put("kernelsize", v0.kernelsize, |kind, to, value| match kind {
            "conv" => add(&mut conv(to).kernel_size, value),
            "pool" => set(&mut pool(to).kernel_size, value),
            _ => None,
        });
        self.put("group", v0.group, |kind, to, value| match kind {
            "conv" => set(&mut conv(to).group, value),
            _ => None,
        });
        self.put("stride", v0.stride, |kind, to, value| match kind {
            "conv" => add(&mut conv(to).stride, value),
            "pool" => set(&mut pool(to).stride, value),
            _ => None,
        });
        self.put("pool", v0.pool, |kind, to, value| match kind {
            "pool" => set(&mut pool(to).pool, pool_method(value)),
            _ => None,
        });
    }

    fn values(&mut self, v0: &V0LayerParameter) {
        self.put("dropout_ratio", v0.dropout_ratio, |kind, to, value| match kind {
            "dropout" => set(&mut to.dropout_param.get_or_insert_default().dropout_ratio, value),
            _ => None,
        });
        self.put("local_size", v0.local_size, |kind, to, value| match kind {
            "lrn" => set(&mut lrn(to).local_size, value),
            _ => None,
        });
        self.put("alpha", v0.alpha, |kind, to, value| match kind {
            "lrn" => set(&mut lrn(to).alpha, value),
            _ => None,
        });
        self.put("beta", v0.beta, |kind, to, value| match kind {
            "lrn" => set(&mut lrn(to).beta, value),
            _ => None,
        });
        self.put("k", v0.k, |kind, to, value| match kind {
            "lrn" => set(&mut lrn(to).k, value),
            _ => None,
        });
        self.put("concat_dim", v0.concat_dim, |kind, to, value| match kind {
            "concat" => set(&mut to.concat_param.get_or_insert_default().concat_dim, value),
            _ => None,
        });
    }

    fn source(&mut self, v0: &mut V0LayerParameter) {
        self.put("source", v0.source.take(), |kind, to, value| match kind {
            "data" => set(&mut data(to).source, value),
            "hdf5_data" => set(&mut to.hdf5_data_param.get_or_insert_default().source, value),
            "images" => set(&mut images(to).source, value),
            "window_data" => set(&mut window(to).source, value),
            "infogain_loss" => {
                set(&mut to.infogain_loss_param.get_or_insert_default().source, value)
            }
            _ => None,
        });
        // These four went to every layer, whatever its type.
        self.put("scale", v0.scale, |_, to, value| set(&mut transform(to).scale, value));
        self.put("meanfile", v0.meanfile.take(), |_, to, value| {
            set(&mut transform(to).mean_file, value)
        });
        self.put("cropsize", v0.cropsize, |_, to, value| set(&mut transform(to).crop_size, value));
        self.put("mirror", v0.mirror, |_, to, value| set(&mut transform(to).mirror, value));
        self.put("batchsize", v0.batchsize, |kind, to, value| match kind {
            "data" => set(&mut data(to).batch_size, value),
            "hdf5_data" => set(&mut to.hdf5_data_param.get_or_insert_default().batch_size, value),
            "images" => set(&mut images(to).batch_size, value),
            "window_data" => set(&mut window(to).batch_size, value),
            _ => None,
        });
        self.put("rand_skip", v0.rand_skip, |kind, to, value| match kind {
            "data" => set(&mut data(to).rand_skip, value),
            "images" => set(&mut images(to).rand_skip, value),
            _ => None,
        });
        self.put("shuffle_images", v0.shuffle_images, |kind, to, value| match kind {
            "images" => set(&mut images(to).shuffle, value),
            _ => None,
        });
        // V0 had signed sizes; Caffe converts them as C does.
        self.put("new_height", v0.new_height, |kind, to, value| match kind {
            "images" => set(&mut images(to).new_height, value.cast_unsigned()),
            _ => None,
        });
        self.put("new_width", v0.new_width, |kind, to, value| match kind {
            "images" => set(&mut images(to).new_width, value.cast_unsigned()),
            _ => None,
        });
    }

    fn detection(&mut self, v0: &mut V0LayerParameter) {
        self.put("det_fg_threshold", v0.det_fg_threshold, |kind, to, value| match kind {
            "window_data" => set(&mut window(to).fg_threshold, value),
            _ => None,
        });
        self.put("det_bg_threshold", v0.det_bg_threshold, |kind, to, value| match kind {
            "window_data" => set(&mut window(to).bg_threshold, value),
            _ => None,
        });
        self.put("det_fg_fraction", v0.det_fg_fraction, |kind, to, value| match kind {
            "window_data" => set(&mut window(to).fg_fraction, value),
            _ => None,
        });
        self.put("det_context_pad", v0.det_context_pad, |kind, to, value| match kind {
            "window_data" => set(&mut window(to).context_pad, value),
            _ => None,
        });
        self.put("det_crop_mode", v0.det_crop_mode.take(), |kind, to, value| match kind {
            "window_data" => set(&mut window(to).crop_mode, value),
            _ => None,
        });
        self.put("hdf5_output_param", v0.hdf5_output_param.take(), |kind, to, value| match kind {
            "hdf5_output" => set(&mut to.hdf5_output_param, value),
            _ => None,
        });
    }
}

fn set<T>(place: &mut Option<T>, value: T) -> Option<()> {
    *place = Some(value);
    Some(())
}

fn add<T>(place: &mut Vec<T>, value: T) -> Option<()> {
    place.push(value);
    Some(())
}

fn conv(layer: &mut V1LayerParameter) -> &mut ConvolutionParameter {
    layer.convolution_param.get_or_insert_default()
}

fn inner(layer: &mut V1LayerParameter) -> &mut InnerProductParameter {
    layer.inner_product_param.get_or_insert_default()
}

fn pool(layer: &mut V1LayerParameter) -> &mut PoolingParameter {
    layer.pooling_param.get_or_insert_default()
}

fn lrn(layer: &mut V1LayerParameter) -> &mut LRNParameter {
    layer.lrn_param.get_or_insert_default()
}

fn data(layer: &mut V1LayerParameter) -> &mut DataParameter {
    layer.data_param.get_or_insert_default()
}

fn images(layer: &mut V1LayerParameter) -> &mut ImageDataParameter {
    layer.image_data_param.get_or_insert_default()
}

fn window(layer: &mut V1LayerParameter) -> &mut WindowDataParameter {
    layer.window_data_param.get_or_insert_default()
}

fn transform(layer: &mut V1LayerParameter) -> &mut TransformationParameter {
    layer.transform_param.get_or_insert_default()
}

fn pool_method(method: V0Pool) -> Pool {
    match method {
        V0Pool::Max => Pool::Max,
        V0Pool::Ave => Pool::Ave,
        V0Pool::Stochastic => Pool::Stochastic,
    }
}
