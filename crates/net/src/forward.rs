//! Forward, layer by layer.

use kernels::Cpu;
use layers::{DataSource, Forward, InlineVec, LayerError};
use tensor::{Layout, Slab};

use crate::blob_memory::ImageBlock;
use crate::forward_memory::{ForwardMemory, lend_bottoms};
use crate::ids::{IdVec, ParamId};
use crate::params::{Param, ParamStorage};
use crate::{Net, ReplicaState, RunError};

impl Net {
    /// Runs all layers and returns the loss: the weighted sum of all tops with a loss weight.
    pub fn forward(
        &mut self,
        cpu: &Cpu,
        params: &[f32],
        replica: &mut ReplicaState,
    ) -> Result<f32, RunError> {
        let mut loss = 0.0;
        for index in 0..self.layers.len() {
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
        if self.layers[index].forward {
            self.run_forward(index, cpu, params, replica)
                .map_err(|source| self.culprit(index, source, &replica.sources))?;
        }
        let mut loss = 0.0;
        for top in self.layers[index].tops.iter().filter(|top| top.loss_weight != 0.0) {
            let blob = &self.blobs[top.blob];
            let memory = &self.data[blob.data];
            let sum: f32 = (0..blob.shape.count()).map(|at| memory.value(at)).sum();
            loss += top.loss_weight * sum;
        }
        Ok(loss)
    }

    /// Lets the layer follow when a bottom's shape has changed since it last ran.
    fn follow_shapes(&mut self, index: usize) -> Result<(), RunError> {
        let Self { layers, blobs, params, data, diff, description, .. } = self;
        let (exec, is) = (&mut layers[index], &description.layers[index]);
        if exec.bottoms.iter().all(|bottom| blobs[bottom.blob].shape == bottom.seen) {
            return Ok(());
        }
        let layer = || is.name().to_owned();
        for bottom in &mut exec.bottoms {
            let blob = &blobs[bottom.blob];
            bottom.seen.clone_from(&blob.shape);
            if bottom.layout != blob.layout && !Layout::coincide(&bottom.seen) {
                let (blob, got) = (blob.name.clone(), bottom.seen.clone());
                return Err(RunError::Layout { layer: layer(), blob, got });
            }
        }
        let seen: Vec<_> = exec.bottoms.iter().map(|bottom| bottom.seen.clone()).collect();
        let tops = exec.layer.reshape(&seen).map_err(|source| RunError::Layer {
            layer: layer(),
            record: None,
            source,
        })?;
        for (index, (decl, (param, _))) in exec.layer.params().iter().zip(&is.params).enumerate() {
            let want = &params[*param].shape;
            if decl.shape.count() != want.count() {
                let (layer, got, want) = (layer(), decl.shape.clone(), want.clone());
                return Err(RunError::ParamShape { layer, index, got, want });
            }
        }
        if exec.runs() {
            exec.layer.allocate();
        }
        for (top, shape) in exec.tops.iter().zip(tops) {
            let blob = &mut blobs[top.blob];
            blob.shape = shape;
            data[blob.data].grow(blob.extent());
            blob.grow_diff(diff);
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
        let mut blocks = self.layers[index].blocks(&self.blobs);
        blocks.try_for_each(|block| self.forward_block(index, block, cpu, values, replica))
    }

    /// Runs a layer on some images: lends it floats, its own or expanded ones, and stores what it
    /// wrote into expanded ones.
    fn forward_block(
        &mut self,
        index: usize,
        block: ImageBlock,
        cpu: &Cpu,
        values: &[f32],
        replica: &mut ReplicaState,
    ) -> Result<(), LayerError> {
        let Self { layers, blobs, data, params, private, private_running, diff, expanded, .. } =
            self;
        let exec = &mut layers[index];
        let rounding = exec.rounding(blobs);
        let memory = ForwardMemory { exec, block, cpu };
        let mut lent = memory.take(blobs, data, expanded);
        let mut io = Forward {
            cpu,
            bottoms: lend_bottoms(block, &exec.bottoms, blobs, data, &lent.bottoms),
            tops: memory.tops(blobs, &mut lent.tops),
            params: (exec.learned.iter())
                .map(|used| params[used.id].learned_values(values, private))
                .collect(),
            running: split_running(&mut replica.running, private_running, &exec.running, params),
            rng: &mut replica.rng,
            source: match exec.source {
                Some(source) => Some(replica.sources[source].as_mut()),
                None => None,
            },
            rounding,
            first_image: block.first(),
            half: memory.halves(blobs, data, &mut lent.halves),
        };
        let result = exec.layer.forward(&mut io);
        drop(io);
        let memory = ForwardMemory { exec, block, cpu };
        memory.put_back(lent, blobs, data, expanded);
        for top in &exec.tops {
            blobs[top.blob].grow_diff(diff);
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
            LayerError::Label { item, .. } => {
                sources.iter().find_map(|source| source.record_name(item))
            }
            _ => None,
        };
        RunError::Layer { layer: self.layer_name(index).into(), record, source }
    }
}

impl Param {
    /// Its values, if it is a learned one: in the parameter slab or in the net's private memory.
    pub(crate) fn learned_values<'a>(&self, slab: &'a [f32], private: &'a Slab) -> &'a [f32] {
        match self.storage {
            ParamStorage::Private => &private[self.values.clone()],
            _ => &slab[self.values.clone()],
        }
    }
}

/// One slice per id, of the replica's running state or of the net's own. In each of the two, ranges
/// ascend in net order.
fn split_running<'a>(
    replica: &'a mut [f32],
    private: &'a mut [f32],
    ids: &[ParamId],
    params: &IdVec<ParamId, Param>,
) -> InlineVec<&'a mut [f32]> {
    let (mut replica, mut private) = ((replica, 0), (private, 0));
    let mut slices = InlineVec::new();
    for param in ids.iter().map(|&id| &params[id]) {
        let (rest, offset) = match param.storage {
            ParamStorage::PrivateRunning => &mut private,
            _ => &mut replica,
        };
        let (_, tail) = std::mem::take(rest).split_at_mut(param.values.start - *offset);
        let (mine, tail) = tail.split_at_mut(param.values.len());
        (*rest, *offset) = (tail, param.values.end);
        slices.push(mine);
    }
    slices
}
