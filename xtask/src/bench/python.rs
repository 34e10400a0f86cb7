//! `cargo xtask bench python`: how fast nets, solvers and `caffe.train` are in Python, beside the
//! command line. Both take turns on the same nets; `bench/python_speed.py` measures.

use std::fs;

use anyhow::{Context, Result, ensure};
use base::median;

use super::{flag, save, speed_up, verdict};
use crate::python::PythonEnvironment;
use crate::shell::{self, cargo, root, target_dir};

pub(super) const FLAGS: &[&str] = &["--turns", "--markdown"];

/// Least speed in the command's, by the beginning of a row's name.
const LEAST: &[(&str, f64)] = &[("forward", 0.95), ("Solver.step", 0.85), ("caffe.train", 0.97)];
/// Most seconds of the row that the command does not have: 100,000 accesses of a blob.
const ACCESSES_MOST: f64 = 0.1;

pub(super) fn run(args: &[String]) -> Result<()> {
    let turns: usize = flag(args, "--turns", "20").parse().context("--turns takes a number")?;
    ensure!(turns > 0, "--turns takes 1 or more");
    shell::run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
    let environment = PythonEnvironment::make("bench-python", &[])?;
    environment.install_caffe("release")?;
    let folder = target_dir().join("bench/python");
    fs::create_dir_all(&folder).context("cannot make a folder for solvers")?;
    let paths =
        [root().join("bench/python_speed.py"), target_dir().join("release/firecaffe"), folder];
    let [script, program, folder] = paths.map(|path| path.to_string_lossy().into_owned());
    let measured =
        shell::output(&mut environment.python(&[&script, &program, &folder, &turns.to_string()]))?;
    let json = measured.lines().last().unwrap_or_default();
    let rows: Vec<(String, Vec<f64>, Vec<f64>)> =
        serde_json::from_str(json).context("python_speed.py prints no table")?;
    let mut table = String::from(
        "| what | command ms | Python ms | Python's speed in the command's | at least | |\n\
         |---|--:|--:|--:|--:|---|\n",
    );
    let mut missed = 0;
    for (name, command, python) in rows {
        if command.is_empty() {
            let seconds = median(python);
            let quick = seconds < ACCESSES_MOST;
            missed += usize::from(!quick);
            let verdict = if quick { "met" } else { "missed" };
            let [took, most] = [seconds, ACCESSES_MOST].map(|seconds| 1e3 * seconds);
            table += &format!("| {name}, below {most} ms | | {took:.3} | | | {verdict} |\n");
            continue;
        }
        let least = LEAST.iter().find(|(beginning, _)| name.starts_with(beginning));
        let &(_, least) = least.with_context(|| format!("no bar for `{name}`"))?;
        let ratio = speed_up(&python, &command);
        missed += usize::from(ratio < least);
        let [command, python] = [command, python].map(|seconds| 1e3 * median(seconds));
        let verdict = verdict(ratio, least);
        table += &format!(
            "| {name} | {command:.3} | {python:.3} | {ratio:.3} | {least} | {verdict} |\n"
        );
    }
    print!("{table}");
    save(args, "--markdown", &table)?;
    ensure!(missed == 0, "{missed} rows missed");
    println!("Python is as fast as it must be.");
    Ok(())
}
