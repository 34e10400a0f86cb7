//! Parameters in and out: model files, and one net using another's.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use base::Shape;
use caffe_format::{BlobProto, LayerParameter, NetParameter};

use tensor::{SharedSlab, SlabReadGuard};

use crate::description::LayerDescription;
use crate::{Net, Param, ParamStorage};

impl Net {
    /// All layers with the shapes of their params, in net order, and whether each param belongs to
    /// an earlier layer.
    #[must_use]
    pub fn layer_params(&self) -> Vec<(&str, Vec<(Shape, bool)>)> {
        let of = |layer: &LayerDescription| {
            let params = layer.params.iter().enumerate();
            params
                .map(|(index, (param, shape))| {
                    let owner = &self.params[*param];
                    (shape.clone(), owner.layer != layer.name() || owner.index != index)
                })
                .collect()
        };
        self.visible_layers().map(|layer| (layer.written.name(), of(layer))).collect()
    }

    /// Layers as Caffe has them, in the order they run.
    fn visible_layers(&self) -> impl Iterator<Item = &LayerDescription> {
        self.description.layers.iter().filter(|layer| !layer.hidden)
    }

    /// Sets param `index` of `layer` in the given slab and running state.
    ///
    /// # Panics
    ///
    /// If there is no such param or its number of values is another: callers matched both before.
    pub fn set_param(
        &self,
        layer: &str,
        index: usize,
        values: &[f32],
        params: &mut [f32],
        running: &mut [f32],
    ) {
        let layer = self.description.layers.iter().find(|other| other.name() == layer);
        let layer = layer.expect("the layer was matched by name");
        let param = &self.params[layer.params[index].0];
        match param.storage {
            _ if param.shared_from.is_some() => {
                let slab = param.shared_from.as_ref().expect("it is shared");
                slab.write(param.values.clone()).copy_from_slice(values);
            }
            ParamStorage::Slab => params[param.values.clone()].copy_from_slice(values),
            ParamStorage::Running => running[param.values.clone()].copy_from_slice(values),
            ParamStorage::Private | ParamStorage::PrivateRunning => {
                panic!("private params are not loaded")
            }
        }
    }

    /// The net with its params, as a model file holds it.
    #[must_use]
    pub fn model(&self, params: &[f32], running: &[f32]) -> NetParameter {
        let with_blobs = |layer: &LayerDescription| {
            let blobs = layer.params.iter().map(|(param, shape)| {
                let values = self.values_of(&self.params[*param], params, running);
                BlobProto::from_values(shape.dims(), values.to_vec())
            });
            LayerParameter { blobs: blobs.collect(), ..(*layer.written).clone() }
        };
        let layer = self.visible_layers().map(with_blobs).collect();
        NetParameter { layer, ..self.description.header.clone() }
    }

