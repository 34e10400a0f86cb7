//! Nesterov's accelerated gradient: `h' = momentum h + rate g`, `w -= (1 + momentum) h' - momentum h`.
//! Caffe type `Nesterov`.
//!
//! The weights kept are those one look-ahead further on (Sutskever et al. 2013, rewritten), so that
//! the gradient is taken where the weights are: step back by the old momentum, then over-step.

use super::{Block, DecayPlace, Rule, Terms, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: Rule = Rule {
    name: "Nesterov",
    histories: 1,
    decay: DecayPlace::Gradient,
    trust: None,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[inline(always)]
fn update(terms: &Terms, block: Block<'_>) {
    let Block { values, gradient, history: [h, _] } = block;
    let (rate, momentum) = (terms.rate, terms.hyper.momentum);
    let over = 1.0 + momentum;
    for ((w, &g), h) in values.iter_mut().zip(gradient).zip(h) {
        let before = *h;
        *h = momentum * before + rate * g;
        *w -= over * *h - momentum * before;
    }
}
