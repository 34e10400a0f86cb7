//! Runs rows on a cluster of namespaces.

use std::fs;

use anyhow::Result;

use super::clusters::{ClusterBar, EmulatedCluster, Technique};
use super::outcome::EmulatedOutcome;
use super::predict::EmulatedLength;
use super::table::{EmulatedResult, EmulatedRow};
use crate::bench::cluster_run::{FOLDER, NamespaceCluster, train, up_with_latency};
use crate::bench::ours::complaint;
use crate::shell::{command, output, root};

/// A cluster that is up, and what its runs have in common.
pub(super) struct EmulatedRuns<'a> {
    cluster: &'a EmulatedCluster,
    program: &'a str,
    solver: String,
    emulate: Vec<String>,
    _up: NamespaceCluster,
}

impl<'a> EmulatedRuns<'a> {
    pub(super) fn start(
        cluster: &'a EmulatedCluster,
        program: &'a str,
        length: EmulatedLength,
    ) -> Result<Self> {
        let EmulatedCluster { hosts, gbits, dilation, batch, profile, .. } = *cluster;
        let gradients = save_gradients(cluster, program)?;
        let solver = cluster.net.write_solver(batch, length.iterations)?;
        let _up = NamespaceCluster;
        let slower = f64::from(dilation);
        up_with_latency(hosts, gbits * 1e3 / slower, length.latency_us * slower)?;
        let profile = format!("bench/profiles/{profile}.json");
        let dilate = dilation.to_string();
        let emulate =
            ["--emulate", &profile, "--dilate", &dilate, "--emulate-gradients", &gradients];
        let emulate = emulate.map(str::to_owned).to_vec();
        Ok(Self { cluster, program, solver, emulate, _up })
    }

    /// Runs one row, and without the decision too where that is compared.
    pub(super) fn row(&self, technique: &'static Technique) -> EmulatedRow {
        let outcome = self.result(technique, &[]);
        let is_twice = self.cluster.bar == ClusterBar::Decision && technique.is_compressed();
        let always = is_twice.then(|| self.result(technique, &["--compression-always"]));
        EmulatedRow { technique, outcome, always }
    }

    /// A run that fails, for example above 70 % load, says why.
    fn result(&self, technique: &Technique, more: &[&str]) -> EmulatedResult {
        self.run(technique, more).map_err(|error| {
            println!("{}, {}: {error:#}", self.cluster.name, technique.name);
            complaint(&format!("{error:#}")).to_owned()
        })
    }

    fn run(&self, technique: &Technique, more: &[&str]) -> Result<EmulatedOutcome> {
        let file = format!("{FOLDER}/emulated.json");
        let mut flags: Vec<&str> = self.emulate.iter().map(String::as_str).collect();
        flags.extend(technique.flags.iter().chain(more));
        flags.extend(["--log-json", &file]);
        let speed = train(self.program, self.cluster.hosts, &self.solver, &flags)?;
        EmulatedOutcome::read(&fs::read_to_string(root().join(&file))?, speed.load)
    }
}

/// Real gradients of the cluster's net, from one iteration of a small batch; their file.
fn save_gradients(cluster: &EmulatedCluster, program: &str) -> Result<String> {
    let net = cluster.net.write(2)?;
    let file = format!("{FOLDER}/{}.gradients", cluster.net.file);
    let profile = format!("{FOLDER}/{}_of_2.json", cluster.net.file);
    let mut timed = command(program, &["time", "--model", &net, "--iterations", "1"]);
    output(timed.args(["--save-profile", &profile, "--save-gradients", &file]))?;
    Ok(file)
}
