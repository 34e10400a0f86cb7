//! AdaGrad (Duchi et al. 2011): `h += g^2`, `w -= rate g / (sqrt(h) + delta)`. Caffe type
//! `AdaGrad`.

use super::{DecayMode, HyperParams, ParamBlock, RuleTerms, UpdateRule};
use crate::error::{SolverError, expect};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "AdaGrad",
    histories: 1,
    decay: DecayMode::Gradient,
    trust: None,
    history_has_rate: false,
    check,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

fn check(hyper: &HyperParams) -> Result<(), SolverError> {
    expect(hyper.momentum == 0.0, "momentum", hyper.momentum, "0", "AdaGrad")
}

#[inline(always)]
fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [h, _] } = block;
    let (rate, delta) = (terms.rate, terms.hyper.delta);
    for ((w, &g), h) in values.iter_mut().zip(gradient).zip(h) {
        *h += g * g;
        *w -= rate * (g / (h.sqrt() + delta));
    }
}
