//! Jobs of the namespace cluster: their files, `firecaffe train` under `mpirun`, and its log.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cluster_sim::ClusterDescription;

use crate::shell::{command, output, root, run as run_shown};

/// The program that makes the hosts.
pub(crate) const SCRIPT: &str = "scripts/netns-cluster";

/// Puts a rank before whatever else this machine runs: hosts stand for machines of their own.
pub(crate) const FOREGROUND: &str =
    "echo -20 2>/dev/null >/proc/self/autogroup; exec nice -n -19 \"$0\" \"$@\"";

/// Takes the hosts down, whatever happens.
pub(crate) struct NamespaceCluster;

impl Drop for NamespaceCluster {
    fn drop(&mut self) {
        let _ = command(SCRIPT, &["down"]).status();
    }
}

/// Where jobs are written, in the project's folder; git ignores it.
pub(crate) const FOLDER: &str = "work/cluster";

/// A net of the benchmark with another batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClusterNet {
    /// Its file among the benchmark's models.
    pub(crate) file: &'static str,
    /// The shapes of data and labels that it is written with.
    pub(crate) written: &'static str,
    /// Those it gets, `{}` for the batch.
    pub(crate) shapes: &'static str,
}

impl ClusterNet {
    /// Writes the net for `batch` items; its path.
    pub(crate) fn write(&self, batch: usize) -> Result<String> {
        let file = self.file;
        let model = root().join("bench/models").join(format!("{file}.prototxt"));
        let text = fs::read_to_string(&model).with_context(|| format!("cannot read {file}"))?;
        ensure!(text.contains(self.written), "{file}.prototxt has another shape than we know");
        fs::create_dir_all(root().join(FOLDER))?;
        let path = format!("{FOLDER}/{file}_of_{batch}.prototxt");
        let shapes = self.shapes.replace("{}", &batch.to_string());
        fs::write(root().join(&path), text.replace(self.written, &shapes))?;
        Ok(path)
    }

    /// Writes the net and a solver of `iterations`; the solver's path.
    pub(crate) fn write_solver(&self, batch: usize, iterations: usize) -> Result<String> {
        let net = self.write(batch)?;
        let solver = format!(
            "net: \"{net}\"\nbase_lr: 0.0001\nlr_policy: \"fixed\"\nmomentum: 0.9\n\
             random_seed: 1\nmax_iter: {iterations}\nsnapshot_after_train: false\n"
        );
        let path = format!("{FOLDER}/{}_solver.prototxt", self.file);
        fs::write(root().join(&path), solver)?;
        Ok(path)
    }
}

/// Makes `hosts` hosts whose links carry `mbits` Mbit/s, and moves more than the script allows if
/// `real`: then nobody waits for more cores than there are.
pub(crate) fn up(hosts: usize, mbits: f64, real: bool) -> Result<()> {
    let mut up = up_command(hosts, mbits);
    if real {
        let gbits = (hosts as f64 * mbits / 1e3).ceil().max(4.0);
        up.env("CLUSTER_GBIT_MAX", gbits.to_string());
    }
    run_shown(&mut up)
}

/// The same for an emulation; every message takes `latency_us` longer, which needs a kernel with
/// netem unless it is 0.
pub(super) fn up_with_latency(hosts: usize, mbits: f64, latency_us: f64) -> Result<()> {
    let mut up = up_command(hosts, mbits);
    if latency_us > 0.0 {
        up.arg(format!("{latency_us:.0}us"));
    }
    run_shown(&mut up)
}

fn up_command(hosts: usize, mbits: f64) -> Command {
    command(SCRIPT, &["up", &hosts.to_string(), &format!("{mbits}mbit")])
}

/// Runs `bench network` on the first `hosts` hosts and reads the file that `--save` names.
pub(crate) fn bench_network(
    program: &str,
    hosts: usize,
    flags: &[&str],
) -> Result<ClusterDescription> {
    let mut mpirun = command(SCRIPT, &["mpirun", &hosts.to_string(), "-wdir"]);
    mpirun.arg(root()).args(["sh", "-c", FOREGROUND, program, "bench", "network"]);
    output(mpirun.args(flags))?;
    let at = flags.iter().position(|flag| *flag == "--save").and_then(|at| flags.get(at + 1));
    let file = root().join(at.context("`--save` is among the flags")?);
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    ClusterDescription::parse(&text, Some(hosts)).with_context(|| file.display().to_string())
}

/// What rank 0 said about its speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ClusterSpeed {
    pub(crate) images_per_s: f64,
    /// Exposed communication, in percent of the time.
    pub(crate) exposed: f64,
    /// Load of the cores, in percent; an emulated run measures it.
    pub(crate) load: Option<f64>,
}

/// Trains on the first `hosts` hosts, one rank each.
pub(crate) fn train(
    program: &str,
    hosts: usize,
    solver: &str,
    flags: &[&str],
) -> Result<ClusterSpeed> {
    let mut mpirun = command(SCRIPT, &["mpirun", &hosts.to_string(), "-wdir"]);
    mpirun.arg(root()).args(["sh", "-c", FOREGROUND, program]);
    mpirun.args(["train", "--threads", "1", "--solver", solver]);
    let ended = mpirun.args(flags).output().context("cannot start mpirun")?;
    let log = String::from_utf8_lossy(&ended.stderr);
    ensure!(ended.status.success(), "`{}` failed: {}", flags.join(" "), last_lines(&log));
    speed(&log)
}

/// The end of a log, where its error is.
fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.trim().lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

fn speed(log: &str) -> Result<ClusterSpeed> {
    let line = log.lines().rfind(|line| line.contains(" images/s"));
    let line = line.context("the log shows no speed")?;
    let number = |line: &str, after: &str, before: &str| -> Option<f64> {
        let (_, rest) = line.split_once(after)?;
        rest.split_once(before)?.0.trim().parse().ok()
    };
    let loaded = log.lines().find_map(|line| number(line, "load of the cores ", " %"));
    Ok(ClusterSpeed {
        images_per_s: number(line, "firecaffe:1] ", " images/s").context("no images/s")?,
        exposed: number(line, "exposed communication ", " %").context("no share")?,
        load: loaded,
    })
}

#[cfg(test)]
mod tests {
    use super::{ClusterSpeed, speed};

    #[test]
    fn speeds_are_read_from_logs_real_and_emulated() {
        let real = "x firecaffe:1] 2.50 images/s; data wait 1 %, exposed communication 3.5 %, z\n";
        let want = ClusterSpeed { images_per_s: 2.5, exposed: 3.5, load: None };
        assert_eq!(speed(real).unwrap(), want);
        let emulated = "x firecaffe:1] emulated: load of the cores 12.5 %\n\
            x firecaffe:1] 900 images/s emulated; data wait 1 %, exposed communication 0.0 %, z\n";
        let want = ClusterSpeed { images_per_s: 900.0, exposed: 0.0, load: Some(12.5) };
        assert_eq!(speed(emulated).unwrap(), want);
        assert!(speed("nothing").is_err());
    }
}
