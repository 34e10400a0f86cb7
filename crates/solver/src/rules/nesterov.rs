//! Nesterov's accelerated gradient: `h' = momentum h + rate g`,
//! `w -= (1 + momentum) h' - momentum h`. Caffe type `Nesterov`.
//!
//! The stored weights are the look-ahead weights (Sutskever et al. 2013, rewritten), so that the
//! gradient is evaluated at the stored weights: undo the old look-ahead, then apply the new one.

use super::{DecayMode, ParamBlock, RuleTerms, UpdateRule, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "Nesterov",
    histories: 1,
    decay: DecayMode::Gradient,
    trust: None,
    history_has_rate: true,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[inline(always)]
fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [h, _] } = block;
    let (rate, factor) = (terms.rate, terms.history_factor);
    let momentum = terms.hyper.momentum; // of the look-ahead, which no change of rate affects
    let over = 1.0 + momentum;
    for ((w, &g), h) in values.iter_mut().zip(gradient).zip(h) {
        let before = *h;
        *h = factor * before + rate * g;
        *w -= over * *h - momentum * before;
    }
}
