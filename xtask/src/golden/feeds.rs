//! `data/feeds/`: what each data layer handed out, and what fillers drew.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use caffe_format::{NetParameter, Phase};
use train::files::{UnknownFields, read_net};

use super::compare::equal_bits;
use super::tensors::{Tensors, param_name};
use super::{CaseVerdict, ending_in, layers, missing_layer};

/// Levels that two decoders of one JPEG may differ by.
const JPEG_LEVELS: f32 = 2.0;

/// Recorded batches.
pub(crate) fn cases(root: &Path) -> Result<Vec<PathBuf>> {
    ending_in(&root.join("data/feeds"), ".safetensors")
}

/// Runs one recording: `<net>.<phase or seed>.safetensors` of `<net>.prototxt`.
pub(crate) fn run(case: &Path) -> Result<CaseVerdict> {
    let folder = case.parent().context("a file has a folder")?;
    let name = case.file_name().context("a file has a name")?.to_string_lossy();
    let net = name.split('.').next().unwrap_or_default();
    let model = folder.join(format!("{net}.prototxt"));
    let written = read_net(&model, UnknownFields::Reject)?.message;
    if let Some(why) = missing_layer(&written) {
        return Ok(CaseVerdict::Skipped(why));
    }
    let tensors = Tensors::read(case)?;
    let phase = if tensors.note("phase") == Some("TEST") { Phase::Test } else { Phase::Train };
    let seed = tensors.note("seed").unwrap_or("1701").parse()?;
    // Paths in these nets start from `data/`.
    let root = folder.parent().context("feeds lie in a folder")?;
    let mut single = match layers::open(&model, root, phase, seed) {
        Ok(single) => single,
        Err(error) if format!("{error:#}").contains("not built") => {
            return Ok(CaseVerdict::Skipped(format!("{error:#}")));
        }
        Err(error) => return Err(error),
    };
    for (name, want) in tensors.under("param") {
        let (layer, index) = param_name(name)?;
        let mut params = single.net().params().iter();
        let param = params.find(|param| param.layer == layer && param.index == index);
        let range = param.context("no such param")?.values.clone();
        equal_bits(name, &single.params().0[range], want)?;
    }
    let tolerance = tolerance(&written);
    let mut batch = 0;
    while tensors.under(&format!("batch{batch}")).next().is_some() {
        single.forward()?;
        for (blob, want) in tensors.under(&format!("batch{batch}")) {
            let got = single.blob(blob).with_context(|| format!("no blob `{blob}`"))?.values;
            let what = format!("batch{batch}/{blob}");
            if equal_bits(&what, &got, want).is_err() {
                within(&what, &got, want, tolerance)?;
            }
        }
        batch += 1;
    }
    Ok(CaseVerdict::Passed(if tolerance == 0.0 { "to the bit".into() } else { String::new() }))
}

/// 0 for sources without JPEGs, else levels times scale.
fn tolerance(net: &NetParameter) -> f32 {
    let decodes = |layer: &caffe_format::LayerParameter| {
        layer.type_() == "ImageData"
            || layer.type_() == "WindowData"
            || layer.data_param().source().contains("encoded")
    };
    let mut layers = net.layer.iter();
    layers.find(|layer| decodes(layer)).map_or(0.0, |l| JPEG_LEVELS * l.transform_param().scale())
}

fn within(what: &str, got: &[f32], want: &[f32], tolerance: f32) -> Result<()> {
    let far = |(got, want): (&f32, &f32)| (got - want).abs() > tolerance * 1.0001;
    if got.len() != want.len() {
        bail!("{what}: {} values, recorded {}", got.len(), want.len());
    }
    if let Some(i) = got.iter().zip(want).position(far) {
        bail!("{what}[{i}] is {}, recorded {}", got[i], want[i]);
    }
    Ok(())
}
