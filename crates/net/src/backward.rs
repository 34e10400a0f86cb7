//! Backward, layer by layer, last to first.

use kernels::{Cpu, Write};
use layers::{Backward, InlineVec, LayerError, ParamGradient};
use tensor::{SharedSlab, SlabWriteGuard};

use crate::backward_memory::BackwardMemory;
use crate::blob_memory::{BlobMemory, ImageBlock};
use crate::forward::shared_values;
use crate::ids::{ListId, ParamId};
use crate::{Net, RunError};

impl Net {
    /// Runs backward through all layers; `pool` receives gradients, multiplied by `loss_scale`.
    pub fn backward(
        &mut self,
        cpu: &Cpu,
        params: &[f32],
        pool: &SharedSlab,
        loss_scale: f32,
    ) -> Result<(), RunError> {
        let layers = (0..self.layers.len()).rev();
        layers.into_iter().try_for_each(|i| self.backward_layer(i, cpu, params, pool, loss_scale))
    }

    /// Runs backward through one layer. All later ones must have run. `params` is the parameter
    /// slab, or its rounded copy. Losses are multiplied by `loss_scale`, a power of two, and with
    /// them all gradients: f16 holds numbers from 6e-8 to 65504. 1 changes no bit.
    pub fn backward_layer(
        &mut self,
        index: usize,
        cpu: &Cpu,
        params: &[f32],
        pool: &SharedSlab,
        loss_scale: f32,
    ) -> Result<(), RunError> {
        // The layer writes some of the diffs and reads others, so they leave the net meanwhile.
        let mut diff = self.diff.take().ok_or(RunError::NoDiffs)?;
        self.seed_losses(index, cpu, loss_scale, &mut diff);
        let result = match self.layers[index].backward {
            true => self.run_backward(index, cpu, params, pool, &mut diff),
            false => Ok(()),
        };
        self.diff = Some(diff);
        result.map_err(|source| RunError::Layer {
            layer: self.layer_name(index).into(),
            record: None,
            source,
        })
    }

    /// Forgets gradients: the next contribution to each param overwrites.
    pub fn clear_gradients(&mut self) {
        self.contributed.iter_mut().for_each(|contributed| *contributed = false);
    }

    /// Lets the next contribution to a param, by its place in [`params`](Self::params), add to what
    /// its gradient's memory holds.
    pub fn add_to_gradient(&mut self, param: usize) {
        self.contributed[ParamId::new(param)] = true;
    }

    /// How the next contribution to a param is written.
    fn next_write(contributed: &mut bool) -> Write {
        if std::mem::replace(contributed, true) { Write::Add } else { Write::Set }
    }

    /// Puts the loss weights where loss layers look for them.
    fn seed_losses(&self, index: usize, cpu: &Cpu, loss_scale: f32, diff: &mut [BlobMemory]) {
        for top in self.layers[index].tops.iter().filter(|top| top.loss_weight != 0.0) {
            let blob = &self.blobs[top.blob];
            if let Some(buffer) = blob.diff.filter(|_| !blob.given_diff) {
                diff[buffer].fill(cpu, blob.shape.count(), top.loss_weight * loss_scale);
            }
        }
    }

    fn run_backward(
        &mut self,
        index: usize,
        cpu: &Cpu,
        values: &[f32],
        pool: &SharedSlab,
        diff: &mut [BlobMemory],
    ) -> Result<(), LayerError> {
        let mut blocks = self.layers[index].blocks(&self.blobs);
        blocks.try_for_each(|block| self.backward_block(index, block, cpu, values, pool, diff))
    }

    /// Runs backward through a layer for some images: lends it floats, its own or expanded ones,
    /// and stores what it wrote into expanded ones.
    fn backward_block(
        &mut self,
        index: usize,
        block: ImageBlock,
        cpu: &Cpu,
        values: &[f32],
        pool: &SharedSlab,
        diff: &mut [BlobMemory],
    ) -> Result<(), LayerError> {
        let Self { layers, blobs, data, params, private, contributed, expanded, .. } = self;
        let exec = &mut layers[index];
        let rounding = exec.rounding(blobs);
        let memory = BackwardMemory { exec, blobs, block, cpu };
        let expanded_data = memory.expand_data(data, expanded);
        let mut taken = memory.take_diffs(diff, expanded);
        // Only this layer's gradients are locked: others may read what is ready meanwhile.
        let mut wanted: InlineVec<Option<SlabWriteGuard<'_>>> = (exec.learned.iter())
            .map(|used| Some(pool.write(params[used.id].gradient.clone().filter(|_| used.learn)?)))
            .collect();
        let shared = shared_values(&exec.learned, params);
        let (tops, bottoms, half) = memory.lend(data, diff, &expanded_data, &mut taken);
        let mut io = Backward {
            cpu,
            tops,
            bottoms,
            params: (exec.learned.iter().zip(&shared))
                .map(|(used, shared)| params[used.id].learned_values(values, private, shared))
                .collect(),
            gradients: (wanted.iter_mut().zip(&exec.learned))
                .map(|(guard, used)| {
                    guard.as_mut().map(|values| ParamGradient {
                        values: &mut values[..],
                        write: Self::next_write(&mut contributed[used.id]),
                    })
                })
                .collect(),
            rounding,
            first_image: block.first(),
            half,
        };
        let result = exec.layer.backward(&mut io);
        drop(io);
        drop(shared);
        let memory = BackwardMemory { exec, blobs, block, cpu };
        memory.put_back(expanded_data, taken, diff, expanded);
        result
    }
}
