//! Everything scalar about one iteration, worked out once and shared by all workers.

use crate::{
    BlockSums, Slots, Solver,
    norms::total,
    prepare::{Decay, Prepare},
    rules::{DecayPlace, Norms, Terms},
    solver::Regularization,
};

/// One iteration's factors. Made by [`Solver::step`], read by [`Solver::update`].
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The learning rate, before `lr_mult`.
    pub rate: f32,
    /// What clipping did, when it did something: Caffe logs it.
    pub clipped: Option<Clipped>,
    /// One a parameter.
    pub(crate) factors: Vec<(Prepare, Terms)>,
}

/// All gradients were scaled down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clipped {
    /// L2 norm of all gradients together.
    pub norm: f32,
    /// `clip_gradients`.
    pub limit: f32,
    /// What every gradient is multiplied by.
    pub factor: f32,
}

impl Solver {
    /// Works out iteration `iter`. `scale` multiplies every gradient first: one over the number of
    /// replicas whose sum the pool holds. `sums` are those of all blocks, in order ([`Slots::blocks_in`]
    /// says where a run's belong); empty will do when [`Solver::needs_norms`] is false.
    ///
    /// # Panics
    ///
    /// If norms are needed and there is not one entry a block.
    #[must_use]
    pub fn step(&self, iter: u64, scale: f32, slots: &Slots, sums: &[BlockSums]) -> Step {
        let needed = if self.needs_norms() { slots.blocks() } else { sums.len() };
        assert_eq!(sums.len(), needed, "sums of every block");
        let rate = self.rates.at(iter);
        let clipped = self.clip(sums);
        let clip = clipped.map_or(1.0, |clipped| clipped.factor);
        let normalise = 1.0 / self.iter_size;
        let factors = slots.as_slice().iter().enumerate().map(|(index, slot)| {
            let decay = self.hyper.weight_decay * slot.decay_mult;
            let in_gradient = match (self.rule.decay, self.regularization) {
                (DecayPlace::Apart, _) => Decay::None,
                _ if decay == 0.0 => Decay::None,
                (DecayPlace::Gradient, Regularization::L2) => Decay::L2(decay),
                (DecayPlace::Gradient, Regularization::L1) => Decay::L1(decay),
            };
            let trust = self.rule.trust.map_or(1.0, |trust| {
                let sums = total(sums, slots.blocks_of(index));
                trust(&Norms {
                    eta: self.hyper.trust_coefficient.into(),
                    weights: sums.values.sqrt(),
                    gradient: sums.gradient.sqrt() * f64::from(clip * normalise),
                    decay: decay.into(),
                })
            });
            let prepare = Prepare { scale, clip, normalise, decay: in_gradient };
            (prepare, Terms::new(&self.hyper, iter, rate * slot.lr_mult * trust, decay))
        });
        Step { rate, clipped, factors: factors.collect() }
    }

    /// `ClipGradients`: the norm over all parameters, before anything else is done to the gradients.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    fn clip(&self, sums: &[BlockSums]) -> Option<Clipped> {
        let limit = self.clip_gradients?;
        let norm = total(sums, 0..sums.len()).gradient.sqrt() as f32;
        (norm > limit).then(|| Clipped { norm, limit, factor: limit / norm })
    }
}
