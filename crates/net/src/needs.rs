//! Which layers take part in backward, and which bottoms want a diff. Caffe's rules.

use base::Phase;
use layers::TopMemory;

use crate::{Blob, Net, Node, Param};

/// Decides `backward` and `propagate` for every node.
///
/// A layer needs backward when it has something to learn or a bottom that does, and when some loss
/// depends on it. `propagate_down` overrides per bottom; `force_backward` asks for every diff that can be had.
pub(crate) fn decide(nodes: &mut [Node], params: &[Param], force: bool) {
    let blobs = 1 + nodes.iter().flat_map(|n| n.tops.iter().copied()).max().unwrap_or(0);
    let mut needed = vec![false; blobs];
    for node in nodes.iter_mut() {
        node.propagate = match node.written.propagate_down.is_empty() {
            true => node.bottoms.iter().map(|&blob| needed[blob]).collect(),
            false => node.written.propagate_down.clone(),
        };
        let learns = node.params.iter().any(|&p| params[p].lr_mult != 0.0);
        node.backward = learns || node.bottoms.iter().any(|&blob| needed[blob]);
        if node.backward {
            node.tops.iter().for_each(|&top| needed[top] = true);
        }
    }
    sweep_back(nodes, blobs);
    if force {
        force_all(nodes);
    }
}

/// Drops what no loss depends on, and layers all of whose readers stop the gradient.
fn sweep_back(nodes: &mut [Node], blobs: usize) {
    let (mut under_loss, mut skipped) = (vec![false; blobs], vec![false; blobs]);
    for node in nodes.iter_mut().rev() {
        let weights = node.tops.iter().zip(&node.loss_weights);
        let contributes = weights.clone().any(|(&top, &w)| w != 0.0 || under_loss[top]);
        if node.tops.iter().all(|&top| skipped[top]) && !node.tops.is_empty() {
            node.backward = false;
            node.propagate.fill(false);
        }
        if !contributes {
            node.backward = false;
            node.propagate.fill(false);
        }
        for (&bottom, &propagate) in node.bottoms.iter().zip(&node.propagate) {
            under_loss[bottom] |= contributes;
            skipped[bottom] |= !propagate;
        }
    }
}

fn force_all(nodes: &mut [Node]) {
    for node in nodes {
        node.backward = true;
        for (index, propagate) in node.propagate.iter_mut().enumerate() {
            *propagate |= node.layer.backward_to(index);
        }
        for (learn, param) in node.learn.iter_mut().zip(node.layer.params()) {
            *learn = param.kind == layers::ParamKind::Learned;
        }
    }
}

/// Notes which blobs' diffs backward writes: those some reader propagates into, and losses.
pub(crate) fn mark_live(nodes: &[Node], blobs: &mut [Blob]) {
    for node in nodes.iter().rev() {
        for (&top, &weight) in node.tops.iter().zip(&node.loss_weights) {
            blobs[top].live |= weight != 0.0;
        }
        let shares_diff = node.traits.tops == TopMemory::BottomDataAndDiff;
        for (&bottom, &propagate) in node.bottoms.iter().zip(&node.propagate) {
            let reaches = !shares_diff || node.tops.iter().any(|&top| blobs[top].live);
            blobs[bottom].live |= node.backward && propagate && reaches;
        }
    }
}

impl Net {
    /// Whether anything of this net can be trained: it is in the train phase and some loss has params below.
    #[must_use]
    pub fn trains(&self) -> bool {
        self.phase == Phase::Train && self.nodes.iter().any(|node| node.backward)
    }
}
