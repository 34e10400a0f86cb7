//! Which layers take part in backward, and which diffs and gradients are wanted. Caffe's rules.

use layers::{ParamKind, TopMemory};

use crate::ids::{BlobId, IdVec, ListId};
use crate::params::SharedParams;
use crate::placed::Placement;
use crate::shapes::BuiltLayer;

/// What backward wants of one layer.
pub(crate) struct BackwardNeed {
    /// Whether backward runs.
    pub(crate) backward: bool,
    /// Whether each bottom's diff is wanted.
    pub(crate) propagate: Vec<bool>,
    /// Whether each param's gradient is wanted.
    pub(crate) learn: Vec<bool>,
}

/// What backward wants of every layer.
///
/// A layer needs backward when it has something to learn or a bottom that does, and when some loss
/// depends on it. `propagate_down` overrides per bottom; `force` asks for every diff that can be
/// had.
pub(crate) fn decide(
    layers: &[BuiltLayer],
    shared: &SharedParams,
    force: bool,
) -> Vec<BackwardNeed> {
    let blobs = 1 + layers.iter().flat_map(|l| &l.tops).map(|top| top.index()).max().unwrap_or(0);
    let mut needed = IdVec::from(vec![false; blobs]);
    let mut needs = Vec::with_capacity(layers.len());
    for (layer, params) in layers.iter().zip(&shared.of_layer) {
        let reached = layer.bottoms.iter().any(|&blob| needed[blob]);
        let need = BackwardNeed {
            backward: reached || params.iter().any(|&p| shared.params[p].lr_mult != 0.0),
            propagate: match layer.written.propagate_down.is_empty() {
                true => layer.bottoms.iter().map(|&blob| needed[blob]).collect(),
                false => layer.written.propagate_down.clone(),
            },
            learn: learned(layer),
        };
        if need.backward {
            layer.tops.iter().for_each(|&top| needed[top] = true);
        }
        needs.push(need);
    }
    drop_unused(layers, &mut needs, blobs);
    if force {
        layers.iter().zip(&mut needs).for_each(|(layer, need)| force_all(layer, need));
    }
    needs
}

/// Which params have a gradient: learned ones whose own `lr_mult` is not 0.
fn learned(layer: &BuiltLayer) -> Vec<bool> {
    let written = |index: usize| layer.written.param.get(index).map_or(1.0, |spec| spec.lr_mult());
    (layer.decls.iter().enumerate())
        .map(|(index, decl)| written(index) != 0.0 && decl.kind == ParamKind::Learned)
        .collect()
}

/// Drops what no loss depends on, and layers all of whose readers stop the gradient.
fn drop_unused(layers: &[BuiltLayer], needs: &mut [BackwardNeed], blobs: usize) {
    let mut under_loss = IdVec::<BlobId, _>::from(vec![false; blobs]);
    let mut skipped = IdVec::<BlobId, _>::from(vec![false; blobs]);
    for (layer, need) in layers.iter().zip(needs).rev() {
        let mut weights = layer.tops.iter().zip(&layer.loss_weights);
        let contributes = weights.any(|(&top, &weight)| weight != 0.0 || under_loss[top]);
        let stopped = !layer.tops.is_empty() && layer.tops.iter().all(|&top| skipped[top]);
        if stopped || !contributes {
            need.backward = false;
            need.propagate.fill(false);
        }
        for (&bottom, &propagate) in layer.bottoms.iter().zip(&need.propagate) {
            under_loss[bottom] |= contributes;
            skipped[bottom] |= !propagate;
        }
    }
}

fn force_all(layer: &BuiltLayer, need: &mut BackwardNeed) {
    need.backward = true;
    for (index, propagate) in need.propagate.iter_mut().enumerate() {
        *propagate |= layer.traits.gradient_bottoms.contains(index);
    }
    for (learn, decl) in need.learn.iter_mut().zip(&layer.decls) {
        *learn = decl.kind == ParamKind::Learned;
    }
}

/// For each blob whether backward writes its diff: where some reader propagates into it, and
/// losses.
pub(crate) fn live_diffs(Placement { layers, blobs }: &Placement) -> IdVec<BlobId, bool> {
    let mut live = IdVec::like(blobs, false);
    for layer in layers.iter().rev() {
        for (&top, &weight) in layer.tops.iter().zip(&layer.loss_weights) {
            live[top] |= weight != 0.0;
        }
        let shares_diff = layer.traits.tops == TopMemory::BottomDataAndDiff;
        let reaches = !shares_diff || layer.tops.iter().any(|&top| live[top]);
        for bottom in layer.wanted_diffs().filter(|_| layer.backward && reaches) {
            live[bottom] = true;
        }
    }
    live
}
