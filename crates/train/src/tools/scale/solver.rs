//! The solver's part: rate, schedule, warm-up.

use caffe_format::SolverParameter;
use caffe_format::text::{Outline, TextEdits};

use super::{ScalingError, ScalingRule};

/// Fields that count iterations.
const ITERATIONS: [&str; 7] =
    ["max_iter", "stepsize", "stepvalue", "test_interval", "snapshot", "display", "warmup_iter"];

/// Part of the iterations that the rate takes to rise: five of Goyal et al.'s ninety epochs.
const WARM_UP: f64 = 0.05;

/// LARS rate at batch 256, which grows with the square root of the batch.
const LARS_RATE: f64 = 4.0;
const LARS_BATCH: f64 = 256.0;

/// A solver, and how much larger its global batch becomes.
pub(super) struct SolverScaling<'a> {
    pub(super) solver: &'a SolverParameter,
    pub(super) outline: &'a Outline,
    /// New batch over old batch.
    pub(super) factor: f64,
    /// The new batch.
    pub(super) batch: u64,
}

impl SolverScaling<'_> {
    pub(super) fn apply(
        &self,
        rule: ScalingRule,
        net_name: &str,
        edits: &mut TextEdits<'_>,
    ) -> Result<(), ScalingError> {
        if self.solver.solver_type.is_some() {
            return Err(ScalingError::Old { what: "solver" });
        }
        let named = ["net", "train_net"].iter().find_map(|name| self.outline.field(name));
        let net = named.ok_or(ScalingError::InlineNet)?;
        edits.replace(&net.values[0], &format!("\"{net_name}\""), "the scaled net");
        self.scale_iterations(edits);
        match rule {
            ScalingRule::Linear => self.scale_rate(edits),
            ScalingRule::Lars => self.use_lars(edits)?,
        }
        Ok(())
    }

    /// Everything that counts iterations shrinks as the batch grows: the same number of epochs.
    fn scale_iterations(&self, edits: &mut TextEdits<'_>) {
        let why = format!("the same number of images at batch {}", self.batch);
        for name in ITERATIONS {
            for field in self.outline.all(name) {
                for value in &field.values {
                    self.divide(value, &why, edits);
                }
            }
        }
    }

    fn divide(&self, value: &std::ops::Range<usize>, why: &str, edits: &mut TextEdits<'_>) {
        let Some(old) = edits.text(value).parse::<f64>().ok().filter(|&old| old > 0.0) else {
            return; // 0 switches a field off
        };
        edits.replace(value, &self.iterations(old).to_string(), why);
    }

    fn iterations(&self, old: f64) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and a number of iterations"
        )]
        let new = (old / self.factor).round() as u64;
        new.max(1)
    }

    fn scale_rate(&self, edits: &mut TextEdits<'_>) {
        let (solver, factor) = (self.solver, self.factor);
        let old = f64::from(solver.base_lr());
        let why = format!("linear rule, batch times {}", number(factor));
        self.set("base_lr", &number(old * factor), &why, edits);
        let gamma = f64::from(solver.gamma());
        match solver.lr_policy() {
            "inv" | "sigmoid" => {
                self.set("gamma", &number(gamma * factor), "per iteration", edits);
            }
            "exp" => self.set("gamma", &number(gamma.powf(factor)), "per iteration", edits),
            _ => {}
        }
        self.warm_up(old, edits);
    }

    fn use_lars(&self, edits: &mut TextEdits<'_>) -> Result<(), ScalingError> {
        let kind = self.solver.type_();
        if !["SGD", "LARS"].contains(&kind) {
            return Err(ScalingError::NotSgd { kind: kind.to_owned() });
        }
        let rate = LARS_RATE * (self.batch as f64 / LARS_BATCH).sqrt();
        self.set("type", "\"LARS\"", "layer-wise rates for large batches", edits);
        self.set("trust_coefficient", "0.001", "as You et al.", edits);
        self.set("base_lr", &number(rate), "LARS rate, grows with the root of the batch", edits);
        self.set("lr_policy", "\"poly\"", "as You et al.", edits);
        self.set("power", "2", "as You et al.", edits);
        self.warm_up(0.0, edits);
        Ok(())
    }

    /// A linear rise from `start`, where the batch grows and the solver has none.
    fn warm_up(&self, start: f64, edits: &mut TextEdits<'_>) {
        if self.factor <= 1.0 || self.outline.field("warmup_iter").is_some() {
            return;
        }
        let iterations = self.iterations(f64::from(self.solver.max_iter().max(1)) * WARM_UP);
        self.set("warmup_iter", &iterations.to_string(), "5 % of the iterations", edits);
        self.set("warmup_start_lr", &number(start), "where the rise begins", edits);
    }

    fn set(&self, name: &str, value: &str, why: &str, edits: &mut TextEdits<'_>) {
        match self.outline.field(name) {
            Some(field) => edits.replace(&field.values[0], value, why),
            None => edits.append(&self.outline.values[0], &format!("{name}: {value}"), why),
        }
    }
}

fn number(value: f64) -> String {
    base::general(value)
}
