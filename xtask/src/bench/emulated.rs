//! What each technique of the papers gains on emulated clusters: `cargo xtask bench compression
//! --emulated` and `cargo xtask bench ladder`.
//!
//! Devices are those of the papers (`bench/profiles`), networks as fast as theirs: on K times
//! slower clocks, since one machine carries 4 Gbit/s. `alexnet-1g` and `resnet50-25g` compare wire
//! formats and compressions; `alexnet-56g` and `resnet50-56g` are GradientFlow's ladder, where
//! every row adds a technique to the one before. All figures are emulated, and are those of the
//! iterations after the first: sparse chunks are chosen one iteration ahead.

mod clusters;
mod decisions;
mod outcome;

use anyhow::{Context, Result, bail, ensure};

use super::cluster_run::{FOLDER, NamespaceCluster, train, up};
use super::ours::with_mpi;
use super::{flag, save};
use crate::shell::{command, output, root};
use clusters::{CLUSTERS, ClusterBar, EmulatedCluster, Technique};
use decisions::DecisionCount;
use outcome::EmulatedOutcome;

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] =
    &["--emulated", "--clusters", "--iterations", "--predict", "--markdown", "--firecaffe"];

/// Seconds until the ranks of a row are ready, per host.
const START_SECONDS: f64 = 0.7;

/// Summing densely without compression must reach this share of what the link allows.
const LINK_SHARE: f64 = 0.85;

/// Least share of the differing buckets in which the decision was the faster one.
const DECIDED_RIGHT: f64 = 0.9;

/// `bench compression --emulated`.
pub(super) fn compression(args: &[String]) -> Result<()> {
    ensure!(
        args.iter().any(|arg| arg == "--emulated"),
        "give `--emulated`; `firecaffe bench compression` measures one machine"
    );
    run(args, "alexnet-1g,resnet50-25g")
}

/// `bench ladder`.
pub(super) fn ladder(args: &[String]) -> Result<()> {
    run(args, "alexnet-56g,resnet50-56g")
}

/// Predicts, measures and prints a table per cluster; fails if a bar was missed.
fn run(args: &[String], clusters: &str) -> Result<()> {
    let iterations: usize = flag(args, "--iterations", "3").parse().context("--iterations")?;
    ensure!(iterations > 1, "--iterations is at least 2: the first is not counted");
    let asked = flag(args, "--clusters", clusters);
    let find = |name: &str| match CLUSTERS.iter().find(|cluster| cluster.name == name) {
        Some(cluster) => Ok(cluster),
        None => bail!("`{name}` is no emulated cluster; there are {}", names()),
    };
    let clusters: Vec<&EmulatedCluster> = asked.split(',').map(find).collect::<Result<_>>()?;
    let seconds: f64 = clusters.iter().map(|cluster| predict(cluster, iterations)).sum();
    println!("predicted: {:.0} minutes, {iterations} iterations per row", seconds / 60.0);
    for cluster in &clusters {
        println!("  {}: {:.0} minutes", cluster.name, predict(cluster, iterations) / 60.0);
    }
    if args.iter().any(|arg| arg == "--predict") {
        return Ok(());
    }
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let (mut tables, mut missed) = (String::new(), Vec::new());
    for cluster in clusters {
        let (table, of_cluster) = measure(cluster, &program, iterations)?;
        tables += &table;
        missed.extend(of_cluster);
    }
    save(args, "--markdown", &tables)?;
    ensure!(missed.is_empty(), "missed: {}", missed.join("; "));
    println!("All rows reach what they must.");
    Ok(())
}

fn names() -> String {
    CLUSTERS.iter().map(|cluster| cluster.name).collect::<Vec<_>>().join(", ")
}

/// Real seconds that a cluster's rows take, overlap left out: an upper bound.
fn predict(cluster: &EmulatedCluster, iterations: usize) -> f64 {
    let step = |row: &Technique| {
        f64::from(cluster.dilation) * (cluster.compute_s() + row.volume * cluster.ring_s())
    };
    let start = START_SECONDS * cluster.hosts as f64;
    let runs = |row: &Technique| match cluster.bar {
        ClusterBar::Decision if row.is_compressed() => 2.0,
        _ => 1.0,
    };
    cluster.rows.iter().map(|row| runs(row) * (start + iterations as f64 * step(row))).sum()
}

/// A cluster that is up, and what its runs have in common.
struct EmulatedRuns<'a> {
    cluster: &'a EmulatedCluster,
    program: &'a str,
    solver: String,
    emulate: Vec<String>,
    _up: NamespaceCluster,
}

impl<'a> EmulatedRuns<'a> {
    fn start(cluster: &'a EmulatedCluster, program: &'a str, iterations: usize) -> Result<Self> {
        let EmulatedCluster { hosts, gbits, dilation, batch, profile, .. } = *cluster;
        let gradients = save_gradients(cluster, program)?;
        let solver = cluster.net.write_solver(batch, iterations)?;
        let _up = NamespaceCluster;
        up(hosts, gbits * 1e3 / f64::from(dilation), false)?;
        let profile = format!("bench/profiles/{profile}.json");
        let dilate = dilation.to_string();
        let emulate =
            ["--emulate", &profile, "--dilate", &dilate, "--emulate-gradients", &gradients];
        let emulate = emulate.map(str::to_owned).to_vec();
        Ok(Self { cluster, program, solver, emulate, _up })
    }

