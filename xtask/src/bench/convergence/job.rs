//! One training run of the bench: files, command, accuracy.

use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::table::ConvergenceRun;
use crate::bench::ours::complaint;
use crate::reproduce::describe_file;
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

impl ConvergenceNet {
    /// The share of its values that are in params of at least `chunk` values.
    pub(super) fn selectable(&self, chunk: usize) -> Result<f64> {
        let deploy = root().join("examples").join(self.folder).join("deploy.prototxt");
        let net = describe_file(&deploy)?;
        let learned = net.params.iter().filter(|param| param.gradient.is_some());
        let lengths: Vec<usize> = learned.map(|param| param.shape.count()).collect();
        let of_large: usize = lengths.iter().filter(|&&length| length >= chunk).sum();
        Ok(of_large as f64 / lengths.iter().sum::<usize>().max(1) as f64)
    }
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
    /// Trains on four ranks.
    pub(super) fn train_ranks(&self, seed: u32, flags: &str) -> Result<ConvergenceRun> {
        let solver = self.write_files(seed)?;
        let mpirun = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"];
        let mut training = command("mpirun", &mpirun);
        training.args(["--mca", "mpi_yield_when_idle", "1", "-n", RANKS, self.program]);
        training.args(["train", "--solver", &solver, "--threads", "1", "--batch", "global"]);
        self.finish(training.args(flags.split_whitespace()))
    }

    /// Trains on two workers of one process.
    pub(super) fn train_workers(&self, seed: u32) -> Result<ConvergenceRun> {
        let mut solver = self.write_files(seed)?;
        if let Some(batch) = self.batch {
            let folder = format!("{FOLDER}/batch_{batch}");
            output(&mut self.scale(&solver, batch, &folder))?;
            solver = format!("{folder}/solver.prototxt");
        }
        let flags = ["--workers", "2", "--threads", "1", "--batch", "global"];
        let mut training = command(self.program, &["train", "--solver", &solver]);
        self.finish(training.args(flags))
    }

    /// Writes the solver for another batch into `folder`, over that of another net or seed.
    fn scale(&self, solver: &str, batch: u32, folder: &str) -> Command {
        let rule = if batch >= 4096 { "lars" } else { "linear" };
        let mut scale = command(self.program, &["solver", "scale", "--solver", solver]);
        scale.args(["--batch-size", &batch.to_string(), "--rule", rule]);
        scale.args(["--out", folder, "--overwrite"]);
        scale
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

    /// Runs a training to its end.
    fn finish(&self, training: &mut Command) -> Result<ConvergenceRun> {
        let begin = Instant::now();
        let output = training.output().context("cannot start the training")?;
        let seconds = begin.elapsed().as_secs_f64();
        let log = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} failed: {}", self.net.name, complaint(&log));
        let line = log.lines().rfind(|line| line.contains("accuracy = "));
        let value = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        Ok(ConvergenceRun {
            accuracy: 100.0 * value.context("the log shows no accuracy")?,
            seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ConvergenceJob, NETS};
    use crate::shell::command;

    /// Both nets and all seeds write into the same folder.
    #[test]
    fn a_scaled_solver_replaces_the_one_before() {
        let job = ConvergenceJob { net: &NETS[0], program: "true", epochs: 1, batch: Some(4096) };
        let scale = job.scale("s.prototxt", 4096, "out");
        let words: Vec<_> = scale.get_args().map(|word| word.to_string_lossy()).collect();
        assert!(
            words.ends_with(&["--rule", "lars", "--out", "out", "--overwrite"].map(Into::into))
        );
    }

    #[test]
    fn a_training_that_fails_is_an_error_with_its_own_reason() {
        let job = ConvergenceJob { net: &NETS[0], program: "sh", epochs: 1, batch: None };
        let run = |script: &str| job.finish(&mut command("sh", &["-c", script]));
        let error =
            run("echo 'firecaffe: the loss is NaN' >&2; echo mpirun: bye >&2; exit 1").unwrap_err();
        assert_eq!(error.to_string(), "LeNet failed: the loss is NaN");
        let done = run("echo '    Test net output #0: accuracy = 0.5' >&2").unwrap();
        assert!((done.accuracy - 50.0).abs() < 1e-9 && done.seconds >= 0.0);
    }
}
