//! AdaDelta (Zeiler 2012), with `momentum` as the decay of both averages. Caffe type `AdaDelta`.
//!
//! `h = momentum h + (1 - momentum) g^2`, `u = g sqrt((d + delta) / (h + delta))`,
//! `d = momentum d + (1 - momentum) u^2`, `w -= rate u`. `h` is the first history, `d` the second.

use super::{DecayMode, ParamBlock, RuleTerms, UpdateRule, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "AdaDelta",
    histories: 2,
    decay: DecayMode::Gradient,
    trust: None,
    history_has_rate: false,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[inline(always)]
fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [h, d] } = block;
    let (rate, delta, momentum) = (terms.rate, terms.hyper.delta, terms.hyper.momentum);
    let fresh = 1.0 - momentum;
    for (((w, &g), h), d) in values.iter_mut().zip(gradient).zip(h).zip(d) {
        *h = momentum * *h + fresh * (g * g);
        let update = g * ((delta + *d) / (delta + *h)).sqrt();
        *d = momentum * *d + fresh * (update * update);
        *w -= rate * update;
    }
}
