//! LARS (You, Gitman, Ginsburg 2017): SGD with a learning rate per parameter. Type `LARS`, not in
//! Caffe.
//!
//! The rate of a parameter is multiplied by `eta |w| / (|g| + decay |w|)` with the trust
//! coefficient `eta`, so that an update is a fixed fraction of the weights for any batch size.
//! `|g|` is the norm after clipping and `iter_size`, before decay. Where a norm is zero (a bias at
//! the start) the factor is 1.

use super::{DecayMode, TrustNorms, UpdateRule, any, sgd};

/// The paper's trust coefficient.
pub(super) const TRUST: f32 = 0.001;

/// This rule's row in the [table](super::RULES).
pub(super) const RULE: UpdateRule = UpdateRule {
    name: "LARS",
    histories: 1,
    decay: DecayMode::Gradient,
    trust: Some(trust),
    history_has_rate: true,
    check: any,
    update: |cpu, terms, block| kernels::vectorize!(cpu, sgd::update(terms, block)),
};

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
fn trust(norms: &TrustNorms) -> f32 {
    let TrustNorms { eta, weights, gradient, decay } = *norms;
    if weights > 0.0 && gradient > 0.0 {
        (eta * weights / (gradient + decay * weights)) as f32
    } else {
        1.0
    }
}
