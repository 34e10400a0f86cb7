//! `cargo xtask bench cluster --train`: training on eight hosts of 1 Gbit/s, by algorithm and
//! schedule.
//!
//! NiN on small images (30 MB of gradients, little arithmetic) and CIFAR-10 quick (0.6 MB), one
//! rank per host. Schedules: buckets fused and overlapped with backward, fused after backward, and
//! one bucket per layer, overlapped. All hosts share this machine's cores, so images/s are low and
//! say nothing of speed-up: read the order of the algorithms and the percentage of exposed
//! communication.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::cluster::{FOREGROUND, NamespaceCluster, SCRIPT};
use super::flag;
use super::ours::with_mpi;
use crate::shell::{command, root, run as run_shown};

const FOLDER: &str = "work/cluster";
const HOSTS: &str = "8";
const ALGORITHMS: &[&str] =
    &["parameter-server", "reduction-tree", "ring", "multi-color:4", "halving-doubling"];
/// Name, and flags of `train`.
const SCHEDULES: &[(&str, &[&str])] = &[
    ("fused, overlapped", &["--overlap", "on"]),
    ("fused, after backward", &["--overlap", "off"]),
    ("one bucket per layer, overlapped", &["--overlap", "on", "--bucket-mb", "0"]),
];
/// Net, its file among the benchmark's models, the shape it is written for and the one it gets
/// here, and how many times the iterations: small nets need more to be measured.
const NETS: &[(&str, &str, &str, &str, u32)] = &[
    (
        "NiN, 2 x 3 x 131 x 131 per host",
        "nin_b32",
        "dim: 32 dim: 3 dim: 224 dim: 224 } shape { dim: 32 }",
        "dim: 2 dim: 3 dim: 131 dim: 131 } shape { dim: 2 }",
        1,
    ),
    (
        "CIFAR-10 quick, 8 x 3 x 32 x 32 per host",
        "cifar10_quick_b100",
        "dim: 100 dim: 3 dim: 32 dim: 32 } shape { dim: 100 }",
        "dim: 8 dim: 3 dim: 32 dim: 32 } shape { dim: 8 }",
        20,
    ),
];

/// One row of the table.
struct TrainRow {
    algorithm: &'static str,
    schedule: &'static str,
    images_per_s: f64,
    exposed: f64,
}

/// Trains every net with every algorithm and schedule, and prints the table.
pub(super) fn run(args: &[String]) -> Result<()> {
    let iterations: u32 = flag(args, "--iterations", "8").parse().context("--iterations")?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    fs::create_dir_all(root().join(FOLDER))?;
    let _cluster = NamespaceCluster;
    run_shown(&mut command(SCRIPT, &["up", HOSTS, "1000mbit"]))?;
    for &(title, file, written, small, times) in NETS {
        let iterations = times * iterations;
        write_job(file, written, small, iterations)?;
        println!("\n{title}, {HOSTS} hosts, {iterations} iterations\n");
        println!("| algorithm | schedule | images/s | exposed communication |\n|---|---|--:|--:|");
        let mut rows = Vec::new();
        for &algorithm in ALGORITHMS {
            for &(schedule, flags) in SCHEDULES {
                let (images_per_s, exposed) = train(&program, file, algorithm, flags)?;
                println!("| {algorithm} | {schedule} | {images_per_s:.2} | {exposed:.0} % |");
                rows.push(TrainRow { algorithm, schedule, images_per_s, exposed });
            }
        }
        if file.starts_with("nin") {
            check(&rows)?;
        }
    }
    Ok(())
}

fn write_job(file: &str, written: &str, small: &str, iterations: u32) -> Result<()> {
    let model = root().join("bench/models").join(format!("{file}.prototxt"));
    let text = fs::read_to_string(&model).with_context(|| format!("cannot read {file}"))?;
    ensure!(text.contains(written), "{file}.prototxt has another shape than this bench knows");
    fs::write(root().join(format!("{FOLDER}/{file}.prototxt")), text.replace(written, small))?;
    let solver = format!(
        "net: \"{FOLDER}/{file}.prototxt\"\nbase_lr: 0.0001\nlr_policy: \"fixed\"\nmomentum: 0.9\n\
         random_seed: 1\nmax_iter: {iterations}\nsnapshot_after_train: false\n"
    );
    fs::write(root().join(format!("{FOLDER}/{file}_solver.prototxt")), solver)?;
    Ok(())
}

/// Images per second, and the percentage of exposed communication, as rank 0 logs them.
fn train(program: &str, file: &str, algorithm: &str, flags: &[&str]) -> Result<(f64, f64)> {
    let solver = format!("{}/{FOLDER}/{file}_solver.prototxt", root().display());
    let mut mpirun = command(SCRIPT, &["mpirun", HOSTS, "-wdir"]);
    mpirun.arg(root()).args(["sh", "-c", FOREGROUND, program]);
    mpirun.args(["train", "--threads", "1", "--solver", &solver, "--allreduce", algorithm]);
    let output = mpirun.args(flags).output().context("cannot start mpirun")?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{algorithm} failed: {}", log.trim());
    let line = log.lines().rfind(|line| line.contains(" images/s; "));
    let line = line.context("the log shows no speed")?;
    let number = |after: &str, before: &str| -> Option<f64> {
        let (_, rest) = line.split_once(after)?;
        rest.split_once(before)?.0.trim().parse().ok()
    };
    let speed = number("firecaffe:1] ", " images/s").context("no images/s")?;
    Ok((speed, number("exposed communication ", " %").context("no share")?))
}

/// The papers' ordering: the server slowest, the tree better, the rest best; overlap and fusion
/// help.
fn check(rows: &[TrainRow]) -> Result<()> {
    let found = |algorithm: &str, schedule: &str| {
        let is = |row: &&TrainRow| row.algorithm == algorithm && row.schedule == schedule;
        let row = rows.iter().find(is).context("every row was measured")?;
        Ok::<_, anyhow::Error>((row.images_per_s, row.exposed))
    };
    for (schedule, _) in SCHEDULES {
        let server = found("parameter-server", schedule)?.0;
        let tree = found("reduction-tree", schedule)?.0;
        let rest = ["ring", "multi-color:4", "halving-doubling"];
        let rest = rest.map(|name| found(name, schedule).map_or(0.0, |(speed, _)| speed));
        let best = rest.into_iter().fold(0.0, f64::max);
        ensure!(server < tree && tree < best, "{schedule}: the papers' ordering does not hold");
    }
    for algorithm in ALGORITHMS {
        let [with, without] = [SCHEDULES[0].0, SCHEDULES[1].0].map(|s| found(algorithm, s));
        let (with, without) = (with?.1, without?.1);
        println!("{algorithm}: exposed {without:.0} % after backward, {with:.0} % overlapped");
    }
    println!(
        "The papers' ordering holds: server, tree, then ring, multi-colour, halving-doubling."
    );
    Ok(())
}
