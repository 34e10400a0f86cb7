//! `nets/<net>.json`: whole networks, one forward and backward.
//!
//! Outputs, data, diffs and params must agree within 1e-3 in the mean of their magnitudes.
//! Gradients of params get room for what rounding does to any f32 implementation: a pre-activation
//! within rounding of zero lets a ReLU or a maximum fall to either side, and one such flip moves
//! whole gradients. (In ResNet-50 at batch 2 some fifty flips move BatchNorm's gammas and betas by
//! up to 1 %: PyTorch in f32 and the reference itself are that far from an f64 run; with the flips
//! taken from our own run, ours agree with f64 to 3e-5.) So the net is run once more with params
//! moved by a few units in the last place, and a gradient may differ by what that does to it. Flips
//! average out where errors do not: the mean deviation over all params of a kind must stay within
//! 1e-3.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use caffe_format::Phase;
use net::ParamStorage;
use serde_json::Value;
use train::files::{UnknownFields, read_net};

use super::compare::relative;
use super::noise::{GradientNoise, Pooled};
use super::{CaseVerdict, ending_in, layers, missing_layer};

const TOLERANCE: f64 = 1e-3;

/// Recorded networks.
pub(crate) fn cases(root: &Path) -> Result<Vec<PathBuf>> {
    ending_in(&root.join("nets"), ".json")
}

/// Runs one network.
pub(crate) fn run(case: &Path) -> Result<CaseVerdict> {
    let recorded: Value = serde_json::from_str(&fs::read_to_string(case)?)?;
    let model = case.with_extension("prototxt");
    if let Some(why) = missing_layer(&read_net(&model, UnknownFields::Reject)?.message) {
        return Ok(CaseVerdict::Skipped(why));
    }
    let seed = recorded["seed"].as_u64().and_then(|seed| u32::try_from(seed).ok());
    let seed = seed.unwrap_or(1701);
    let folder = case.parent().context("a folder")?;
    let mut single = layers::open(&model, folder, Phase::Train, seed)?;
    // Running statistics were recorded as they began: forward changes them.
    let running = single.params().1.to_vec();
    single.forward()?;
    single.backward()?;
    let mut worst = 0.0_f64;
    for (name, want) in fields(&recorded["outputs"])? {
        let got = single.blob(name).with_context(|| format!("no output `{name}`"))?.values;
        let want = want.as_f64().context("a number")?;
        worst = worst.max(relative(name, f64::from(got[0]), want, TOLERANCE)?);
    }
    for (name, want) in fields(&recorded["blobs"])? {
        let data = single.blob(name).with_context(|| format!("no blob `{name}`"))?;
        let diff = single.blob_diff(name).with_context(|| format!("no blob `{name}`"))?;
        check_shape(name, data.shape.dims(), want)?;
        worst = worst.max(check_mean(&format!("{name} data"), &data.values, &want["data"])?);
        worst = worst.max(check_mean(&format!("{name} diff"), &diff.values, &want["diff"])?);
    }
    let noise = GradientNoise::measure(&model, case, seed, &single)?;
    let mut pooled = Pooled::default();
    for (layer, blobs) in fields(&recorded["params"])? {
        for (index, want) in blobs.as_array().context("a list")?.iter().enumerate() {
            let what = format!("{layer}/{index}");
            let mut params = single.net().params().iter();
            let param = params.find(|param| param.layer == *layer && param.index == index);
            let param = param.with_context(|| format!("no param {what}"))?;
            check_shape(&what, param.shape.dims(), want)?;
            let values = match param.storage {
                ParamStorage::Running => &running[param.values.clone()],
                _ => &single.params().0[param.values.clone()],
            };
            worst = worst.max(check_mean(&format!("{what} data"), values, &want["data"])?);
            let pool = single.pool();
            let gradient = param.gradient.clone().map_or(&[][..], |range| &pool[range]);
            let want = want["diff"].as_f64().context("a number")?;
            let tolerance = TOLERANCE + noise.allowance(param);
            let mean = mean_abs(gradient);
            worst = worst.max(relative(&format!("{what} diff"), mean, want, tolerance)?);
            pooled.add(param, mean, want);
        }
    }
    pooled.check()?;
    Ok(CaseVerdict::Passed(format!("within {worst:.0e}")))
}

fn fields(value: &Value) -> Result<impl Iterator<Item = (&String, &Value)>> {
    Ok(value.as_object().context("an object")?.iter())
}

fn check_shape(what: &str, got: &[usize], want: &Value) -> Result<()> {
    let want: Vec<usize> = serde_json::from_value(want["shape"].clone())?;
    if got != want {
        bail!("{what} has shape {got:?}, recorded {want:?}");
    }
    Ok(())
}

/// Compares the mean absolute value.
fn check_mean(what: &str, values: &[f32], want: &Value) -> Result<f64> {
    relative(what, mean_abs(values), want.as_f64().context("a number")?, TOLERANCE)
}

fn mean_abs(values: &[f32]) -> f64 {
    let sum: f64 = values.iter().map(|value| f64::from(value.abs())).sum();
    sum / values.len().max(1) as f64
}
