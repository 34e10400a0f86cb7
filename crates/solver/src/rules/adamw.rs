//! AdamW (Loshchilov, Hutter 2019): Adam with decoupled weight decay. Type `AdamW`,
//! not in Caffe.
//!
//! `m` and `v` as in [Adam](super::adam) from the gradient without decay, then
//! `w -= rate (m' / (sqrt(v') + delta) + decay w)` with `m' = m / (1 - momentum^t)` and
//! `v' = v / (1 - momentum2^t)`. As in common implementations, the rate multiplies the decay.

use super::{DecayMode, ParamBlock, RuleTerms, UpdateRule, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "AdamW",
    histories: 2,
    decay: DecayMode::Decoupled,
    trust: None,
    history_has_rate: false,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
#[inline(always)]
fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [m, v] } = block;
    let (beta1, beta2, delta) = (terms.hyper.momentum, terms.hyper.momentum2, terms.hyper.delta);
    let (fresh1, fresh2) = (1.0 - beta1, 1.0 - beta2);
    let [correction1, correction2] = terms.corrections;
    let (rate, decay) = (terms.rate, terms.decay);
    let (mean, deviation) = ((1.0 / correction1) as f32, (1.0 / correction2.sqrt()) as f32);
    for (((w, &g), m), v) in values.iter_mut().zip(gradient).zip(m).zip(v) {
        *m = beta1 * *m + fresh1 * g;
        *v = beta2 * *v + fresh2 * (g * g);
        *w -= rate * (mean * *m / (deviation * v.sqrt() + delta) + decay * *w);
    }
}
