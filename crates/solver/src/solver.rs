//! The checked solver of a job, from Caffe's `SolverParameter`.

use caffe_format::SolverParameter;

use crate::{
    LearningRates, SolverError, UpdateRule,
    error::expect,
    rules::{DecayMode, HyperParams, find},
};

/// Learning rates, preparation and update rule. Stateless: the history belongs to the caller, in
/// [`Solver::histories`] slabs laid out as the parameter slab.
#[derive(Debug, Clone)]
pub struct Solver {
    /// A function of the iteration.
    pub rates: LearningRates,
    pub(crate) rule: &'static UpdateRule,
    pub(crate) hyper: HyperParams,
    pub(crate) regularization: Regularization,
    /// `None`: never clip.
    pub(crate) clip_gradients: Option<f32>,
    pub(crate) iter_size: f32,
    pub(crate) momentum_correction: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Regularization {
    L1,
    L2,
}

impl Solver {
    /// Checks every field that the rates, the preparation and the rule read.
    pub fn lower(p: &SolverParameter) -> Result<Self, SolverError> {
        let rates = LearningRates::lower(p)?;
        let rule =
            find(p.type_()).ok_or_else(|| SolverError::UnknownRule { name: p.type_().into() })?;
        let hyper = HyperParams::lower(p)?;
        (rule.check)(&hyper)?;
        let clip = p.clip_gradients();
        expect(!clip.is_nan(), "clip_gradients", clip, "a number", "")?;
        let iter_size = p.iter_size();
        expect(iter_size >= 1, "iter_size", iter_size, "1 or more", "")?;
        let momentum_correction = p.momentum_correction();
        if momentum_correction && !rule.history_has_rate {
            return Err(SolverError::MomentumCorrection { rule: rule.name });
        }
        Ok(Self {
            rates,
            rule,
            hyper,
            regularization: regularization(p, rule)?,
            clip_gradients: (clip >= 0.0).then_some(clip),
            iter_size: iter_size as f32,
            momentum_correction,
        })
    }

    /// The row of [`RULES`](crate::RULES) that `type` names.
    #[must_use]
    pub fn rule(&self) -> &'static UpdateRule {
        self.rule
    }

    /// Number of history slabs, each laid out as the parameter slab and initially zero. A solver
    /// state file holds the first history of all parameters, then the second.
    #[must_use]
    pub fn histories(&self) -> usize {
        self.rule.histories
    }

    /// The same for gradients that have momentum in them already, since a compression corrects it:
    /// momentum is 0, and weight decay is divided by `1 - momentum`, so that in the long run it
    /// acts as strongly as it did with momentum.
    #[must_use]
    pub fn with_corrected_momentum(&self) -> Self {
        let mut solver = self.clone();
        solver.hyper.weight_decay /= 1.0 - self.hyper.momentum;
        solver.hyper.momentum = 0.0;
        solver
    }

    /// Whether [`Solver::step`] needs block sums.
    #[must_use]
    pub fn needs_norms(&self) -> bool {
        self.clip_gradients.is_some() || self.rule.trust.is_some()
    }
}

fn regularization(p: &SolverParameter, rule: &UpdateRule) -> Result<Regularization, SolverError> {
    let l2_only = rule.decay == DecayMode::Decoupled || rule.trust.is_some();
    match p.regularization_type() {
        "L2" => Ok(Regularization::L2),
        "L1" if !l2_only => Ok(Regularization::L1),
        name => Err(SolverError::Regularization {
            name: name.into(),
            rule: rule.name,
            known: if l2_only { "L2" } else { "L1, L2" },
        }),
    }
}

#[cfg(test)]
mod tests;
