//! Forward, layer by layer.

use std::ops::Range;

use kernels::Cpu;
use layers::{DataSource, Forward, InlineVec, LayerError, LayoutRule};
use tensor::{Layout, Slab, SlabReadGuard};

use crate::blob_memory::ImageBlock;
use crate::executable::{ExecutableLayer, LearnedParam};
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

    /// Gives all blobs the shapes that follow from those of the first ones, as forward would.
    pub fn reshape(&mut self) -> Result<(), RunError> {
        self.reshape_layers(0..self.layers.len())
    }

    /// As [`reshape`](Self::reshape), for some of the layers that run.
    pub fn reshape_layers(&mut self, layers: Range<usize>) -> Result<(), RunError> {
        layers.into_iter().try_for_each(|index| self.follow_shapes(index))
    }

    /// Lets the layer follow when a bottom's shape has changed since it last ran; it asks again
    /// while it cannot.
    fn follow_shapes(&mut self, index: usize) -> Result<(), RunError> {
        let exec = &mut self.layers[index];
        let blobs = &self.blobs;
        let follows = exec.bottoms.iter().all(|bottom| blobs[bottom.blob].shape == bottom.seen);
        if follows && !exec.refused {
            self.restore_tops(index);
            return Ok(());
        }
        exec.refused = true;
        self.reshape_layer(index)?;
        self.layers[index].refused = false;
        Ok(())
    }

    /// Gives tops that a caller has reshaped their shapes again; those of a layer without bottoms
    /// are the caller's.
    fn restore_tops(&mut self, index: usize) {
        let Self { layers, blobs, data, diff, .. } = self;
        let ExecutableLayer { bottoms, tops, .. } = &layers[index];
        for top in tops.iter().filter(|_| !bottoms.is_empty()) {
            let is_bottom = bottoms.iter().any(|bottom| bottom.blob == top.blob);
            let blob = &mut blobs[top.blob];
            if !is_bottom && blob.shape != top.shaped {
                blob.shape.clone_from(&top.shaped);
                data[blob.data].grow(blob.extent());
                blob.grow_diff(diff);
            }
        }
    }

    fn reshape_layer(&mut self, index: usize) -> Result<(), RunError> {
        let Self { layers, blobs, params, data, diff, description, .. } = self;
        let (exec, is) = (&mut layers[index], &description.layers[index]);
        let layer = || is.name().to_owned();
        let rule = exec.layer.layouts();
        for bottom in &mut exec.bottoms {
            let blob = &blobs[bottom.blob];
            let images = [&bottom.seen, &blob.shape].map(|shape| shape.nchw().is_some());
            let other_order = rule != LayoutRule::RowMajor && images[0] != images[1];
            bottom.seen.clone_from(&blob.shape);
            if other_order || bottom.layout != blob.layout && !Layout::coincide(&bottom.seen) {
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
        for (top, shape) in exec.tops.iter_mut().zip(tops) {
            let blob = &mut blobs[top.blob];
            top.shaped.clone_from(&shape);
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
        let shared = shared_values(&exec.learned, params);
        let mut io = Forward {
            cpu,
            bottoms: lend_bottoms(block, &exec.bottoms, blobs, data, &lent.bottoms),
            tops: memory.tops(blobs, &mut lent.tops),
            params: (exec.learned.iter().zip(&shared))
                .map(|(used, shared)| params[used.id].learned_values(values, private, shared))
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
        drop(shared);
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
    /// Its values, if it is a learned one: another net's, in the parameter slab, or in the net's
    /// private memory.
    pub(crate) fn learned_values<'a>(
        &self,
        slab: &'a [f32],
        private: &'a Slab,
        shared: &'a Option<SlabReadGuard<'_>>,
    ) -> &'a [f32] {
        match (shared, self.storage) {
            (Some(shared), _) => shared,
            (None, ParamStorage::Private) => &private[self.values.clone()],
            (None, _) => &slab[self.values.clone()],
        }
    }
}

/// Locks the values that belong to other nets.
pub(crate) fn shared_values<'a>(
    learned: &[LearnedParam],
    params: &'a IdVec<ParamId, Param>,
) -> InlineVec<Option<SlabReadGuard<'a>>> {
    let shared = |used: &LearnedParam| {
        let param = &params[used.id];
        Some(param.shared_from.as_ref()?.read_range(param.values.clone()))
    };
    learned.iter().map(shared).collect()
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
