//! RMSProp (Tieleman, Hinton 2012): `h = rms_decay h + (1 - rms_decay) g^2`,
//! `w -= rate g / (sqrt(h) + delta)`. Caffe type `RMSProp`.

use super::{DecayMode, HyperParams, ParamBlock, RuleTerms, UpdateRule};
use crate::error::{SolverError, expect};

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "RMSProp",
    histories: 1,
    decay: DecayMode::Gradient,
    trust: None,
    history_has_rate: false,
    check,
    update: |cpu, terms, block| kernels::vectorize!(cpu, update(terms, block)),
};

fn check(hyper: &HyperParams) -> Result<(), SolverError> {
    expect(hyper.momentum == 0.0, "momentum", hyper.momentum, "0", "RMSProp")?;
    let decay = hyper.rms_decay;
    expect((0.0..1.0).contains(&decay), "rms_decay", decay, "0 or more and below 1", "RMSProp")
}

#[inline(always)]
fn update(terms: &RuleTerms, block: ParamBlock<'_>) {
    let ParamBlock { values, gradient, history: [h, _] } = block;
    let (rate, delta, decay) = (terms.rate, terms.hyper.delta, terms.hyper.rms_decay);
    let fresh = 1.0 - decay;
    for ((w, &g), h) in values.iter_mut().zip(gradient).zip(h) {
        *h = decay * *h + fresh * (g * g);
        *w -= rate * (g / (h.sqrt() + delta));
    }
}
