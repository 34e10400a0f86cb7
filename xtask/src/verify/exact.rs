//! `cargo xtask verify exact [--wire FORMAT] [--precision P]`: LeNet on Fashion-MNIST with four
//! replicas, run in many configurations, one hash.
//!
//! Each row trains 200 iterations and prints the hash of the weights; a hash that differs from the
//! first row's fails the command. Rows under `mpirun` are skipped, and named, where there is no
//! MPI. `--wire` and `--precision` are given to all rows.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::demo;
use crate::packages::{self, Packages};
use crate::shell::{self, cargo, root};
use crate::suite::MPI_PACKAGES;

/// What we make, relative to the root.
const FOLDER: &str = "work/exact";
const ITERATIONS: u32 = 200;

/// Flags of `train` that may be given for all rows.
const COMMON: &[&str] = &["--wire", "--precision"];

/// Ranks (0: without mpirun) and flags.
const ROWS: &[(usize, &str)] = &[
    (0, "--workers 1 --threads 1"),
    (0, "--workers 1 --threads 2"),
    (0, "--workers 2 --threads 1"),
    (0, "--workers 4 --threads 1"),
    (0, "--workers 2 --threads 2 --overlap off"),
    (0, "--workers 2 --threads 1 --bucket-mb 0.1"),
    (0, "--workers 2 --threads 1 --bucket-mb 64"),
    (0, "--workers 4 --threads 1 --allreduce direct"),
    (0, "--workers 4 --threads 1 --allreduce reduction-tree"),
    (0, "--workers 4 --threads 1 --allreduce halving-doubling"),
    (2, "--workers 1 --threads 1"),
    (2, "--workers 2 --threads 1 --allreduce reduction-tree"),
    (4, "--workers 1 --threads 1 --allreduce direct"),
    (4, "--workers 1 --threads 1 --allreduce halving-doubling --bucket-mb 0.1"),
    (4, "--workers 1 --threads 1 --allreduce reduction-tree --overlap off"),
];

pub(crate) fn run(args: &[String]) -> Result<()> {
    let common = common_flags(args)?;
    let mpi = packages::ensure(MPI_PACKAGES)?;
    let build = ["build", "--release", "--package", "firecaffe"];
    shell::run(&mut cargo(&build))?;
    demo::prepare(FOLDER, None)?;
    write_solver()?;
    println!("\nAll rows{}:\n", if common.is_empty() { " in f32" } else { &common });
    println!("| ranks | flags | seconds | weights after {ITERATIONS} steps |\n|--:|---|--:|---|");
    let mut first = None;
    let mut check = |what: String, hash: String, seconds: f64| {
        println!("| {what} | {seconds:.1} | {hash} |");
        let first = first.get_or_insert_with(|| hash.clone());
        ensure!(hash == *first, "the weights differ from the first row's");
        Ok(())
    };
    for &(ranks, flags) in ROWS {
        if ranks > 0 && mpi != Packages::Ready {
            println!("| {ranks} | {flags} | SKIPPED: no MPI | |");
            continue;
        }
        let begin = Instant::now();
        let hash = last_hash(&shell_output(&mut train(ranks, &[flags, &common].concat()))?)?;
        check(format!("{ranks} | {flags}"), hash, begin.elapsed().as_secs_f64())?;
    }
    for (before, after) in [(2, 1), (1, 4)] {
        let begin = Instant::now();
        let hash = interrupted(before, after, &common)?;
        let what = format!("0 | Ctrl-C on {before} workers, resumed on {after}");
        check(what, hash, begin.elapsed().as_secs_f64())?;
    }
    println!("\nAll rows have the same weights, bit for bit.");
    Ok(())
}

/// Flags of `train` that all rows have besides their own, each after a space.
fn common_flags(args: &[String]) -> Result<String> {
    let mut flags = String::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        ensure!(COMMON.contains(&arg.as_str()), "`{arg}` is not an option of `verify exact`");
        let value = args.next().with_context(|| format!("{arg} needs a value"))?;
        flags += &format!(" {arg} {value}");
    }
    Ok(flags)
}

/// The example's solver, shortened.
fn write_solver() -> Result<()> {
    let path = root().join(FOLDER).join("solver.prototxt");
    let text = fs::read_to_string(&path)?;
    let replaced = ["test_iter", "test_interval", "display", "max_iter", "snapshot:"];
    let kept = text.lines().filter(|line| !replaced.iter().any(|field| line.starts_with(field)));
    let kept: Vec<&str> = kept.collect();
    fs::write(&path, format!("{}\ndisplay: 10\nmax_iter: {ITERATIONS}\n", kept.join("\n")))?;
    Ok(())
}

fn train(ranks: usize, flags: &str) -> Command {
    let mut command = demo::firecaffe();
    if ranks > 0 {
        let program = command.get_program().to_string_lossy().into_owned();
        let ranks = ranks.to_string();
        let mpirun = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"];
        command = shell::command("mpirun", &mpirun);
        command.args(["--mca", "mpi_yield_when_idle", "1", "-n", &ranks, &program]);
    }
    command.args(["train", "--solver", &format!("{FOLDER}/solver.prototxt"), "--replicas", "4"]);
    command.args(flags.split(' '));
    command
}

/// Stops a run by Ctrl-C half-way, goes on with another number of workers.
fn interrupted(before: usize, after: usize, common: &str) -> Result<String> {
    for file in fs::read_dir(root().join(FOLDER))? {
        let path = file?.path();
        if path.to_string_lossy().contains("_iter_") {
            fs::remove_file(path)?;
        }
    }
    let flags = format!("--workers {before} --threads 1{common}");
    let mut child = train(0, &flags).stderr(Stdio::piped()).spawn()?;
    let half = format!("Iteration {} (", ITERATIONS / 2);
    let mut lines = BufReader::new(child.stderr.take().context("stderr is piped")?).lines();
    while let Some(line) = lines.next().transpose()? {
        if line.contains(&half) {
            shell::output(&mut shell::command("kill", &["-INT", &child.id().to_string()]))?;
        }
    }
    ensure!(child.wait()?.success(), "the interrupted run failed");
    let flags = format!("--workers {after} --threads 1 --snapshot auto{common}");
    let log = shell_output(&mut train(0, &flags))?;
    ensure!(log.contains("Resuming from "), "it did not resume");
    last_hash(&log)
}

/// What a run wrote to stderr.
fn shell_output(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot start")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "training failed: {}", text.lines().last().unwrap_or(""));
    Ok(text)
}

fn last_hash(log: &str) -> Result<String> {
    let line = log.lines().rfind(|line| line.contains(&format!("after {ITERATIONS} steps: ")));
    let line = line.context("the log shows no hash of the last weights")?;
    Ok(line.rsplit(' ').next().unwrap_or_default().to_owned())
}
