//! `cargo xtask bench emulation`: whether an emulated run takes as long as a real one.
//!
//! Two hosts of 1 Gbit/s, one thread each, three nets, without dilation. In every round the layers
//! are timed on both hosts at once, then the same job runs for real and emulated, so that a machine
//! that changes its speed changes all three. The table has the medians of the rounds' ratios.

use anyhow::{Context, Result, ensure};
use base::median;

use super::cluster_run::{ClusterNet, ClusterSpeed, FOLDER, NamespaceCluster, SCRIPT, train, up};
use super::nets::{CIFAR10, GOOGLENET, LENET};
use super::ours::with_mpi;
use super::{asked, flag, save};
use crate::shell::{command, output, root};

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] =
    &["--nets", "--rounds", "--iterations", "--markdown", "--firecaffe"];

pub(crate) const HOSTS: usize = 2;
pub(crate) const MBITS: f64 = 1000.0;
/// How far the median ratio may be from 1.
const TOLERANCE: f64 = 0.05;

/// Times the layers on a host, each into a file of its own.
const PROFILE: &str = "exec nice -n -19 \"$0\" \"$@\" --save-profile \
    work/cluster/profile.$OMPI_COMM_WORLD_RANK.json";

/// A job: its net, batch per host, and iterations, so that a run takes some seconds.
pub(crate) struct EmulatedJob {
    pub(crate) title: &'static str,
    pub(crate) net: ClusterNet,
    pub(crate) batch: usize,
    pub(crate) iterations: usize,
}

pub(crate) const JOBS: &[EmulatedJob] = &[
    EmulatedJob { title: "LeNet", net: LENET, batch: 64, iterations: 200 },
    EmulatedJob { title: "CIFAR-10 quick", net: CIFAR10, batch: 100, iterations: 100 },
    EmulatedJob { title: "GoogLeNet", net: GOOGLENET, batch: 16, iterations: 6 },
];

/// Measures, prints the table; an error if a net is outside the tolerance.
pub(super) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "5").parse().context("--rounds takes a number")?;
    let times: usize = flag(args, "--iterations", "1").parse().context("--iterations")?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let jobs = asked(args, "--nets", JOBS, |job| job.net.file)?;
    let _cluster = NamespaceCluster;
    up(HOSTS, MBITS, false)?;
    let mut table = format!(
        "| net, batch per host, {HOSTS} hosts of 1 Gbit/s | real images/s | emulated images/s | \
         emulated / real | exposed, real | exposed, emulated |\n|---|--:|--:|--:|--:|--:|\n"
    );
    print!("{table}");
    let mut missed = Vec::new();
    for job in jobs {
        let runs: Vec<_> =
            (0..rounds).map(|_| job.round(&program, times)).collect::<Result<_, _>>()?;
        let ratio =
            median(runs.iter().map(|(real, em)| em.images_per_s / real.images_per_s).collect());
        let row = job.row(&runs, ratio);
        print!("{row}");
        table += &row;
        if (ratio - 1.0).abs() > TOLERANCE {
            missed.push(job.title);
        }
    }
    save(args, "--markdown", &table)?;
    ensure!(missed.is_empty(), "more than 5 % from real training: {}", missed.join(", "));
    Ok(())
}

impl EmulatedJob {
    /// Times the layers on both hosts at once; the profile's file.
    pub(crate) fn save_profile(&self, program: &str) -> Result<String> {
        let net = self.net.write(self.batch)?;
        let mut timed = command(SCRIPT, &["mpirun", &HOSTS.to_string(), "-wdir"]);
        timed.arg(root()).args(["sh", "-c", PROFILE, program, "time", "--threads", "1"]);
        let sampled = (self.iterations / 2).max(3).to_string();
        output(timed.args(["--model", &net, "--iterations", &sampled]))?;
        Ok(format!("{FOLDER}/profile.0.json"))
    }

    /// Times the layers, trains, and emulates that.
    fn round(&self, program: &str, times: usize) -> Result<(ClusterSpeed, ClusterSpeed)> {
        let profile = self.save_profile(program)?;
        let solver = self.net.write_solver(self.batch, self.iterations * times)?;
        let real = train(program, HOSTS, &solver, &[])?;
        Ok((real, train(program, HOSTS, &solver, &["--emulate", &profile])?))
    }

    fn row(&self, runs: &[(ClusterSpeed, ClusterSpeed)], ratio: f64) -> String {
        let of = |part: &dyn Fn(&(ClusterSpeed, ClusterSpeed)) -> f64| {
            median(runs.iter().map(part).collect())
        };
        let [real, emulated] = [of(&|run| run.0.images_per_s), of(&|run| run.1.images_per_s)];
        let [exposed, waited] = [of(&|run| run.0.exposed), of(&|run| run.1.exposed)];
        let Self { title, batch, .. } = self;
        format!(
            "| {title}, {batch} | {real:.1} | {emulated:.1} | {ratio:.3} | {exposed:.1} % | \
             {waited:.1} % |\n"
        )
    }
}
