//! AdamW (Loshchilov, Hutter 2019): Adam whose weight decay stays out of the averages. Type `AdamW`,
//! not in Caffe.
//!
//! `m` and `v` as in [Adam](super::adam) from the gradient without decay, then
//! `w -= rate (m' / (sqrt(v') + delta) + decay w)` with `m' = m / (1 - momentum^t)` and
//! `v' = v / (1 - momentum2^t)`. As in common implementations the decay is multiplied by the rate.

use super::{Block, DecayPlace, Rule, Terms, any};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: Rule = Rule {
    name: "AdamW",
    histories: 2,
    decay: DecayPlace::Apart,
    trust: None,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
#[inline(always)]
fn update(terms: &Terms, block: Block<'_>) {
    let Block { values, gradient, history: [m, v] } = block;
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
