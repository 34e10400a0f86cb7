//! Parameters in and out: model files, and one net using another's.

use std::collections::BTreeMap;

use base::Shape;
use caffe_format::{BlobProto, NetParameter};

use crate::{Home, Net};

impl Net {
    /// All layers with the shapes of their params, in net order, and whether each param belongs to an
    /// earlier layer.
    #[must_use]
    pub fn layer_params(&self) -> Vec<(&str, Vec<(Shape, bool)>)> {
        let of = |node: &crate::Node| {
            let decls = node.layer.params().into_iter().zip(&node.params).enumerate();
            decls
                .map(|(index, (decl, &param))| {
                    let owner = &self.params[param];
                    (decl.shape, owner.layer != node.written.name() || owner.index != index)
                })
                .collect()
        };
        let shown = self.nodes.iter().filter(|node| !node.hidden);
        shown.map(|node| (node.written.name(), of(node))).collect()
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
        let node = self.nodes.iter().find(|node| node.written.name() == layer);
        let node = node.expect("the layer was matched by name");
        let param = &self.params[node.params[index]];
        match param.home {
            Home::Slab => params[param.values.clone()].copy_from_slice(values),
            Home::Running => running[param.values.clone()].copy_from_slice(values),
            Home::Private => panic!("private params are not loaded"),
        }
    }

    /// The net with its params, as a model file holds it.
    #[must_use]
    pub fn model(&self, params: &[f32], running: &[f32]) -> NetParameter {
        let mut model = self.written.clone();
        let nodes = self.nodes.iter().filter(|node| !node.hidden);
        for (layer, node) in model.layer.iter_mut().zip(nodes) {
            layer.phase = node.written.phase;
            layer.blobs = (node.params.iter().map(|&p| &self.params[p]))
                .zip(node.layer.params())
                .map(|(param, decl)| {
                    let values = match param.home {
                        Home::Slab => &params[param.values.clone()],
                        Home::Running => &running[param.values.clone()],
                        Home::Private => &self.private[param.values.clone()],
                    };
                    BlobProto::from_values(decl.shape.dims(), values.to_vec())
                })
                .collect();
        }
        model
    }

    /// Makes this net use the params of `other`, layer by layer of the same name, as a test net uses
    /// the train net's. Params that `other` does not have become private. Names the first layer whose
    /// params have other shapes there.
    pub fn adopt(&mut self, other: &Self) -> Result<(), String> {
        let mut theirs = BTreeMap::new();
        for node in &other.nodes {
            for (index, &param) in node.params.iter().enumerate() {
                theirs.insert((node.written.name(), index), &other.params[param]);
            }
        }
        let mut private = 0;
        for param in &mut self.params {
            if let Some(source) = theirs.get(&(param.layer.as_str(), param.index)) {
                if source.shape != param.shape {
                    return Err(param.layer.clone());
                }
                (param.home, param.values) = (source.home, source.values.clone());
            } else {
                param.home = Home::Private;
                param.values = private..private + param.shape.count();
                private = param.values.end;
            }
            param.gradient = None;
        }
        self.ready.fill(0);
        Ok(())
    }

    /// Takes the private params of another copy of this net.
    pub fn copy_private(&mut self, other: &Self) {
        self.private = other.private.clone();
    }

    /// A hash of all params' bits, learned and running, in net order.
    #[must_use]
    pub fn hash(&self, params: &[f32], running: &[f32]) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for param in &self.params {
            let values = match param.home {
                Home::Slab => &params[param.values.clone()],
                Home::Running => &running[param.values.clone()],
                Home::Private => &self.private[param.values.clone()],
            };
            for value in values {
                // Multiplying by an odd number and folding the high half down mixes every bit.
                hash = (hash ^ u64::from(value.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                hash ^= hash >> 32;
            }
        }
        hash
    }
}
