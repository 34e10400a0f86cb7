//! The update rules: how a prepared gradient and its history change the weights.
//!
//! A rule is a loop over one block. Operations and their order are those of Caffe's CPU code, each
//! rounded to f32 by itself, so that a trained net stays as close to Caffe's as one BLAS is to another.

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
pub const RULES: &[Rule] = &[
    adadelta::RULE,
    adagrad::RULE,
    adam::RULE,
    adamw::RULE,
    lars::RULE,
    nesterov::RULE,
    rmsprop::RULE,
    sgd::RULE,
];

/// Most histories a rule keeps.
pub const HISTORIES_MAX: usize = 2;

/// A row of [`RULES`].
#[derive(Debug)]
pub struct Rule {
    /// Caffe's name, as after `type:` in a solver prototxt.
    pub name: &'static str,
    /// How many values of history it keeps for every weight.
    pub histories: usize,
    /// Where weight decay acts.
    pub(crate) decay: DecayPlace,
    /// Factor of a parameter's rate, for rules that look at norms.
    pub(crate) trust: Option<fn(&Norms) -> f32>,
    /// Refuses numbers that the rule cannot use.
    pub(crate) check: fn(&Hyper) -> Result<(), SolverError>,
    /// Updates one block, as compiled for the worker's SIMD level.
    pub(crate) update: fn(&Cpu, &Terms, Block<'_>),
}

/// One block of a parameter. The slices have one length, but for histories that the rule does not keep.
pub(crate) struct Block<'a> {
    pub(crate) values: &'a mut [f32],
    /// Prepared: mean, clipped, normalised, with decay.
    pub(crate) gradient: &'a [f32],
    pub(crate) history: [&'a mut [f32]; HISTORIES_MAX],
}

/// What a rate's factor is worked out from, for one parameter.
pub(crate) struct Norms {
    /// The trust coefficient.
    pub(crate) eta: f64,
    pub(crate) weights: f64,
    pub(crate) gradient: f64,
    pub(crate) decay: f64,
}

/// Where weight decay acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecayPlace {
    /// Added to the gradient, as everywhere in Caffe.
    Gradient,
    /// Taken from the weight by the rule itself.
    Apart,
}

/// The numbers of a solver prototxt that rules read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hyper {
    pub(crate) momentum: f32,
    pub(crate) momentum2: f32,
    pub(crate) delta: f32,
    pub(crate) rms_decay: f32,
    pub(crate) weight_decay: f32,
    pub(crate) trust_coefficient: f32,
}

/// What a rule knows about one parameter in one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Terms {
    /// Learning rate, `lr_mult` and trust included.
    pub(crate) rate: f32,
    /// Weight decay, `decay_mult` included; for rules that decay apart from the gradient.
    pub(crate) decay: f32,
    pub(crate) hyper: Hyper,
    /// `1 - momentum^t` and `1 - momentum2^t` in iteration `t`, counted from 1.
    pub(crate) corrections: [f64; 2],
}

/// Looks up the string after `type:` in a solver prototxt.
pub(crate) fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

impl Hyper {
    pub(crate) fn lower(p: &SolverParameter, trust: Option<f32>) -> Result<Self, SolverError> {
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
            trust_coefficient: finite("trust_coefficient", trust.unwrap_or(lars::TRUST))?,
        })
    }
}

impl Terms {
    pub(crate) fn new(hyper: &Hyper, iter: u64, rate: f32, decay: f32) -> Self {
        let t = (iter + 1) as f64;
        let corrections = [hyper.momentum, hyper.momentum2].map(|m| 1.0 - f64::from(m).powf(t));
        Self { rate, decay, hyper: *hyper, corrections }
    }
}

/// For rules that take any numbers.
fn any(_: &Hyper) -> Result<(), SolverError> {
    Ok(())
}

#[cfg(test)]
mod tests;
