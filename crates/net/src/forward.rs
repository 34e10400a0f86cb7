//! Forward, layer by layer.

use kernels::Cpu;
use layers::{Bottom, BottomMemory, DataSource, Forward, InlineVec, LayerError, Top};
use tensor::Layout;

use crate::{Blob, Home, Net, Node, ReplicaState, RunError};

/// Params that a node runs with: its own, then those of the layers whose part it does.
pub(crate) fn params_of(nodes: &[Node], index: usize) -> InlineVec<usize> {
    let followers = nodes[index].followers.iter().flat_map(|&follower| &nodes[follower].params);
    nodes[index].params.iter().chain(followers).copied().collect()
}

impl Net {
    /// Runs all layers and returns the loss: the weighted sum of all tops with a loss weight.
    pub fn forward(
        &mut self,
        cpu: &Cpu,
        params: &[f32],
        replica: &mut ReplicaState,
    ) -> Result<f32, RunError> {
        let mut loss = 0.0;
        for index in 0..self.nodes.len() {
            loss += self.forward_layer(index, cpu, params, replica)?;
        }
        Ok(loss)
    }

    /// Runs one layer and returns its term of the loss. All earlier ones must have run. `params` is
    /// the parameter slab.
    pub fn forward_layer(
        &mut self,
        index: usize,
        cpu: &Cpu,
        params: &[f32],
        replica: &mut ReplicaState,
    ) -> Result<f32, RunError> {
        self.follow_shapes(index)?;
        if !self.nodes[index].traits.tops.is_bottom_data() && !self.nodes[index].idle {
            self.run_forward(index, cpu, params, replica)
                .map_err(|source| self.culprit(index, source, &replica.sources))?;
        }
        let node = &self.nodes[index];
        let mut loss = 0.0;
        for (&top, &weight) in node.tops.iter().zip(&node.loss_weights) {
            if weight != 0.0 {
                let blob = &self.blobs[top];
                let sum: f32 = self.data[blob.data][..blob.shape.count()].iter().sum();
                loss += weight * sum;
            }
        }
        Ok(loss)
    }

    /// Lets the layer follow when a bottom's shape has changed since it last ran.
    fn follow_shapes(&mut self, index: usize) -> Result<(), RunError> {
        let node = &mut self.nodes[index];
        let blobs = &self.blobs;
        if node.bottoms.iter().zip(&node.seen).all(|(&blob, seen)| blobs[blob].shape == *seen) {
            return Ok(());
        }
        for ((seen, &bottom), &order) in
            node.seen.iter_mut().zip(&node.bottoms).zip(&node.bottom_layouts)
        {
            seen.clone_from(&blobs[bottom].shape);
            if order != blobs[bottom].layout && !Layout::coincide(seen) {
                let (layer, blob) = (node.written.name().into(), blobs[bottom].name.clone());
                return Err(RunError::Layout { layer, blob, got: seen.clone() });
            }
        }
        let layer = || node.written.name().to_owned();
        let tops = node.layer.reshape(&node.seen).map_err(|source| RunError::Layer {
            layer: layer(),
            record: None,
            source,
        })?;
        for (index, (decl, &param)) in node.layer.params().iter().zip(&node.params).enumerate() {
            let want = &self.params[param].shape;
            if decl.shape.count() != want.count() {
                let (layer, got, want) = (layer(), decl.shape.clone(), want.clone());
                return Err(RunError::ParamShape { layer, index, got, want });
            }
        }
        for (&top, shape) in node.tops.iter().zip(tops) {
            let blob = &mut self.blobs[top];
            blob.shape = shape;
            self.data[blob.data].grow(blob.extent());
            if !self.diff[blob.diff].is_empty() {
                self.diff[blob.diff].grow(blob.extent());
            }
        }
        Ok(())
    }

    fn run_forward(
        &mut self,
        index: usize,
        cpu: &Cpu,
        values: &[f32],
        replica: &mut ReplicaState,
    ) -> Result<(), LayerError> {
        let Self { nodes, blobs, data, params, private, diff, .. } = self;
        let used = params_of(nodes, index);
        let node = &mut nodes[index];
        // Tops leave the arena while the layer writes them, so that bottoms can be lent beside.
        let mut taken: InlineVec<_> = (node.tops.iter())
            .map(|&top| {
                let blob = &mut blobs[top];
                (std::mem::take(&mut blob.shape), std::mem::take(&mut data[blob.data]))
            })
            .collect();
        let homes: InlineVec<_> = used.iter().map(|&p| &params[p]).collect();
        let mut io = Forward {
            cpu,
            bottoms: (node.bottoms.iter().zip(&node.seen).zip(&node.bottom_layouts))
                .map(|((&bottom, shape), &layout)| {
                    let buffer = blobs[bottom].data;
                    let in_place = node.tops.iter().any(|&top| blobs[top].data == buffer);
                    let memory = match in_place {
                        true => BottomMemory::InPlace,
                        false => BottomMemory::OutOfPlace(&data[buffer][..shape.count()]),
                    };
                    Bottom { shape, layout, memory }
                })
                .collect(),
            tops: (taken.iter_mut().zip(&node.tops))
                .map(|((shape, slab), &top)| {
                    let Blob { layout, placement, .. } = blobs[top];
                    Top { shape, layout, slab, placement }
                })
                .collect(),
            params: (homes.iter())
                .filter_map(|param| match param.home {
                    Home::Slab => Some(&values[param.values.clone()]),
                    Home::Private => Some(&private[param.values.clone()]),
                    Home::Running => None,
                })
                .collect(),
            running: split_running(&mut replica.running, &homes),
            rng: &mut replica.rng,
            source: match node.source {
                Some(source) => Some(replica.sources[source].as_mut()),
                None => None,
            },
        };
        let result = node.layer.forward(&mut io);
        drop(io);
        for ((shape, slab), &top) in taken.into_iter().zip(&node.tops) {
            let blob = &mut blobs[top];
            (blob.shape, data[blob.data]) = (shape, slab);
            if !diff[blob.diff].is_empty() {
                diff[blob.diff].grow(blob.extent());
            }
        }
        result
    }

    /// Names the layer and, where an item of the batch is to blame, its record.
    fn culprit(
        &self,
        index: usize,
        source: LayerError,
        sources: &[Box<dyn DataSource>],
    ) -> RunError {
        let record = match source {
            LayerError::Label { item, .. } => sources.iter().find_map(|s| s.record_name(item)),
            _ => None,
        };
        RunError::Layer { layer: self.layer_name(index).into(), record, source }
    }
}

/// The running params among `params`. Their ranges ascend in net order.
fn split_running<'a>(running: &'a mut [f32], params: &[&crate::Param]) -> InlineVec<&'a mut [f32]> {
    let mut rest = running;
    let mut offset = 0;
    let mut slices = InlineVec::new();
    for param in params.iter().filter(|param| param.home == Home::Running) {
        let (_, tail) = rest.split_at_mut(param.values.start - offset);
        let (mine, tail) = tail.split_at_mut(param.values.len());
        (rest, offset) = (tail, param.values.end);
        slices.push(mine);
    }
    slices
}
