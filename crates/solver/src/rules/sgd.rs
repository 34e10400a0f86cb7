//! SGD with momentum: `h = momentum h + rate g`, `w -= h`. Caffe type `SGD`.

use super::{DecayMode, ParamBlock, RuleTerms, UpdateRule, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "SGD",
    histories: 1,
    decay: DecayMode::Gradient,
    trust: None,
    history_has_rate: true,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[inline(always)]
pub(super) fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [h, _] } = block;
    let (rate, factor) = (terms.rate, terms.history_factor);
    for ((w, &g), h) in values.iter_mut().zip(gradient).zip(h) {
        *h = factor * *h + rate * g;
        *w -= *h;
    }
}