    /// Runs one row.
    fn run(&self, row: &Technique, more: &[&str]) -> Result<EmulatedOutcome> {
        let file = format!("{FOLDER}/emulated.json");
        let mut flags: Vec<&str> = self.emulate.iter().map(String::as_str).collect();
        flags.extend(row.flags.iter().chain(more));
        flags.extend(["--log-json", &file]);
        let speed = train(self.program, self.cluster.hosts, &self.solver, &flags)?;
        let log = std::fs::read_to_string(root().join(&file))?;
        EmulatedOutcome::read(&log, speed.load)
    }
}

/// Runs every row of one cluster; its table, and the rows that missed their bar.
fn measure(
    cluster: &EmulatedCluster,
    program: &str,
    iterations: usize,
) -> Result<(String, Vec<String>)> {
    let EmulatedCluster { name, hosts, gbits, dilation, batch, profile, .. } = *cluster;
    let runs = EmulatedRuns::start(cluster, program, iterations)?;
    let mut table = format!(
        "\n{name}: {hosts} hosts, {gbits} Gbit/s, batch {batch} per host, {profile}, time {dilation} \
         times slower, {iterations} iterations; all figures emulated\n\n\
         | technique | images/s emulated | times the first row | times the row before | \
         sent per rank, MB | exposed | load | |\n|---|--:|--:|--:|--:|--:|--:|---|\n"
    );
    print!("{table}");
    let mut done: Vec<EmulatedOutcome> = Vec::new();
    let (mut missed, mut decisions) = (Vec::new(), DecisionCount::default());
    for row in cluster.rows {
        let outcome = runs.run(row, &[]).with_context(|| format!("{name}, {}", row.name))?;
        let mut lines = line(cluster, row, &outcome, &done, &mut missed);
        if cluster.bar == ClusterBar::Decision && row.is_compressed() {
            let always = runs.run(row, &["--compression-always"])?;
            lines += &always_line(cluster, row, &always, &done[0]);
            decisions.count(&outcome, &done[0], &always);
        }
        print!("{lines}");
        table += &lines;
        done.push(outcome);
    }
    let limit = (hosts * batch) as f64 / cluster.ring_s().max(cluster.compute_s());
    let share = cluster.images_per_s(&done[0]) / limit;
    let mut note = format!(
        "\nThe link allows {limit:.0} images/s of a dense f32 sum; the first row reaches {:.0} %.\n",
        100.0 * share
    );
    if cluster.bar == ClusterBar::PerRow && share < LINK_SHARE {
        missed.push(format!("{name}: {share:.2} of the link's limit"));
    }
    if cluster.bar == ClusterBar::Decision {
        note += &format!("{decisions}\n");
        if decisions.share() < DECIDED_RIGHT {
            missed.push(format!("{name}: decisions"));
        }
    }
    print!("{note}");
    Ok((table + &note, missed))
}

/// A row of the table; `missed` gets its name if it does not reach its bar.
fn line(
    cluster: &EmulatedCluster,
    row: &Technique,
    outcome: &EmulatedOutcome,
    done: &[EmulatedOutcome],
    missed: &mut Vec<String>,
) -> String {
    let times = |other: Option<&EmulatedOutcome>| {
        other.map_or(1.0, |other| other.iteration_s / outcome.iteration_s)
    };
    let (first, before) = (times(done.first()), times(done.last()));
    let met = match cluster.bar {
        ClusterBar::PerRow => first >= row.least,
        ClusterBar::Decision => first >= 0.98,
        ClusterBar::EachStep => before >= 0.98,
    };
    if !met {
        missed.push(format!("{}: {}", cluster.name, row.name));
    }
    let verdict = if met { "met" } else { "missed" };
    format!(
        "| {} | {:.0} | {first:.2} | {before:.2} | {} | {verdict} |\n",
        row.name,
        cluster.images_per_s(outcome),
        outcome.columns(cluster.compute_s())
    )
}

/// The same row without the decision, which nothing is asked of.
fn always_line(
    cluster: &EmulatedCluster,
    row: &Technique,
    always: &EmulatedOutcome,
    first: &EmulatedOutcome,
) -> String {
    let (images, times) = (cluster.images_per_s(always), first.iteration_s / always.iteration_s);
    let columns = always.columns(cluster.compute_s());
    format!("| {}, always | {images:.0} | {times:.2} | | {columns} | |\n", row.name)
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

#[cfg(test)]
mod tests {
    use super::clusters::CLUSTERS;
    use super::predict;

    #[test]
    fn clusters_fit_one_machine_and_their_profiles_exist() {
        for cluster in CLUSTERS {
            let gbits = cluster.hosts as f64 * cluster.gbits / f64::from(cluster.dilation);
            assert!(gbits <= 4.0, "{}: {gbits} Gbit/s", cluster.name);
            let profile = format!("bench/profiles/{}.json", cluster.profile);
            let text = std::fs::read_to_string(crate::shell::root().join(&profile)).unwrap();
            assert!(text.contains(&format!("\"batch\": {}", cluster.batch)), "{profile}");
            assert!(predict(cluster, 2) > predict(cluster, 1) && predict(cluster, 1) > 0.0);
        }
    }
}
