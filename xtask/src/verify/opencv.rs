//! `cargo xtask verify opencv`: OpenCV's Caffe importer reads our models and gets our outputs.
//!
//! For each example's `deploy.prototxt`: params are drawn from a seed, written to a `.caffemodel`
//! by our code, and a random input is run through both. The outputs must agree to 1e-4. OpenCV is
//! installed by pip into a virtual environment under the build folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use base::random::Mt19937;
use caffe_format::binary;
use train::{NetConfig, Single};

use crate::shell::{self, command, root, target_dir};

const NETS: &[&str] = &["lenet", "alexnet", "googlenet", "resnet50"];
const TOLERANCE: f32 = 1e-4;
/// The last OpenCV whose importer reads Caffe models.
const PACKAGE: &str = "opencv-python-headless<5";
const SEED: u32 = 1701;

/// Reads net, model and input; writes the output.
const SCRIPT: &str = r#"
import sys, numpy, cv2
deploy, model, data, shape, out = sys.argv[1:]
net = cv2.dnn.readNetFromCaffe(deploy, model)
net.setInput(numpy.fromfile(data, "<f4").reshape([int(n) for n in shape.split(",")]))
net.forward().astype("<f4").tofile(out)
"#;

pub(crate) fn run(_args: &[String]) -> Result<()> {
    let folder = target_dir().join("verify-opencv");
    fs::create_dir_all(&folder).context("cannot make a folder to work in")?;
    let python = environment(&folder)?;
    let mut failed = 0;
    for name in NETS {
        let apart = compare(name, &folder, &python).with_context(|| format!("net {name}"))?;
        let verdict = if apart <= TOLERANCE { "ok" } else { "FAILED" };
        failed += usize::from(verdict != "ok");
        println!("{verdict} {name}: outputs differ by at most {apart:e}");
    }
    ensure!(failed == 0, "{failed} of {} nets differ", NETS.len());
    println!("{} nets passed: OpenCV reads our models and agrees to {TOLERANCE:e}", NETS.len());
    Ok(())
}

/// A Python with OpenCV; made once.
fn environment(folder: &Path) -> Result<PathBuf> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    let has_cv2 = || {
        shell::output(
            command(&python.to_string_lossy(), &["-c", "import cv2"]).env("PYTHONNOUSERSITE", "1"),
        )
        .is_ok()
    };
    if !has_cv2() {
        shell::run(&mut command("python3", &["-m", "venv", &venv.to_string_lossy()]))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
        shell::run(&mut command(&python.to_string_lossy(), &pip))?;
        ensure!(has_cv2(), "OpenCV was installed but cannot be imported");
    }
    Ok(python)
}

/// The largest difference between our outputs and OpenCV's.
fn compare(name: &str, folder: &Path, python: &Path) -> Result<f32> {
    let deploy = root().join("examples").join(name).join("deploy.prototxt");
    let config = NetConfig {
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        seed: SEED,
        root: root(),
        ..NetConfig::new(&deploy)
    };
    let mut single = Single::open(&config, &mut |_| {})?;
    let mut rng = Mt19937::new(SEED);
    fill(&mut single, &mut rng);

    let shape = single.net().blob_shape("data").context("the net has no blob `data`")?.clone();
    let mut input = vec![0.0; shape.count()];
    rng.fill_gaussian(0.0, 1.0, &mut input);
    single.set_blob("data", &input)?;
    single.forward()?;
    calm(&mut single)?;
    single.forward()?;
    let outputs = single.net().outputs(single.cpu());
    let [output] = &outputs[..] else { bail!("{} outputs, expected one", outputs.len()) };
    let most = output.values.iter().copied().fold(0.0, f32::max);
    ensure!(most < 0.9, "the output says {most} for one class: a comparison would show nothing");

    let file = |end: &str| folder.join(format!("{name}.{end}"));
    let [model, data, theirs] = ["caffemodel", "input", "output"].map(file);
    fs::write(&model, binary::write(&single.model()))?;
    fs::write(&data, bytes(&input))?;
    let dims: Vec<_> = shape.dims().iter().map(usize::to_string).collect();
    let paths = [&deploy, &model, &data].map(|path| path.display().to_string());
    let mut script = command(&python.to_string_lossy(), &["-c", SCRIPT]);
    shell::output(script.args(&paths).arg(dims.join(",")).arg(&theirs))?;
    let theirs = floats(&fs::read(&theirs)?);
    ensure!(
        theirs.len() == output.values.len(),
        "{} outputs against {}",
        theirs.len(),
        output.values.len()
    );
    let apart = theirs.iter().zip(&output.values).map(|(a, b)| (a - b).abs());
    // `f32::max` would pass over what is not a number.
    Ok(apart.fold(0.0, |most, apart| if apart <= most { most } else { apart }))
}

/// Draws params that keep values in range through many layers.
fn fill(single: &mut Single, rng: &mut Mt19937) {
    let kinds: Vec<(String, &str)> =
        single.net().description().rows.iter().map(|row| (row.name.clone(), row.kind)).collect();
    let params: Vec<_> = single
        .net()
        .params()
        .iter()
        .map(|param| (param.layer.clone(), param.index, param.shape.clone()))
        .collect();
    for (layer, index, shape) in params {
        let kind = kinds.iter().find(|(name, _)| *name == layer).map_or("", |(_, kind)| kind);
        let mut values = vec![0.0; shape.count()];
        rng.fill_gaussian(0.0, 1.0, &mut values);
        let scale = |value: f32| match (kind, index) {
            ("BatchNorm", 1) => 0.5 + value.abs(),
            ("BatchNorm", 2) => 1.0,
            ("Scale", 0) => 1.0 + 0.1 * value,
            _ if shape.axes() > 1 => value * (2.0 / shape.count_from(1) as f32).sqrt(),
            _ => 0.1 * value,
        };
        values.iter_mut().for_each(|value| *value = scale(*value));
        single.set_param(&layer, index, &values);
    }
}

/// Scales the last inner product so that its outputs deviate by 1: behind larger ones, softmax
/// gives 0 and 1 whatever the net computes.
fn calm(single: &mut Single) -> Result<()> {
    let layers = &single.net().description().report.layers;
    let last = layers.iter().rfind(|layer| layer.kind == "InnerProduct").cloned();
    let last = last.context("the net has no inner product")?;
    let top = last.tops[0].blob.as_deref().context("its top has a name")?;
    let scores = single.blob(top).context("its top is a blob")?.values;
    let mean = scores.iter().sum::<f32>() / scores.len() as f32;
    let variance = scores.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / scores.len() as f32;
    let mut params = Vec::new();
    for param in single.net().params().iter().filter(|param| param.layer == last.name) {
        let (learned, _) = single.params();
        let values = learned[param.values.clone()].iter();
        params.push((param.index, values.map(|x| x / variance.sqrt()).collect::<Vec<_>>()));
    }
    params.iter().for_each(|(index, values)| single.set_param(&last.name, *index, values));
    Ok(())
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}
