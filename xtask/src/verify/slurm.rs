//! `cargo xtask verify slurm`: `srun -n 2 --mpi=pmix firecaffe train` is one job of two ranks.
//!
//! Starts a Slurm of one machine ([`SlurmCluster`]) and trains a small generated net under `srun`.
//! The run must report two ranks, one hash and one set of snapshots, and the hash must be that of a
//! single process with two replicas. A run under `srun --mpi=none` must fail and say why.

mod cluster;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::demo;
use crate::packages::{self, Packages};
use crate::shell::{self, cargo, target_dir};
use crate::suite::MPI_PACKAGES;
use cluster::SlurmCluster;

/// Brings munged, slurmctld, slurmd and srun.
const PACKAGE: &str = "slurm-wlm";

const NET: &str = r#"
name: "tiny"
layer {
  name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param {
    shape { dim: 8 dim: 6 } shape { dim: 8 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: 1 }
  }
}
layer {
  name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"#;

const SOLVER: &str = r#"
net: "net.prototxt"
base_lr: 0.05
lr_policy: "fixed"
momentum: 0.9
max_iter: 20
snapshot_prefix: "snap"
random_seed: 1701
"#;

pub(super) fn run(args: &[String]) -> Result<()> {
    if let Some(arg) = args.first() {
        bail!("`{arg}` is not an option of `verify slurm`");
    }
    let packages = [MPI_PACKAGES, &[PACKAGE]].concat();
    if let Packages::Missing(reason) = packages::ensure(&packages)? {
        bail!("Slurm or MPI is missing: {reason}");
    }
    let build = ["build", "--release", "--package", "firecaffe"];
    shell::run(&mut cargo(&build))?;
    let folder = target_dir().join("verify-slurm");
    if folder.exists() {
        fs::remove_dir_all(&folder).context("cannot remove the folder of an earlier run")?;
    }
    let cluster = SlurmCluster::start(&folder.join("cluster"))?;

    let one = Trained::run(demo::firecaffe().args(["train", "--replicas", "2"]), &folder, "one")?;
    let program = demo::firecaffe().get_program().to_os_string();
    let srun = |mpi: &str| {
        let mut command = cluster.srun(2, mpi);
        command.arg(&program).arg("train");
        command
    };
    let two = Trained::run(&mut srun("pmix"), &folder, "two")?;
    ensure!(two.log.contains("2 ranks on 1 host "), "not a world of two ranks:\n{}", two.log);
    ensure!(two.hashes.len() == 1, "{} hashes, expected one:\n{}", two.hashes.len(), two.log);
    ensure!(two.hashes == one.hashes, "{:?}, one process has {:?}", two.hashes, one.hashes);
    ensure!(two.files == one.files, "files {:?}, one process has {:?}", two.files, one.files);
    println!("ok: srun -n 2 --mpi=pmix trains as two ranks; weights {}", two.hashes[0]);

    let refused = match Trained::run(&mut srun("none"), &folder, "none") {
        Ok(_) => bail!("srun --mpi=none trained, although its tasks cannot find each other"),
        Err(error) => format!("{error:#}"),
    };
    ensure!(refused.contains("no PMI"), "srun --mpi=none fails for another reason: {refused}");
    println!("ok: srun -n 2 --mpi=none is refused, with the reason");
    Ok(())
}

/// What a training run left behind.
struct Trained {
    log: String,
    /// Hashes of the weights that it logged, all ranks together.
    hashes: Vec<String>,
    /// Names of its snapshots, sorted.
    files: Vec<String>,
}

impl Trained {
    /// Runs `command`, which trains, in a new folder with the net and the solver.
    fn run(command: &mut Command, parent: &Path, name: &str) -> Result<Self> {
        let folder = parent.join(name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("net.prototxt"), NET)?;
        fs::write(folder.join("solver.prototxt"), SOLVER)?;
        command.args(["--solver", "solver.prototxt", "--threads", "1"]).current_dir(&folder);
        let output = command.output().context("cannot start")?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "run `{name}` failed ({}):\n{log}", output.status);
        let hash = |line: &str| Some(line.split_once("weights after 20 steps: ")?.1.to_owned());
        let hashes = log.lines().filter_map(hash).collect();
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder)? {
            files.push(entry?.file_name().to_string_lossy().into_owned());
        }
        files.sort();
        Ok(Self { log, hashes, files })
    }
}
