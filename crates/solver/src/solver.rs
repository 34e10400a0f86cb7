//! The solver of a job, lowered from what the user wrote.

use caffe_format::SolverParameter;

use crate::{
    Rates, Rule, SolverError, Warmup,
    error::expect,
    rules::{DecayPlace, Hyper, RULES, find},
};

/// Fields of the solver prototxt that Caffe does not have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Extensions {
    /// `warmup_iter` and `warmup_start_lr`.
    pub warmup: Option<Warmup>,
    /// `trust_coefficient` of LARS; the paper's 0.001 unless set.
    pub trust_coefficient: Option<f32>,
}

impl Extensions {
    /// What a solver prototxt says.
    pub fn lower(p: &SolverParameter) -> Result<Self, SolverError> {
        let iterations = u64::try_from(p.warmup_iter());
        let Ok(iterations) = iterations else {
            let (field, got, needed_by) = ("warmup_iter", p.warmup_iter().into(), "");
            return Err(SolverError::OutOfRange { field, got, want: "0 or more", needed_by });
        };
        let warmup = Warmup { iterations, start: p.warmup_start_lr() };
        Ok(Self {
            warmup: (iterations > 0).then_some(warmup),
            trust_coefficient: p.trust_coefficient,
        })
    }
}

/// Rates, preparation and rule: all that turns a gradient into an update. Has no state; the history
/// belongs to the caller, in [`Solver::histories`] slabs laid out as the parameter slab.
#[derive(Debug, Clone)]
pub struct Solver {
    /// The learning rate of every iteration.
    pub rates: Rates,
    pub(crate) rule: &'static Rule,
    pub(crate) hyper: Hyper,
    pub(crate) regularization: Regularization,
    /// `None`: never clip.
    pub(crate) clip_gradients: Option<f32>,
    pub(crate) iter_size: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Regularization {
    L1,
    L2,
}

impl Solver {
    /// Checks every field that the rates, the preparation and the rule read.
    pub fn lower(p: &SolverParameter, extensions: &Extensions) -> Result<Self, SolverError> {
        let rates = Rates::lower(p, extensions.warmup)?;
        let rule = find(p.type_()).ok_or_else(|| SolverError::UnknownRule {
            name: p.type_().into(),
            known: RULES.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", "),
        })?;
        let hyper = Hyper::lower(p, extensions.trust_coefficient)?;
        (rule.check)(&hyper)?;
        let clip = p.clip_gradients();
        expect(!clip.is_nan(), "clip_gradients", clip, "a number", "")?;
        let iter_size = p.iter_size();
        expect(iter_size >= 1, "iter_size", iter_size, "1 or more", "")?;
        Ok(Self {
            rates,
            rule,
            hyper,
            regularization: regularization(p, rule)?,
            clip_gradients: (clip >= 0.0).then_some(clip),
            iter_size: iter_size as f32,
        })
    }

    /// The update rule.
    #[must_use]
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    /// How many history slabs the rule keeps, each laid out as the parameter slab and zero at first.
    /// In a solver state all parameters' first history comes before all parameters' second.
    #[must_use]
    pub fn histories(&self) -> usize {
        self.rule.histories
    }

    /// Whether [`Solver::step`] needs block sums.
    #[must_use]
    pub fn needs_norms(&self) -> bool {
        self.clip_gradients.is_some() || self.rule.trust.is_some()
    }
}

fn regularization(p: &SolverParameter, rule: &Rule) -> Result<Regularization, SolverError> {
    let l2_only = rule.decay == DecayPlace::Apart || rule.trust.is_some();
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