    /// Values of a param, wherever they are.
    pub(crate) fn values_of<'a>(
        &'a self,
        param: &'a Param,
        params: &'a [f32],
        running: &'a [f32],
    ) -> ParamValues<'a> {
        if let Some(slab) = &param.shared_from {
            return ParamValues::Shared(slab.read_range(param.values.clone()));
        }
        let memory = match param.storage {
            ParamStorage::Slab => params,
            ParamStorage::Running => running,
            ParamStorage::Private => &self.private,
            ParamStorage::PrivateRunning => &self.private_running,
        };
        ParamValues::Own(&memory[param.values.clone()])
    }

    /// Values of a param that is in no slab, by its number: running statistics, and what a net that
    /// [adopted](Self::adopt) others' has for itself. `None` for others.
    #[must_use]
    pub fn running_values<'a>(&'a self, param: usize, running: &'a [f32]) -> Option<&'a [f32]> {
        let param = &self.params.as_slice()[param];
        let memory = match param.storage {
            ParamStorage::Slab => return None,
            ParamStorage::Running => running,
            ParamStorage::Private => &self.private,
            ParamStorage::PrivateRunning => &self.private_running,
        };
        Some(&memory[param.values.clone()])
    }

    /// Sets such values; does nothing for others.
    ///
    /// # Panics
    ///
    /// If their number is another.
    pub fn set_running_values(&mut self, param: usize, values: &[f32], running: &mut [f32]) {
        let param = &self.params.as_slice()[param];
        let memory = match param.storage {
            ParamStorage::Slab => return,
            ParamStorage::Running => running,
            ParamStorage::Private => &mut self.private[..],
            ParamStorage::PrivateRunning => &mut self.private_running[..],
        };
        memory[param.values.clone()].copy_from_slice(values);
    }

    /// Makes this net use the values of `other`, layer by layer of the same name, as Caffe's nets
    /// share weights: those of learned params are `other`'s from now on, which are in `slabs[1]`
    /// unless it shares them itself; this net's own are in `slabs[0]`. Params that `other` does not
    /// have, gradients and running statistics stay this net's own. Names the first layer whose
    /// params have other shapes there; then nothing has changed.
    pub fn share_values(
        &mut self,
        other: &Self,
        slabs: [&Arc<SharedSlab>; 2],
    ) -> Result<(), String> {
        let [own, others] = slabs;
        let mut found = Vec::new();
        for id in self.params.ids() {
            let param = &self.params[id];
            let is_same =
                |theirs: &&Param| theirs.layer == param.layer && theirs.index == param.index;
            let Some(theirs) = other.params.iter().find(is_same) else { continue };
            if theirs.shape != param.shape {
                return Err(param.layer.clone());
            }
            if param.storage == ParamStorage::Slab && theirs.storage == ParamStorage::Slab {
                let slab = theirs.shared_from.as_ref().unwrap_or(others);
                // It may have shared ours: then they are at home again.
                let slab = (!Arc::ptr_eq(slab, own)).then(|| Arc::clone(slab));
                found.push((id, slab, theirs.values.clone()));
            }
        }
        for (id, slab, values) in found {
            (self.params[id].shared_from, self.params[id].values) = (slab, values);
        }
        Ok(())
    }

    /// Makes this net use the params of `other`, layer by layer of the same name, as a test net
    /// uses the train net's. Params that `other` does not have become private. Names the first
    /// layer whose params have other shapes there.
    pub fn adopt(&mut self, other: &Self) -> Result<(), String> {
        let mut theirs = BTreeMap::new();
        for layer in &other.description.layers {
            for (index, (param, _)) in layer.params.iter().enumerate() {
                theirs.insert((layer.name(), index), &other.params[*param]);
            }
        }
        let (mut private, mut private_running) = (0, 0);
        for param in self.params.iter_mut() {
            if let Some(source) = theirs.get(&(param.layer.as_str(), param.index)) {
                if source.shape != param.shape {
                    return Err(param.layer.clone());
                }
                (param.storage, param.values) = (source.storage, source.values.clone());
            } else {
                let end = match param.storage {
                    ParamStorage::Slab | ParamStorage::Private => {
                        param.storage = ParamStorage::Private;
                        &mut private
                    }
                    ParamStorage::Running | ParamStorage::PrivateRunning => {
                        param.storage = ParamStorage::PrivateRunning;
                        &mut private_running
                    }
                };
                param.values = *end..*end + param.shape.count();
                *end = param.values.end;
            }
            param.gradient = None;
        }
        self.ready.fill(0);
        Ok(())
    }

    /// Takes the private params of another copy of this net.
    pub fn copy_private(&mut self, other: &Self) {
        self.private = other.private.clone();
        self.private_running = other.private_running.clone();
    }

    /// A hash of all params' bits, learned and running, in net order.
    #[must_use]
    pub fn hash(&self, params: &[f32], running: &[f32]) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for param in self.params.iter() {
            let values = self.values_of(param, params, running);
            for value in values.iter() {
                // Multiplying by an odd number and folding the high half down mixes every bit.
                hash = (hash ^ u64::from(value.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                hash ^= hash >> 32;
            }
        }
        hash
    }
}

/// Values of a param while somebody looks at them.
pub(crate) enum ParamValues<'a> {
    /// In memory of the net or its caller.
    Own(&'a [f32]),
    /// In another net's.
    Shared(SlabReadGuard<'a>),
}

impl Deref for ParamValues<'_> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Self::Own(values) => values,
            Self::Shared(values) => values,
        }
    }
}
