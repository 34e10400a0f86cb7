//! The learning rate of every iteration: Caffe's seven policies, and a warm-up that Caffe does not
//! have.
//!
//! Matches `SGDSolver::GetLearningRate`. Integer powers (`step`, `exp`, `multistep`) are computed
//! in double precision and rounded once; real powers (`inv`, `poly`) and the exponential of
//! `sigmoid` stay in single precision, as C++ overload resolution does in Caffe. Unlike in Caffe,
//! the rate is a function of the iteration alone: `multistep` needs no counter that a resume could
//! lose.
//!
//! Warm-up (Goyal et al. 2017; fields `warmup_iter` and `warmup_start_lr`, not in Caffe): below
//! `warmup_iter` the rate grows linearly from `warmup_start_lr` to the rate of the policy, without
//! a jump.

use caffe_format::SolverParameter;

use crate::error::{SolverError, expect};

/// Every policy name, in Caffe's order.
pub(crate) const POLICIES: [&str; 7] =
    ["fixed", "step", "exp", "inv", "multistep", "poly", "sigmoid"];

/// The checked learning-rate policy of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningRates {
    base: f32,
    policy: RatePolicy,
    warmup: Option<RateWarmup>,
}

/// A linear ramp of the learning rate before the policy takes over.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RateWarmup {
    /// `warmup_iter`: the first iteration at the policy's rate.
    iterations: u64,
    /// `warmup_start_lr`: the rate of iteration 0.
    start: f32,
}

#[derive(Debug, Clone, PartialEq)]
enum RatePolicy {
    Fixed,
    Step {
        gamma: f32,
        size: u64,
    },
    Exp {
        gamma: f32,
    },
    Inv {
        gamma: f32,
        power: f32,
    },
    /// `begins[k]` is the iteration at which step `k + 1` begins.
    MultiStep {
        gamma: f32,
        begins: Vec<u64>,
    },
    Poly {
        power: f32,
        max_iter: u64,
    },
    Sigmoid {
        gamma: f32,
        middle: u64,
    },
}

impl RateWarmup {
    /// `None` without `warmup_iter`.
    fn lower(p: &SolverParameter) -> Result<Option<Self>, SolverError> {
        let (iterations, start) = (p.warmup_iter(), p.warmup_start_lr());
        expect(iterations >= 0, "warmup_iter", iterations, "0 or more", "")?;
        if iterations == 0 {
            return Ok(None);
        }
        expect(start.is_finite(), "warmup_start_lr", start, "a finite number", "")?;
        Ok(Some(Self { iterations: u64::from(iterations.unsigned_abs()), start }))
    }
}

impl LearningRates {
    /// Checks `base_lr`, `lr_policy`, the fields that policy reads, and those of the warm-up.
    pub fn lower(p: &SolverParameter) -> Result<Self, SolverError> {
        let base = p.base_lr();
        expect(base.is_finite(), "base_lr", base, "a finite number", "")?;
        Ok(Self { base, policy: RatePolicy::lower(p)?, warmup: RateWarmup::lower(p)? })
    }

    /// The rate of iteration `iter`, counted from 0.
    #[must_use]
    pub fn at(&self, iter: u64) -> f32 {
        let rate = self.policy.rate(self.base, iter);
        match self.warmup {
            Some(RateWarmup { iterations, start }) if iter < iterations => {
                start + (rate - start) * (iter as f32 / iterations as f32)
            }
            _ => rate,
        }
    }

    /// Caffe's `current_step` once the rate of `iter` has been computed: goes into the solver
    /// state.
    #[must_use]
    pub fn current_step(&self, iter: u64) -> u64 {
        match &self.policy {
            RatePolicy::Step { size, .. } => iter / size,
            RatePolicy::MultiStep { begins, .. } => count_begun(begins, iter),
            _ => 0,
        }
    }

    /// The step of `multistep` that begins at `iter`, if one does: Caffe logs it.
    #[must_use]
    pub fn step_begins(&self, iter: u64) -> Option<u64> {
        match &self.policy {
            RatePolicy::MultiStep { begins, .. } if begins.binary_search(&iter).is_ok() => {
                Some(count_begun(begins, iter))
            }
            _ => None,
        }
    }
}

impl RatePolicy {
    fn lower(p: &SolverParameter) -> Result<Self, SolverError> {
        let name = POLICIES
            .iter()
            .copied()
            .find(|&name| name == p.lr_policy())
            .ok_or_else(|| SolverError::UnknownPolicy { name: p.lr_policy().into() })?;
        let gamma = || {
            let gamma = p.gamma();
            expect(gamma >= 0.0 && gamma.is_finite(), "gamma", gamma, "0 or more", name)?;
            Ok(gamma)
        };
        let power = || {
            expect(p.power().is_finite(), "power", p.power(), "a finite number", name)?;
            Ok(p.power())
        };
        let size = || positive("stepsize", p.stepsize(), name);
        Ok(match name {
            "step" => Self::Step { gamma: gamma()?, size: size()? },
            "exp" => Self::Exp { gamma: gamma()? },
            "inv" => Self::Inv { gamma: gamma()?, power: power()? },
            "multistep" => Self::MultiStep { gamma: gamma()?, begins: begins(&p.stepvalue)? },
            "poly" => {
                let max_iter = positive("max_iter", p.max_iter(), name)?;
                Self::Poly { power: power()?, max_iter }
            }
            "sigmoid" => Self::Sigmoid { gamma: gamma()?, middle: size()? },
            _ => Self::Fixed,
        })
    }

    fn rate(&self, base: f32, iter: u64) -> f32 {
        match *self {
            Self::Fixed => base,
            Self::Step { gamma, size } => decayed(base, gamma, iter / size),
            Self::Exp { gamma } => decayed(base, gamma, iter),
            Self::Inv { gamma, power } => base * (1.0 + gamma * iter as f32).powf(-power),
            Self::MultiStep { gamma, ref begins } => {
                decayed(base, gamma, count_begun(begins, iter))
            }
            Self::Poly { power, max_iter } => {
                base * (1.0 - iter as f32 / max_iter as f32).powf(power)
            }
            Self::Sigmoid { gamma, middle } => {
                base * (1.0 / (1.0 + (-gamma * (iter as f32 - middle as f32)).exp()))
            }
        }
    }
}

/// `base * gamma ^ steps`, rounded once.
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
fn decayed(base: f32, gamma: f32, steps: u64) -> f32 {
    (f64::from(base) * f64::from(gamma).powf(steps as f64)) as f32
}

/// The first iteration of each step. Caffe advances at most one step per iteration, even if the
/// values do not ascend.
fn begins(stepvalue: &[i32]) -> Result<Vec<u64>, SolverError> {
    let mut begins = Vec::with_capacity(stepvalue.len());
    for &value in stepvalue {
        let wanted = u64::try_from(value).ok();
        expect(wanted.is_some(), "stepvalue", value, "0 or more", "multistep")?;
        let earliest = begins.last().map_or(0, |last| last + 1);
        begins.push(wanted.unwrap_or(0).max(earliest));
    }
    Ok(begins)
}

fn count_begun(begins: &[u64], iter: u64) -> u64 {
    begins.partition_point(|&begin| begin <= iter) as u64
}

fn positive(field: &'static str, got: i32, policy: &'static str) -> Result<u64, SolverError> {
    let value = u64::try_from(got).ok().filter(|&value| value > 0);
    expect(value.is_some(), field, got, "1 or more", policy)?;
    Ok(value.unwrap_or(1))
}

#[cfg(test)]
mod tests;
