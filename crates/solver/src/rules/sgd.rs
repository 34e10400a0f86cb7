//! SGD with momentum: `h = momentum h + rate g`, `w -= h`. Caffe type `SGD`.

use super::{DecayMode, ParamBlock, RuleTerms, UpdateRule, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "SGD",
    histories: 1,
    decay: DecayMode::Gradient,
    trust: None,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[inline(always)]
pub(super) fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [h, _] } = block;
    let (rate, momentum) = (terms.rate, terms.hyper.momentum);
    for ((w, &g), h) in values.iter_mut().zip(gradient).zip(h) {
        *h = momentum * *h + rate * g;
        *w -= *h;
    }
}
