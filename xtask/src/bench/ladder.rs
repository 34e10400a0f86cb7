//! `cargo xtask bench ladder`: what each technique of the papers gains on emulated clusters.
//!
//! Devices are those of the papers (`bench/profiles`), networks as fast as theirs: on K times
//! slower clocks, since one machine carries 4 Gbit/s. `alexnet-1g` and `resnet50-25g` compare wire
//! formats and compressions; `alexnet-56g` and `resnet50-56g` are GradientFlow's ladder, where
//! every row adds a technique to the one before. All figures are emulated.

mod clusters;

use anyhow::{Context, Result, bail};

use super::cluster::NamespaceCluster;
use super::cluster_run::{ClusterSpeed, FOLDER, train, up};
use super::ours::with_mpi;
use super::{flag, save};
use crate::shell::{command, output};
use clusters::{CLUSTERS, EmulatedCluster, Technique};

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] =
    &["--clusters", "--iterations", "--predict", "--markdown", "--firecaffe"];

/// Seconds until the ranks of a row are ready, per host.
const START_SECONDS: f64 = 0.7;

/// Predicts, measures and prints a table per cluster.
pub(super) fn run(args: &[String]) -> Result<()> {
    let iterations: usize = flag(args, "--iterations", "2").parse().context("--iterations")?;
    let asked = flag(args, "--clusters", "alexnet-1g,resnet50-25g,alexnet-56g,resnet50-56g");
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
    let mut tables = String::new();
    for cluster in clusters {
        tables += &measure(cluster, &program, iterations)?;
    }
    save(args, "--markdown", &tables)
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
    cluster.rows.iter().map(|row| start + iterations as f64 * step(row)).sum()
}

/// Runs every row of one cluster; its table.
fn measure(cluster: &EmulatedCluster, program: &str, iterations: usize) -> Result<String> {
    let EmulatedCluster { name, hosts, gbits, dilation, batch, profile, .. } = *cluster;
    let gradients = save_gradients(cluster, program)?;
    let solver = cluster.net.write_solver(batch, iterations)?;
    let _cluster = NamespaceCluster;
    up(hosts, gbits * 1e3 / f64::from(dilation), false)?;
    let profile = format!("bench/profiles/{profile}.json");
    let dilate = dilation.to_string();
    let emulate = ["--emulate", &profile, "--dilate", &dilate, "--emulate-gradients", &gradients];
    let mut table = format!(
        "\n{name}: {hosts} hosts, {gbits} Gbit/s, batch {batch} per host, {profile}, time {dilation} \
         times slower, {iterations} iterations; all figures emulated\n\n\
         | technique | images/s emulated | times the first row | times the row before | exposed | \
         load |\n|---|--:|--:|--:|--:|--:|\n"
    );
    print!("{table}");
    let mut speeds: Vec<f64> = Vec::new();
    for row in cluster.rows {
        let flags = [&emulate[..], row.flags].concat();
        let line = match train(program, hosts, &solver, &flags) {
            Ok(speed) => {
                speeds.push(speed.images_per_s);
                line(row, &speed, &speeds)
            }
            Err(error) => format!("| {} | {} | | | | |\n", row.name, one_line(&error)),
        };
        print!("{line}");
        table += &line;
    }
    let limit = (hosts * batch) as f64 / cluster.ring_s().max(cluster.compute_s());
    let note = format!("\nThe link allows {limit:.0} images/s of a dense f32 sum.\n");
    print!("{note}");
    Ok(table + &note)
}

/// A row whose flags do not exist yet, or whose cores were too busy, must not end the others.
fn one_line(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let said = text.lines().rfind(|line| line.contains("firecaffe: ") || line.contains("error: "));
    said.unwrap_or_else(|| text.lines().last().unwrap_or_default()).replace('|', "/")
}

fn line(row: &Technique, speed: &ClusterSpeed, speeds: &[f64]) -> String {
    let ClusterSpeed { images_per_s, exposed, load } = *speed;
    let times_first = images_per_s / speeds[0];
    let times_before = images_per_s / speeds[speeds.len().saturating_sub(2)];
    let load = load.map_or("?".into(), |load| format!("{load:.0} %"));
    format!(
        "| {} | {images_per_s:.0} | {times_first:.2} | {times_before:.2} | {exposed:.0} % | {load} |\n",
        row.name
    )
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
