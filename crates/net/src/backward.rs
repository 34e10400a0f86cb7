//! Backward, layer by layer, last to first.

use kernels::{Cpu, Write};
use layers::{Backward, BottomDiff, InlineVec, LayerError, ParamGradient, TopDiff, TopGradient};
use tensor::{SharedSlab, Slab, SlabWriteGuard};

use crate::executable::{ExecutableBlob, ExecutableLayer, GradientMemory};
use crate::ids::{BlobId, IdVec};
use crate::{Net, RunError};

impl Net {
    /// Runs backward through all layers; `pool` receives gradients.
    pub fn backward(
        &mut self,
        cpu: &Cpu,
        params: &[f32],
        pool: &SharedSlab,
    ) -> Result<(), RunError> {
        (0..self.layers.len()).rev().try_for_each(|i| self.backward_layer(i, cpu, params, pool))
    }

    /// Runs backward through one layer. All later ones must have run.
    pub fn backward_layer(
        &mut self,
        index: usize,
        cpu: &Cpu,
        params: &[f32],
        pool: &SharedSlab,
    ) -> Result<(), RunError> {
        // The layer writes some of the diffs and reads others, so they leave the net meanwhile.
        let mut diff = self.diff.take().ok_or(RunError::NoDiffs)?;
        self.seed_losses(index, &mut diff);
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

    /// How the next contribution to a param is written.
    fn next_write(contributed: &mut bool) -> Write {
        if std::mem::replace(contributed, true) { Write::Add } else { Write::Set }
    }

    /// Puts the loss weights where loss layers look for them.
    fn seed_losses(&self, index: usize, diff: &mut [Slab]) {
        for top in self.layers[index].tops.iter().filter(|top| top.loss_weight != 0.0) {
            let blob = &self.blobs[top.blob];
            if let Some(buffer) = blob.diff.filter(|_| !blob.given_diff) {
                diff[buffer][..blob.shape.count()].fill(top.loss_weight);
            }
        }
    }

    fn run_backward(
        &mut self,
        index: usize,
        cpu: &Cpu,
        values: &[f32],
        pool: &SharedSlab,
        diff: &mut [Slab],
    ) -> Result<(), LayerError> {
        let Self { layers, blobs, data, params, private, contributed, .. } = self;
        let exec = &mut layers[index];
        // Diffs that the layer writes are taken out, so that others can be lent beside them.
        let mut take = |blob: BlobId, written: bool| {
            let buffer = blobs[blob].diff.filter(|_| written)?;
            Some(std::mem::take(&mut diff[buffer]))
        };
        let mut tops: InlineVec<Option<Slab>> = (exec.tops.iter())
            .map(|top| take(top.blob, top.gradient == GradientMemory::Unmasked))
            .collect();
        let mut bottoms: InlineVec<Option<Slab>> =
            (exec.bottoms.iter()).map(|bottom| take(bottom.blob, bottom.writes_diff)).collect();
        // Only this layer's gradients are locked: others may read what is ready meanwhile.
        let mut wanted: InlineVec<Option<SlabWriteGuard<'_>>> = (exec.learned.iter())
            .map(|used| Some(pool.write(params[used.id].gradient.clone().filter(|_| used.learn)?)))
            .collect();
        let mut io = Backward {
            cpu,
            tops: lend_tops(exec, blobs, data, diff, &mut tops),
            bottoms: lend_bottoms(exec, blobs, data, &mut bottoms),
            params: (exec.learned.iter())
                .map(|used| params[used.id].learned_values(values, private))
                .collect(),
            gradients: (wanted.iter_mut().zip(&exec.learned))
                .map(|(guard, used)| {
                    guard.as_mut().map(|values| ParamGradient {
                        values: &mut values[..],
                        write: Self::next_write(&mut contributed[used.id]),
                    })
                })
                .collect(),
        };
        let result = exec.layer.backward(&mut io);
        drop(io);
        let used = exec.tops.iter().map(|top| top.blob);
        let used = used.chain(exec.bottoms.iter().map(|bottom| bottom.blob));
        for (blob, taken) in used.zip(tops.into_iter().chain(bottoms)) {
            if let Some((slab, buffer)) = taken.zip(blobs[blob].diff) {
                diff[buffer] = slab;
            }
        }
        result
    }
}

/// The tops' data and diffs; those in `taken` are the layer's to mask.
fn lend_tops<'a>(
    exec: &ExecutableLayer,
    blobs: &'a IdVec<BlobId, ExecutableBlob>,
    data: &'a [Slab],
    diff: &'a [Slab],
    taken: &'a mut [Option<Slab>],
) -> InlineVec<TopDiff<'a>> {
    let tops = exec.tops.iter().zip(taken).map(|(top, taken)| {
        let blob = &blobs[top.blob];
        let extent = blob.extent();
        let own = || blob.diff.map(|buffer| &diff[buffer][..extent]);
        TopDiff {
            shape: &blob.shape,
            layout: blob.layout,
            data: &data[blob.data][..extent],
            gradient: match (top.gradient, taken) {
                (_, Some(slab)) => TopGradient::Unmasked(&mut slab[..extent]),
                (GradientMemory::InPlace, None) => TopGradient::InPlace,
                (gradient, None) => match own() {
                    Some(diff) if gradient != GradientMemory::Zero || blob.given_diff => {
                        TopGradient::OutOfPlace(diff)
                    }
                    own => TopGradient::Zero(own),
                },
            },
            placement: blob.placement,
        }
    });
    tops.collect()
}

/// The bottoms' data, and the diffs that were taken for the layer to write.
fn lend_bottoms<'a>(
    exec: &ExecutableLayer,
    blobs: &'a IdVec<BlobId, ExecutableBlob>,
    data: &'a [Slab],
    taken: &'a mut [Option<Slab>],
) -> InlineVec<BottomDiff<'a>> {
    let bottoms = exec.bottoms.iter().zip(taken).map(|(bottom, taken)| {
        let blob = &blobs[bottom.blob];
        let count = blob.shape.count();
        BottomDiff {
            shape: &blob.shape,
            layout: bottom.layout,
            data: &data[blob.data][..count],
            diff: taken.as_mut().map(|slab| &mut slab[..count]),
            relu: bottom.relu,
        }
    });
    bottoms.collect()
}
