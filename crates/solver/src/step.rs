//! The scalars of one iteration: learning rate, clipping, and the factors of each parameter.

use serde::{Deserialize, Serialize};

use crate::{
    BlockSums, ParamSlots, Solver,
    norms::total,
    prepare::{GradientPreparation, WeightDecay},
    rules::{DecayMode, RuleTerms, TrustNorms},
    solver::Regularization,
};

/// One iteration's factors. Made by [`Solver::step`], read by [`Solver::update`].
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateStep {
    /// What clipping did, when it did something: Caffe logs it.
    pub clipped: Option<Clipped>,
    /// One entry per parameter.
    pub(crate) factors: Vec<(GradientPreparation, RuleTerms)>,
}

/// All gradients were scaled down.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Clipped {
    /// L2 norm of all gradients together.
    pub norm: f32,
    /// `clip_gradients`.
    pub limit: f32,
    /// What every gradient is multiplied by.
    pub factor: f32,
}

impl Solver {
    /// The factors of iteration `iter`; the `skipped` iterations right before it updated nothing.
    /// `scale` multiplies every gradient first: one over the number of replicas whose sum the pool
    /// holds. `sums` holds one entry per block ([`ParamSlots::blocks_in`] says which belong to a
    /// range); it may be empty when [`Solver::needs_norms`] is false.
    ///
    /// # Panics
    ///
    /// If norms are needed and `sums` does not have one entry per block.
    #[must_use]
    pub fn step(
        &self,
        iter: u64,
        skipped: u64,
        scale: f32,
        slots: &ParamSlots,
        sums: &[BlockSums],
    ) -> UpdateStep {
        let needed = if self.needs_norms() { slots.blocks() } else { sums.len() };
        assert_eq!(sums.len(), needed, "sums of every block");
        let rate = self.rates.at(iter);
        let rate_change = self.rate_change(iter, skipped);
        let clipped = self.clip(sums);
        let clip = clipped.map_or(1.0, |clipped| clipped.factor);
        let normalise = 1.0 / self.iter_size;
        let factors = slots.as_slice().iter().enumerate().map(|(index, slot)| {
            let decay = self.hyper.weight_decay * slot.decay_mult;
            let in_gradient = match (self.rule.decay, self.regularization) {
                (DecayMode::Decoupled, _) => WeightDecay::None,
                _ if decay == 0.0 => WeightDecay::None,
                (DecayMode::Gradient, Regularization::L2) => WeightDecay::L2(decay),
                (DecayMode::Gradient, Regularization::L1) => WeightDecay::L1(decay),
            };
            let trust = self.rule.trust.map_or(1.0, |trust| {
                let sums = total(sums, slots.blocks_of(index));
                trust(&TrustNorms {
                    eta: self.hyper.trust_coefficient.into(),
                    weights: sums.values.sqrt(),
                    gradient: sums.gradient.sqrt() * f64::from(clip * normalise),
                    decay: decay.into(),
                })
            });
            let prepare = GradientPreparation { scale, clip, normalise, decay: in_gradient };
            let rate = rate * slot.lr_mult * trust;
            (prepare, RuleTerms::new(&self.hyper, iter, rate, decay, rate_change))
        });
        UpdateStep { clipped, factors: factors.collect() }
    }

    /// What `momentum_correction` multiplies the history by: the rate over that of the last
    /// iteration that updated it; 1 where that was 0, which no factor can correct.
    fn rate_change(&self, iter: u64, skipped: u64) -> f32 {
        match iter.checked_sub(skipped + 1).map(|before| self.rates.at(before)) {
            Some(before) if self.momentum_correction && before != 0.0 => {
                self.rates.at(iter) / before
            }
            _ => 1.0,
        }
    }

    /// `ClipGradients`: the norm over all parameters, before anything else is done to the
    /// gradients.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    fn clip(&self, sums: &[BlockSums]) -> Option<Clipped> {
        let limit = self.clip_gradients?;
        let norm = total(sums, 0..sums.len()).gradient.sqrt() as f32;
        (norm > limit).then(|| Clipped { norm, limit, factor: limit / norm })
    }
}
