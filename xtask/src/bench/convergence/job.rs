//! One training run of the bench: files, command, accuracy.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::shell::{command, output, root};

/// What the bench makes, relative to the root.
pub(super) const FOLDER: &str = "work/convergence";
/// Images of Fashion-MNIST's training set.
const IMAGES: u32 = 60_000;
/// The batch of the examples' solvers.
const BATCH: u32 = 64;
/// Replicas, and ranks of [`ConvergenceJob::train_ranks`].
const RANKS: &str = "4";

/// A net of `examples/`.
pub(super) struct ConvergenceNet {
    pub(super) name: &'static str,
    folder: &'static str,
}

pub(super) const NETS: &[ConvergenceNet] = &[
    ConvergenceNet { name: "LeNet", folder: "lenet" },
    ConvergenceNet { name: "ResNet-8", folder: "resnet8" },
];

/// A net trained for some epochs, at the example's batch or one that `solver scale` makes of it.
pub(super) struct ConvergenceJob<'a> {
    pub(super) net: &'a ConvergenceNet,
    pub(super) program: &'a str,
    pub(super) epochs: u32,
    pub(super) batch: Option<u32>,
}

impl ConvergenceJob<'_> {
    /// Trains on four ranks and returns the accuracy in percent.
    pub(super) fn train_ranks(&self, seed: u32, flags: &str) -> Result<f64> {
        let solver = self.write_files(seed)?;
        let mpirun = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"];
        let mut training = command("mpirun", &mpirun);
        training.args(["--mca", "mpi_yield_when_idle", "1", "-n", RANKS, self.program]);
        training.args(["train", "--solver", &solver, "--threads", "1", "--batch", "global"]);
        self.accuracy(training.args(flags.split_whitespace()))
    }

    /// Trains on two workers of one process and returns the accuracy in percent.
    pub(super) fn train_workers(&self, seed: u32) -> Result<f64> {
        let mut solver = self.write_files(seed)?;
        if let Some(batch) = self.batch {
            let (folder, batch) = (format!("{FOLDER}/batch_{batch}"), batch.to_string());
            let rule = if self.batch >= Some(4096) { "lars" } else { "linear" };
            let mut scale = command(self.program, &["solver", "scale", "--solver", &solver]);
            scale.args(["--batch-size", &batch, "--rule", rule, "--out", &folder]);
            output(&mut scale)?;
            solver = format!("{folder}/solver.prototxt");
        }
        let flags = ["--workers", "2", "--threads", "1", "--batch", "global"];
        let mut training = command(self.program, &["train", "--solver", &solver]);
        self.accuracy(training.args(flags))
    }

    /// Writes net and solver of the example with the bench's paths, seed and length.
    fn write_files(&self, seed: u32) -> Result<String> {
        let example = root().join("examples").join(self.net.folder);
        let read = |file: &str| {
            fs::read_to_string(example.join(file)).with_context(|| format!("cannot read {file}"))
        };
        let iterations = self.epochs * IMAGES / BATCH;
        let net = read("net.prototxt")?.replace("examples/lenet/", &format!("{FOLDER}/"));
        fs::write(root().join(FOLDER).join("net.prototxt"), net)?;
        let dropped =
            ["net:", "test_interval", "max_iter", "snapshot", "random_seed", "display", "stepsize"];
        let solver = read("solver.prototxt")?;
        let kept = solver.lines().filter(|line| !dropped.iter().any(|key| line.starts_with(key)));
        let solver = format!(
            "{}\nnet: \"{FOLDER}/net.prototxt\"\ntest_interval: {iterations}\n\
             test_initialization: false\nmax_iter: {iterations}\ndisplay: 100\n\
             snapshot_after_train: false\nrandom_seed: {seed}\n",
            kept.collect::<Vec<_>>().join("\n")
        );
        let path = format!("{FOLDER}/solver.prototxt");
        fs::write(root().join(&path), solver)?;
        Ok(path)
    }

    fn accuracy(&self, training: &mut std::process::Command) -> Result<f64> {
        let output = training.output().context("cannot start the training")?;
        let log = String::from_utf8_lossy(&output.stderr);
        let last = log.lines().last().unwrap_or_default();
        ensure!(output.status.success(), "{} failed: {last}", self.net.name);
        let line = log.lines().rfind(|line| line.contains("accuracy = "));
        let value = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        Ok(100.0 * value.context("the log shows no accuracy")?)
    }
}
