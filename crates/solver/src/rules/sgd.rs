//! SGD with momentum: `h = momentum h + rate g`, `w -= h`. Caffe type `SGD`.

use super::{Block, DecayPlace, Rule, Terms, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: Rule = Rule {
    name: "SGD",
    histories: 1,
    decay: DecayPlace::Gradient,
    trust: None,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[inline(always)]
pub(super) fn update(terms: &Terms, block: Block<'_>) {
    let Block { values, gradient, history: [h, _] } = block;
    let (rate, momentum) = (terms.rate, terms.hyper.momentum);
    for ((w, &g), h) in values.iter_mut().zip(gradient).zip(h) {
        *h = momentum * *h + rate * g;
        *w -= *h;
    }
}
