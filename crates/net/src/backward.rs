//! Backward, layer by layer, last to first.

use kernels::{Cpu, Write};
use layers::{Backward, BottomDiff, Gradient, InlineVec, LayerError, TopDiff, TopGradient};
use tensor::{SharedSlab, Slab, SlabWriteGuard};

use crate::executable::{ExecutableLayer, GradientMemory};
use crate::ids::{BlobId, IdVec};
use crate::placed::PlacedBlob;
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
        self.seed_losses(index);
        if !self.layers[index].backward {
            return Ok(());
        }
        self.run_backward(index, cpu, params, pool).map_err(|source| RunError::Layer {
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
    fn seed_losses(&mut self, index: usize) {
        for top in self.layers[index].tops.iter().filter(|top| top.loss_weight != 0.0) {
            let blob = &self.blobs[top.blob];
            if !self.given_diffs[top.blob] {
                self.diff[blob.diff][..blob.shape.count()].fill(top.loss_weight);
            }
        }
    }

    fn run_backward(
        &mut self,
        index: usize,
        cpu: &Cpu,
        values: &[f32],
        pool: &SharedSlab,
    ) -> Result<(), LayerError> {
        let Self { layers, blobs, data, diff, params, private, contributed, .. } = self;
        let exec = &mut layers[index];
        // Diffs that the layer writes leave the arena meanwhile.
        let unmasked = exec.tops.iter().find(|top| top.gradient == GradientMemory::Unmasked);
        let unmasked = unmasked.map(|top| top.blob);
        let mut unmasked_diff = unmasked.map(|blob| std::mem::take(&mut diff[blobs[blob].diff]));
        let mut taken: InlineVec<Option<Slab>> = (exec.bottoms.iter())
            .map(|bottom| bottom.writes_diff.then_some(blobs[bottom.blob].diff))
            .map(|buffer| buffer.map(|buffer| std::mem::take(&mut diff[buffer])))
            .collect();
        // Only this layer's gradients are locked: others may read what is ready meanwhile.
        let mut wanted: InlineVec<Option<SlabWriteGuard<'_>>> = (exec.learned.iter())
            .map(|used| Some(pool.write(params[used.id].gradient.clone().filter(|_| used.learn)?)))
            .collect();
        let mut io = Backward {
            cpu,
            tops: lend_tops(exec, blobs, data, diff),
            bottoms: lend_bottoms(exec, blobs, data, &mut taken),
            params: (exec.learned.iter())
                .map(|used| params[used.id].learned_values(values, private))
                .collect(),
            gradients: (wanted.iter_mut().zip(&exec.learned))
                .map(|(guard, used)| {
                    guard.as_mut().map(|values| Gradient {
                        values: &mut values[..],
                        write: Self::next_write(&mut contributed[used.id]),
                    })
                })
                .collect(),
            unmasked: unmasked_diff.as_mut().zip(unmasked).map(|(slab, blob)| {
                let extent = blobs[blob].extent();
                &mut slab[..extent]
            }),
        };
        let result = exec.layer.backward(&mut io);
        drop(io);
        if let Some((slab, blob)) = unmasked_diff.zip(unmasked) {
            diff[blobs[blob].diff] = slab;
        }
        for (bottom, taken) in exec.bottoms.iter().zip(taken) {
            if let Some(slab) = taken {
                diff[blobs[bottom.blob].diff] = slab;
            }
        }
        result
    }
}

/// The tops' data and diffs.
fn lend_tops<'a>(
    exec: &ExecutableLayer,
    blobs: &'a IdVec<BlobId, PlacedBlob>,
    data: &'a [Slab],
    diff: &'a [Slab],
) -> InlineVec<TopDiff<'a>> {
    let tops = exec.tops.iter().map(|top| {
        let blob = &blobs[top.blob];
        let extent = blob.extent();
        TopDiff {
            shape: &blob.shape,
            layout: blob.layout,
            data: &data[blob.data][..extent],
            gradient: match top.gradient {
                GradientMemory::OutOfPlace => TopGradient::OutOfPlace(&diff[blob.diff][..extent]),
                GradientMemory::InPlace => TopGradient::InPlace,
                GradientMemory::Unmasked => TopGradient::Unmasked,
                GradientMemory::Absent => TopGradient::Absent,
            },
            live: blob.live,
            placement: blob.placement,
        }
    });
    tops.collect()
}

/// The bottoms' data, and the diffs that were taken for the layer to write.
fn lend_bottoms<'a>(
    exec: &ExecutableLayer,
    blobs: &'a IdVec<BlobId, PlacedBlob>,
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
