//! Backward, layer by layer, last to first.

use kernels::Cpu;
use layers::{
    Backward, BottomDiff, Gradient, InlineVec, LayerError, TopDiff, TopGradient, TopMemory,
};
use tensor::{SharedSlab, Slab, SlabWriteGuard};

use crate::forward::params_of;
use crate::{Blob, Home, Net, Node, Param, RunError, params};

/// Which of [`params_of`] want a gradient.
fn learns_of(nodes: &[Node], index: usize) -> InlineVec<bool> {
    let followers = nodes[index].followers.iter().flat_map(|&follower| &nodes[follower].learn);
    nodes[index].learn.iter().chain(followers).copied().collect()
}

/// For each layer the prefix of the pool that is ready once it has run backward: it ends where the
/// first gradient of an earlier layer begins.
pub(crate) fn ready_prefixes(nodes: &[Node], params: &[Param]) -> Vec<usize> {
    let mut ready = params::pool_len(params);
    let mut prefixes = Vec::with_capacity(nodes.len());
    for index in 0..nodes.len() {
        prefixes.push(ready);
        let used = params_of(nodes, index);
        let starts = used.iter().filter_map(|&p| Some(params[p].gradient.as_ref()?.start));
        ready = starts.fold(ready, usize::min);
    }
    prefixes
}

impl Net {
    /// Runs backward through all layers; `pool` receives gradients.
    pub fn backward(
        &mut self,
        cpu: &Cpu,
        params: &[f32],
        pool: &SharedSlab,
    ) -> Result<(), RunError> {
        (0..self.nodes.len()).rev().try_for_each(|i| self.backward_layer(i, cpu, params, pool))
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
        let node = &self.nodes[index];
        if !node.backward || node.idle || node.traits.tops == TopMemory::BottomDataAndDiff {
            return Ok(());
        }
        self.run_backward(index, cpu, params, pool).map_err(|source| RunError::Layer {
            layer: self.layer_name(index).into(),
            record: None,
            source,
        })
    }

    /// How much of the pool is ready once layer `index` has run backward: a prefix to which no
    /// remaining layer adds.
    #[must_use]
    pub fn ready_after(&self, index: usize) -> usize {
        self.ready[index]
    }

    /// Puts the loss weights where loss layers look for them.
    fn seed_losses(&mut self, index: usize) {
        let node = &self.nodes[index];
        for (&top, &weight) in node.tops.iter().zip(&node.loss_weights) {
            let blob = &self.blobs[top];
            if weight != 0.0 && !blob.given {
                self.diff[blob.diff][..blob.shape.count()].fill(weight);
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
        let Self { nodes, blobs, data, diff, params, private, contributed, .. } = self;
        let learned: InlineVec<(usize, bool)> = (params_of(nodes, index).into_iter())
            .zip(learns_of(nodes, index))
            .filter(|&(p, _)| params[p].home != Home::Running)
            .collect();
        let node = &mut nodes[index];
        // Diffs that the layer writes leave the arena meanwhile.
        let mut unmasked =
            node.unmasked.then(|| std::mem::take(&mut diff[blobs[node.tops[0]].diff]));
        let mut taken: InlineVec<Option<Slab>> = (node.bottoms.iter().zip(&node.propagate))
            .map(|(&bottom, &wanted)| (wanted && !node.shares_diff).then_some(blobs[bottom].diff))
            .map(|buffer| buffer.map(|buffer| std::mem::take(&mut diff[buffer])))
            .collect();
        // Only this layer's part of the pool is taken: others may read what is ready meanwhile.
        let mut wanted: InlineVec<Option<SlabWriteGuard<'_>>> = (learned.iter())
            .map(|&(p, learn)| Some(pool.write(params[p].gradient.clone().filter(|_| learn)?)))
            .collect();
        let mut io = Backward {
            cpu,
            tops: lend_tops(node, blobs, data, diff),
            bottoms: lend_bottoms(node, blobs, data, &mut taken),
            params: (learned.iter().map(|&(p, _)| &params[p]))
                .map(|param| match param.home {
                    Home::Private => &private[param.values.clone()],
                    _ => &values[param.values.clone()],
                })
                .collect(),
            gradients: (wanted.iter_mut().zip(&learned))
                .map(|(guard, &(param, _))| {
                    guard.as_mut().map(|values| Gradient {
                        values: &mut values[..],
                        write: Self::next_write(&mut contributed[param]),
                    })
                })
                .collect(),
            unmasked: unmasked.as_mut().map(|slab| {
                let extent = blobs[node.tops[0]].extent();
                &mut slab[..extent]
            }),
        };
        let result = node.layer.backward(&mut io);
        drop(io);
        if let Some(slab) = unmasked {
            diff[blobs[node.tops[0]].diff] = slab;
        }
        for (&bottom, taken) in node.bottoms.iter().zip(taken) {
            if let Some(slab) = taken {
                diff[blobs[bottom].diff] = slab;
            }
        }
        result
    }
}

/// The tops' data and diffs.
fn lend_tops<'a>(
    node: &Node,
    blobs: &'a [Blob],
    data: &'a [Slab],
    diff: &'a [Slab],
) -> InlineVec<TopDiff<'a>> {
    let lend = |&top: &usize| {
        let blob = &blobs[top];
        TopDiff {
            shape: &blob.shape,
            layout: blob.layout,
            data: &data[blob.data][..blob.extent()],
            gradient: match diff[blob.diff].get(..blob.extent()) {
                Some(diff) => TopGradient::OutOfPlace(diff),
                None if node.unmasked => TopGradient::Unmasked,
                None if node.bottoms.iter().any(|&b| blobs[b].diff == blob.diff) => {
                    TopGradient::InPlace
                }
                None => TopGradient::Absent,
            },
            live: blob.live,
            placement: blob.placement,
        }
    };
    node.tops.iter().map(lend).collect()
}

/// The bottoms' data, and the diffs that were taken for the layer to write.
fn lend_bottoms<'a>(
    node: &Node,
    blobs: &'a [Blob],
    data: &'a [Slab],
    taken: &'a mut [Option<Slab>],
) -> InlineVec<BottomDiff<'a>> {
    let views = node.bottom_layouts.iter().zip(&node.masks);
    let lend = |((&bottom, taken), (&layout, &relu)): ((&usize, &'a mut Option<Slab>), _)| {
        let blob = &blobs[bottom];
        let count = blob.shape.count();
        BottomDiff {
            shape: &blob.shape,
            layout,
            data: &data[blob.data][..count],
            diff: taken.as_mut().map(|slab| &mut slab[..count]),
            relu,
        }
    };
    node.bottoms.iter().zip(taken).zip(views).map(lend).collect()
}
