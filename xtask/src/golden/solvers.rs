//! `solvers/<case>/`: whole training runs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use caffe_format::NetParameter;
use train::files::{UnknownFields, read_solver};
use train::{Event, Job, JobConfig, NoControl};

use super::compare::{equal_bits, relative};
use super::{CaseVerdict, ending_in, entries};

const LOSS_TOLERANCE: f64 = 1e-4;
/// Of a parameter's mean magnitude.
const WEIGHT_TOLERANCE: f64 = 1e-3;
/// Below this a value is rounding noise: a bias before BatchNorm has no gradient but what rounding
/// leaves.
const WEIGHT_NOISE: f64 = 1e-6;

/// Folders with a solver and a log.
pub(crate) fn cases(root: &Path) -> Result<Vec<PathBuf>> {
    let mut cases = entries(&root.join("solvers"))?;
    cases.retain(|case| case.join("log.txt").exists() && case.join("solver.prototxt").exists());
    Ok(cases)
}

/// What a run shows, in the order it shows it: `loss 3`, `rate 3`, `test accuracy`, with the
/// number.
type Shown = Vec<(String, f64)>;

/// Trains as recorded and compares the start, everything shown and the end.
pub(crate) fn run(case: &Path) -> Result<CaseVerdict> {
    let folder = std::env::temp_dir().join(format!("firecaffe-golden-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let result = train_and_compare(case, &folder);
    _ = fs::remove_dir_all(&folder);
    match result {
        Err(error) if format!("{error:#}").contains("not built") => {
            Ok(CaseVerdict::Skipped(format!("{error:#}")))
        }
        other => other.map(CaseVerdict::Passed),
    }
}

fn train_and_compare(case: &Path, folder: &Path) -> Result<String> {
    let mut solver = read_solver(&case.join("solver.prototxt"), UnknownFields::Reject)?.message;
    solver.snapshot_prefix = Some(folder.join("snap").display().to_string());
    let config = JobConfig { root: case.into(), threads: 2, ..JobConfig::new(solver) };
    let mut shown = Shown::new();
    let mut job = Job::open(config, &mut |_| ())?;
    let init = snapshot::load_model(&case.join("init.caffemodel"))?;
    compare_models("init", &job.model()?, &init, equal_bits)?;
    job.run(&NoControl, &mut |event| collect(event, &mut shown))?;
    let worst = compare_shown(&shown, &parse_log(&fs::read_to_string(case.join("log.txt"))?)?)?;

    let mut snapshots = 0;
    for ending in [".caffemodel", ".caffemodel.h5"] {
        for recorded in ending_in(case, ending)? {
            let name = recorded.file_name().context("a name")?.to_owned();
            if name == "init.caffemodel" {
                continue;
            }
            let got = snapshot::load_model(&folder.join(&name))?;
            let want = snapshot::load_model(&recorded)?;
            compare_models(&name.to_string_lossy(), &got, &want, near)?;
            snapshots += 1;
        }
    }
    for ending in [".solverstate", ".solverstate.h5"] {
        for recorded in ending_in(case, ending)? {
            let got = snapshot::load(&folder.join(recorded.file_name().context("a name")?))?.state;
            let want = snapshot::load(&recorded)?.state;
            if got.iter != want.iter || got.current_step() != want.current_step() {
                bail!("{} is at another iteration or step", recorded.display());
            }
            compare_blobs("history", &got.history, &want.history, near)?;
        }
    }
    Ok(format!("losses within {worst:.0e}, {snapshots} snapshots"))
}

fn collect(event: Event, shown: &mut Shown) {
    match event {
        Event::Displayed(display) => {
            shown.push((format!("loss {}", display.iter), display.loss.into()));
            for output in &display.outputs {
                shown.push((format!("train {}", output.name), output.values[0].into()));
            }
            shown.push((format!("rate {}", display.iter), display.rate.into()));
        }
        Event::FinalLoss { iter, loss } => shown.push((format!("loss {iter}"), loss.into())),
        Event::Tested { outputs, .. } => {
            let values = outputs.iter().map(|o| (format!("test {}", o.name), o.values[0].into()));
            shown.extend(values);
        }
        _ => {}
    }
}

/// The same from Caffe's log.
fn parse_log(log: &str) -> Result<Shown> {
    let mut shown = Shown::new();
    for line in log.lines() {
        let Some((_, text)) = line.split_once("] ") else { continue };
        let number = |text: &str| {
            let number = text.split_whitespace().next().unwrap_or_default();
            number.parse::<f64>().with_context(|| format!("no number in `{line}`"))
        };
        if let Some(rest) = text.strip_prefix("Iteration ") {
            let iter: String = rest.chars().take_while(char::is_ascii_digit).collect();
            if let Some((_, loss)) = rest.split_once("loss = ") {
                shown.push((format!("loss {iter}"), number(loss)?));
            } else if let Some((_, rate)) = rest.split_once("lr = ") {
                shown.push((format!("rate {iter}"), number(rate)?));
            }
        }
        for (prefix, word) in [("Train net output #", "train"), ("Test net output #", "test")] {
            let Some(rest) = text.trim_start().strip_prefix(prefix) else { continue };
            let (name, value) = rest.split_once(" = ").context("an output has a value")?;
            let (_, name) = name.split_once(": ").context("an output has a name")?;
            shown.push((format!("{word} {name}"), number(value)?));
        }
    }
    Ok(shown)
}

fn compare_shown(got: &Shown, want: &Shown) -> Result<f64> {
    let mut worst = 0.0_f64;
    for (i, want) in want.iter().enumerate() {
        let Some(got) = got.get(i) else { bail!("`{}` is recorded, but not shown", want.0) };
        if got.0 != want.0 {
            bail!("entry {i} of the log is `{}`, recorded `{}`", got.0, want.0);
        }
        // The log has six digits; accuracies are counts and may differ by one item in a tie.
        worst = worst.max(relative(&got.0, got.1, want.1, LOSS_TOLERANCE)?);
    }
    if got.len() != want.len() {
        bail!("{} entries in the log, recorded {}", got.len(), want.len());
    }
    Ok(worst)
}

type Compare = fn(&str, &[f32], &[f32]) -> Result<()>;

fn compare_models(
    what: &str,
    got: &NetParameter,
    want: &NetParameter,
    compare: Compare,
) -> Result<()> {
    for layer in want.layer.iter().filter(|layer| !layer.blobs.is_empty()) {
        let mut layers = got.layer.iter();
        let found = layers.find(|found| found.name == layer.name);
        let found = found.with_context(|| format!("{what}: no layer `{}`", layer.name()))?;
        compare_blobs(&format!("{what} {}", layer.name()), &found.blobs, &layer.blobs, compare)?;
    }
    Ok(())
}

fn compare_blobs(
    what: &str,
    got: &[caffe_format::BlobProto],
    want: &[caffe_format::BlobProto],
    compare: Compare,
) -> Result<()> {
    if got.len() != want.len() {
        bail!("{what}: {} blobs, recorded {}", got.len(), want.len());
    }
    for (index, (got, want)) in got.iter().zip(want).enumerate() {
        let (got, want) = (got.values()?, want.values()?);
        compare(&format!("{what}/{index}"), &got, &want)?;
    }
    Ok(())
}

/// Within a fraction of the recorded values' mean magnitude.
fn near(what: &str, got: &[f32], want: &[f32]) -> Result<()> {
    if got.len() != want.len() {
        bail!("{what}: {} values, recorded {}", got.len(), want.len());
    }
    let sum: f64 = want.iter().map(|value| f64::from(value.abs())).sum();
    let allowed = (WEIGHT_TOLERANCE * sum / want.len().max(1) as f64).max(WEIGHT_NOISE);
    let error = |i: &usize| f64::from((got[*i] - want[*i]).abs());
    if let Some(i) = (0..want.len()).find(|i| error(i) > allowed || got[*i].is_nan()) {
        bail!("{what}[{i}] is {}, recorded {} (allowed difference {allowed:.2e})", got[i], want[i]);
    }
    Ok(())
}
