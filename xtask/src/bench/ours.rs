//! `firecaffe` as a process: builds it, times a network with it, reads the log.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;

use super::Rate;
use crate::packages::{self, Packages};
use crate::shell::{cargo, command, run, target_dir};
use crate::suite::MPI_PACKAGES;

/// The program.
pub(super) struct Firecaffe(PathBuf);

/// What it found about a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Timed {
    pub(super) rate: Rate,
    /// Floating-point operations of an iteration's forward and backward, in 10^9.
    pub(super) gflop: f64,
    /// Seconds of an iteration's forward and backward.
    pub(super) seconds: f64,
}

impl Firecaffe {
    /// The binary at `given`, to compare revisions; built here when that is empty.
    pub(super) fn find(given: &str) -> Result<Self> {
        if !given.is_empty() {
            return Ok(Self(given.into()));
        }
        Ok(Self(build()?))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Times whole iterations of a net.
    pub(super) fn time(&self, net: &str, threads: usize, iterations: usize) -> Result<Timed> {
        let (threads, iterations) = (threads.to_string(), iterations.to_string());
        let flags = ["--update", "--threads", &threads, "--iterations", &iterations];
        let log = self.log(&[&["time", "--model", net], &flags[..]].concat())?;
        Ok(Timed {
            rate: Rate {
                pass: value(&log, "Images per second, forward-backward: ")?,
                all: value(&log, "Images per second, with update: ")?,
            },
            gflop: value(&log, "Floating-point operations: ")?,
            seconds: value(&log, "Median Forward-Backward: ")? / 1e3,
        })
    }

    /// Images/s, forward and backward, of two programs at once, one thread each.
    pub(super) fn two_at_once(&self, net: &str, iterations: usize) -> Result<f64> {
        thread::scope(|scope| {
            let other = scope.spawn(|| self.time(net, 1, iterations));
            let one = self.time(net, 1, iterations)?;
            let other = other.join().map_err(|_| anyhow!("timing {net} panicked"))??;
            Ok(one.rate.pass + other.rate.pass)
        })
    }

    /// Trains and returns the images/s of every number of workers up to `workers`, one thread each.
    pub(super) fn scaling(&self, net: &str, workers: usize, iterations: usize) -> Result<Vec<f64>> {
        let (workers, iterations) = (workers.to_string(), iterations.to_string());
        let flags = ["--scaling", "--workers-max", &workers, "--iterations", &iterations];
        let program = self.0.to_string_lossy();
        let table = crate::shell::output(command(&program, &["time", "--model", net]).args(flags))?;
        let rate = |line: &str| line.split_whitespace().nth(4)?.parse().ok();
        let rates: Vec<f64> = table.lines().skip(1).filter_map(rate).collect();
        ensure!(!rates.is_empty(), "no images/s in what `time --scaling` printed");
        Ok(rates)
    }

    /// Times all-reduces between `workers` threads: per algorithm, the geometric mean over `sizes`
    /// in microseconds.
    pub(super) fn all_reduce(
        &self,
        workers: usize,
        sizes: &str,
        iterations: &str,
    ) -> Result<BTreeMap<String, f64>> {
        let workers = workers.to_string();
        let flags = ["--workers", &workers, "--sizes", sizes, "--iterations", iterations];
        let program = self.0.to_string_lossy();
        let mut bench = command(&program, &["bench", "allreduce", "--json", "-"]);
        let json: Value = serde_json::from_str(&crate::shell::output(bench.args(flags))?)
            .context("`bench allreduce --json -` did not print JSON")?;
        let rows = json["results"].as_array().context("no `results` in the JSON")?;
        let mut logarithms = BTreeMap::<String, Vec<f64>>::new();
        for row in rows {
            let name = row["algorithm"].as_str().context("a row without `algorithm`")?;
            let time = row["time_us"].as_f64().context("a row without `time_us`")?;
            logarithms.entry(name.to_owned()).or_default().push(time.ln());
        }
        let mean = |logs: Vec<f64>| (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        Ok(logarithms.into_iter().map(|(name, logs)| (name, mean(logs))).collect())
    }

    /// Runs it and returns its log.
    fn log(&self, args: &[&str]) -> Result<String> {
        let output =
            command(&self.0.to_string_lossy(), args).output().context("cannot start it")?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = log.lines().last().unwrap_or_default();
        ensure!(output.status.success(), "firecaffe {}: {last}", args.join(" "));
        Ok(log)
    }
}

fn build() -> Result<PathBuf> {
    run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
    Ok(target_dir().join("release/firecaffe"))
}

/// The program for `mpirun` to start: the binary at `given`, built here when that is
/// empty.
pub(crate) fn with_mpi(given: &str) -> Result<String> {
    if !given.is_empty() {
        return Ok(given.to_owned());
    }
    if let Packages::Missing(reason) = packages::ensure(MPI_PACKAGES)? {
        bail!("this bench needs MPI: {reason}");
    }
    Ok(build()?.to_str().context("a path in UTF-8")?.to_owned())
}

/// Why a program ended: its own last word. That of `mpirun` comes after it and says nothing.
pub(super) fn complaint(log: &str) -> &str {
    let own = log.lines().rev().find_map(|line| line.strip_prefix("firecaffe: "));
    own.or_else(|| log.lines().last()).unwrap_or_default()
}

/// The number after `name` in a log.
fn value(log: &str, name: &str) -> Result<f64> {
    let (_, rest) = log.split_once(name).with_context(|| format!("no `{name}` in the log"))?;
    let word = rest.split_whitespace().next().unwrap_or_default();
    word.parse().with_context(|| format!("`{name}{word}` is no number"))
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    #[expect(clippy::float_cmp, reason = "read back as written")]
    fn numbers_are_found_in_logs() {
        let log = "I1115 x] Median Update: 1.5 ms.\nI1115 x] Images per second, with update: 2e3\n";
        assert_eq!(value(log, "Median Update: ").unwrap(), 1.5);
        assert_eq!(value(log, "with update: ").unwrap(), 2000.0);
        assert!(value(log, "absent").is_err());
    }
}
