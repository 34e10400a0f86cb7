//! The update rules: how a prepared gradient and its history change the weights.
//!
//! A rule is a loop over one block. Operations and their order are those of Caffe's CPU code, each
//! rounded to f32, so that the results differ from Caffe's no more than those of two BLAS libraries
//! do.

mod adadelta;
mod adagrad;
mod adam;
mod adamw;
mod lars;
mod nesterov;
mod rmsprop;
mod sgd;

use caffe_format::SolverParameter;
use kernels::Cpu;

use crate::error::{SolverError, expect};

/// Every rule, in the order in which messages list them.
///
/// To add one: write `src/rules/<name>.rs` with a `RULE`, add a `mod` line above and a row below.
pub const RULES: &[UpdateRule] = &[
    adadelta::RULE,
    adagrad::RULE,
    adam::RULE,
    adamw::RULE,
    lars::RULE,
    nesterov::RULE,
    rmsprop::RULE,
    sgd::RULE,
];

/// Upper bound of [`UpdateRule::histories`].
pub const HISTORIES_MAX: usize = 2;

/// A row of [`RULES`].
#[derive(Debug)]
pub struct UpdateRule {
    /// Caffe's name, as after `type:` in a solver prototxt.
    pub name: &'static str,
    /// Values of history per weight.
    pub histories: usize,
    /// Where weight decay acts.
    pub(crate) decay: DecayMode,
    /// Factor of a parameter's learning rate, for rules that depend on norms.
    pub(crate) trust: Option<fn(&TrustNorms) -> f32>,
    /// Whether the first history is a sum of gradients times their rates, so that a change of the
    /// rate can be corrected (`momentum_correction`).
    pub(crate) history_has_rate: bool,
    /// Refuses numbers that the rule cannot use.
    pub(crate) check: fn(&HyperParams) -> Result<(), SolverError>,
    /// Updates one block, as compiled for the worker's SIMD level.
    pub(crate) update: fn(&Cpu, &RuleTerms, ParamBlock<'_>),
}

/// One block of a parameter. All slices have the same length, except histories that the rule does
/// not keep, which are empty.
pub(crate) struct ParamBlock<'a> {
    pub(crate) values: &'a mut [f32],
    /// Prepared: mean, clipped, normalised, with decay.
    pub(crate) gradient: &'a [f32],
    pub(crate) history: [&'a mut [f32]; HISTORIES_MAX],
}

/// L2 norms of one parameter, from which its trust ratio is computed.
pub(crate) struct TrustNorms {
    /// The trust coefficient.
    pub(crate) eta: f64,
    pub(crate) weights: f64,
    pub(crate) gradient: f64,
    pub(crate) decay: f64,
}

/// Where weight decay acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecayMode {
    /// Added to the gradient, as everywhere in Caffe.
    Gradient,
    /// Subtracted from the weight by the rule itself (decoupled weight decay).
    Decoupled,
}

/// The numbers of a solver prototxt that rules read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HyperParams {
    pub(crate) momentum: f32,
    pub(crate) momentum2: f32,
    pub(crate) delta: f32,
    pub(crate) rms_decay: f32,
    pub(crate) weight_decay: f32,
    pub(crate) trust_coefficient: f32,
}

/// The scalars of one parameter in one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RuleTerms {
    /// Learning rate, `lr_mult` and trust included.
    pub(crate) rate: f32,
    /// Weight decay, `decay_mult` included; for rules with decoupled decay.
    pub(crate) decay: f32,
    /// What a history that contains rates is multiplied by: momentum, times the change of the rate
    /// where that is corrected.
    pub(crate) history_factor: f32,
    pub(crate) hyper: HyperParams,
    /// `1 - momentum^t` and `1 - momentum2^t` in iteration `t`, counted from 1.
    pub(crate) corrections: [f64; 2],
}

/// Looks up the string after `type:` in a solver prototxt.
pub(crate) fn find(name: &str) -> Option<&'static UpdateRule> {
    RULES.iter().find(|rule| rule.name == name)
}

impl HyperParams {
    pub(crate) fn lower(p: &SolverParameter) -> Result<Self, SolverError> {
        let trust = p.trust_coefficient.unwrap_or(lars::TRUST);
        let finite = |field, value: f32| {
            expect(value.is_finite(), field, value, "a finite number", "")?;
            Ok(value)
        };
        Ok(Self {
            momentum: finite("momentum", p.momentum())?,
            momentum2: finite("momentum2", p.momentum2())?,
            delta: finite("delta", p.delta())?,
            rms_decay: finite("rms_decay", p.rms_decay())?,
            weight_decay: finite("weight_decay", p.weight_decay())?,
            trust_coefficient: finite("trust_coefficient", trust)?,
        })
    }
}

impl RuleTerms {
    pub(crate) fn new(
        hyper: &HyperParams,
        iter: u64,
        rate: f32,
        decay: f32,
        rate_change: f32,
    ) -> Self {
        let t = (iter + 1) as f64;
        let corrections = [hyper.momentum, hyper.momentum2].map(|m| 1.0 - f64::from(m).powf(t));
        let history_factor = hyper.momentum * rate_change;
        Self { rate, decay, history_factor, hyper: *hyper, corrections }
    }
}

/// The check of rules that accept any numbers.
fn any(_: &HyperParams) -> Result<(), SolverError> {
    Ok(())
}

#[cfg(test)]
mod tests;
