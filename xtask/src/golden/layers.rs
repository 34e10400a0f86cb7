//! `layers/<case>/`: one layer, forward and backward.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use caffe_format::{NetState, Phase};
use net::{MemoryPlan, ParamStorage};
use train::files::UnknownFields;
use train::{NetConfig, Single};

use super::compare::{Closeness, equal_bits};
use super::tensors::{Tensors, param_name};
use super::{CaseVerdict, entries, missing_layer};

const TOLERANCE: f64 = 1e-4;

/// Folders with a net and a recording.
pub(crate) fn cases(root: &Path) -> Result<Vec<PathBuf>> {
    let mut cases = entries(&root.join("layers"))?;
    cases.retain(|case| case.join("golden.safetensors").exists());
    Ok(cases)
}

/// A net by itself, as the recordings were made: no file but its own, a given seed.
pub(crate) fn open(model: &Path, root: &Path, phase: Phase, seed: u32) -> Result<Single> {
    let config = NetConfig {
        state: NetState { phase: Some(phase), ..NetState::default() },
        threads: 2,
        seed,
        root: root.into(),
        memory_plan: MemoryPlan::KeepDiffs,
        ..NetConfig::new(model)
    };
    Ok(Single::open(&config, &mut |_| ())?)
}

/// Runs one case.
pub(crate) fn run(case: &Path) -> Result<CaseVerdict> {
    let model = case.join("net.prototxt");
    let written = train::files::read_net(&model, UnknownFields::Reject)?.message;
    if let Some(why) = missing_layer(&written) {
        return Ok(CaseVerdict::Skipped(why));
    }
    let tensors = Tensors::read(&case.join("golden.safetensors"))?;
    let phase = if tensors.note("phase") == Some("TEST") { Phase::Test } else { Phase::Train };
    let seed = tensors.note("init_seed").unwrap_or("1701").parse()?;
    let mut single = open(&model, case, phase, seed)?;
    set_params(&mut single, &tensors)?;
    for (blob, values) in tensors.under("in") {
        set_input(&mut single, blob, values)?;
    }
    if let Some(seed) = tensors.note("seed_before_forward") {
        single.reseed(seed.parse()?);
    }
    single.forward()?;
    let mut close = Closeness::default();
    for (blob, want) in tensors.under("out") {
        let got = single.blob(blob).with_context(|| format!("no blob `{blob}`"))?;
        close.check(&format!("out/{blob}"), &got.values, want, TOLERANCE)?;
    }
    for (name, want) in tensors.under("param_after") {
        close.check(&format!("param_after/{name}"), &param(&single, name)?, want, TOLERANCE)?;
    }
    check_backward(&mut single, &tensors, &mut close)?;
    Ok(CaseVerdict::Passed(format!("within {:.0e}", close.worst)))
}

fn check_backward(single: &mut Single, tensors: &Tensors, close: &mut Closeness) -> Result<()> {
    for (blob, values) in tensors.under("dout") {
        single.set_blob_diff(blob, values)?;
    }
    if tensors.under("din").next().is_none() && tensors.under("dparam").next().is_none() {
        return Ok(());
    }
    single.backward()?;
    for (blob, want) in tensors.under("din") {
        let got = single.blob_diff(blob).with_context(|| format!("no blob `{blob}`"))?;
        close.check(&format!("din/{blob}"), &got.values, want, TOLERANCE)?;
    }
    for (name, want) in tensors.under("dparam") {
        let (layer, index) = param_name(name)?;
        let found = find(single, layer, index)?;
        let got = match &found.gradient {
            Some(range) => single.pool()[range.clone()].to_vec(),
            None => vec![0.0; found.values.len()],
        };
        close.check(&format!("dparam/{name}"), &got, want, TOLERANCE)?;
    }
    Ok(())
}

/// Params drawn by a filler must be the recorded ones; those set by hand (BatchNorm's) are set.
fn set_params(single: &mut Single, tensors: &Tensors) -> Result<()> {
    for (name, want) in tensors.under("param") {
        let (layer, index) = param_name(name)?;
        if find(single, layer, index)?.storage == ParamStorage::Slab {
            equal_bits(&format!("param/{name}"), &param(single, name)?, want)?;
        }
        single.set_param(layer, index, want);
    }
    Ok(())
}

/// Inputs are Input layers' tops, or the param of a Parameter layer called `in_<blob>`.
fn set_input(single: &mut Single, blob: &str, values: &[f32]) -> Result<()> {
    let layer = format!("in_{blob}");
    if single.net().params().iter().any(|param| param.layer == layer) {
        single.set_param(&layer, 0, values);
        return Ok(());
    }
    Ok(single.set_blob(blob, values)?)
}

fn find(single: &Single, layer: &str, index: usize) -> Result<net::Param> {
    let mut params = single.net().params().iter();
    let found = params.find(|param| param.layer == layer && param.index == index);
    found.cloned().with_context(|| format!("no param {layer}/{index}"))
}

fn param(single: &Single, name: &str) -> Result<Vec<f32>> {
    let (layer, index) = param_name(name)?;
    let param = find(single, layer, index)?;
    let (learned, running) = single.params();
    Ok(match param.storage {
        ParamStorage::Running => running[param.values].to_vec(),
        _ => learned[param.values].to_vec(),
    })
}
