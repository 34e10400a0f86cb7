//! Adam (Kingma, Ba 2015) in the efficient form of the paper's section 2. Caffe type `Adam`.
//!
//! `m = momentum m + (1 - momentum) g`, `v = momentum2 v + (1 - momentum2) g^2`,
//! `w -= rate sqrt(1 - momentum2^t) / (1 - momentum^t) * m / (sqrt(v) + delta)`. `delta` is the
//! paper's epsilon-hat: it is added before the correction. `m` is the first history, `v` the
//! second.

use super::{DecayMode, ParamBlock, RuleTerms, UpdateRule, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "Adam",
    histories: 2,
    decay: DecayMode::Gradient,
    trust: None,
    history_has_rate: false,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[inline(always)]
fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [m, v] } = block;
    let (beta1, beta2, delta) = (terms.hyper.momentum, terms.hyper.momentum2, terms.hyper.delta);
    let (fresh1, fresh2) = (1.0 - beta1, 1.0 - beta2);
    let [correction1, correction2] = terms.corrections;
    #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    let rate = terms.rate * (correction2.sqrt() / correction1) as f32;
    for (((w, &g), m), v) in values.iter_mut().zip(gradient).zip(m).zip(v) {
        *m = beta1 * *m + fresh1 * g;
        *v = beta2 * *v + fresh2 * (g * g);
        *w -= rate * (*m / (v.sqrt() + delta));
    }
}
