//! What rounding does to a net's gradients, measured on the net itself.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use base::random::Mt19937;
use caffe_format::Phase;
use net::{Param, ParamStorage};
use train::Single;

use super::layers;

/// How far params are moved, relative to themselves: a few units in the last place.
const NUDGE: f32 = 1.0 / (1 << 22) as f32;

/// A mean of C magnitudes, each disturbed by a fraction r, moves by about 1.25 r / sqrt(C); three
/// times that was seen for correct implementations.
const ROOM: f64 = 5.0;

/// The mean deviation over all params of a kind that is still rounding.
const POOLED_TOLERANCE: f64 = 1e-3;

/// How much each param's gradient changes, as a fraction of its norm, when all params are nudged.
pub(crate) struct GradientNoise(BTreeMap<(String, usize), f64>);

impl GradientNoise {
    /// Runs the net of `single` again with nudged params: the same data and dropout.
    pub(crate) fn measure(model: &Path, case: &Path, seed: u32, single: &Single) -> Result<Self> {
        let folder = case.parent().context("a folder")?;
        let mut nudged = layers::open(model, folder, Phase::Train, seed)?;
        let mut rng = Mt19937::new(1);
        let learned = |param: &&Param| param.storage == ParamStorage::Slab;
        for param in single.net().params().iter().filter(learned) {
            let mut values = single.params().0[param.values.clone()].to_vec();
            values.iter_mut().for_each(|value| *value += *value * NUDGE * rng.uniform(-1.0, 1.0));
            nudged.set_param(&param.layer, param.index, &values);
        }
        nudged.forward()?;
        nudged.backward()?;
        let (ours, theirs) = (single.pool(), nudged.pool());
        let gradients = single.net().params().iter().filter_map(|param| {
            let range = param.gradient.clone()?;
            let (g, moved) = (&ours[range.clone()], &theirs[range]);
            let square = |v: f32| f64::from(v) * f64::from(v);
            let length: f64 = g.iter().map(|&v| square(v)).sum();
            let change: f64 = g.iter().zip(moved).map(|(&a, &b)| square(a - b)).sum();
            let part = if length > 0.0 { (change / length).sqrt() } else { 0.0 };
            Some(((param.layer.clone(), param.index), part))
        });
        Ok(Self(gradients.collect()))
    }

    /// What the mean magnitude of `param`'s gradient may differ by, relatively.
    pub(crate) fn allowance(&self, param: &Param) -> f64 {
        let part = self.0.get(&(param.layer.clone(), param.index)).copied().unwrap_or(0.0);
        ROOM * part / channels(param).sqrt()
    }
}

fn channels(param: &Param) -> f64 {
    param.shape.dims().first().copied().unwrap_or(1).max(1) as f64
}

/// Signed deviations by kind of param, weighed by channels: flips average out, errors do not.
#[derive(Default)]
pub(crate) struct Pooled(BTreeMap<(usize, usize), (f64, f64, usize)>);

impl Pooled {
    /// Counts one param. Those of one place and number of axes are of one kind: weights, biases,
    /// gammas, betas.
    pub(crate) fn add(&mut self, param: &Param, got: f64, want: f64) {
        if want == 0.0 {
            return;
        }
        let (sum, weight, count) = self.0.entry((param.index, param.shape.axes())).or_default();
        *sum += channels(param) * (got / want - 1.0);
        *weight += channels(param);
        *count += 1;
    }

    /// No kind deviates as a whole.
    pub(crate) fn check(&self) -> Result<()> {
        for ((index, axes), (sum, weight, count)) in &self.0 {
            let mean = sum / weight;
            if *count > 1 && mean.abs() > POOLED_TOLERANCE {
                bail!(
                    "gradients of all {count} params {index} with {axes} axes deviate by {mean:.1e}"
                );
            }
        }
        Ok(())
    }
}
