//! Four ranks with a fault that was put there: the report names it, and nothing else.
//!
//! - One rank is stopped for more than half of its time.
//! - One host of four has a link at a tenth of the others' speed (hosts are network namespaces).
//! - The images of one rank are large ones, which take long to decode.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use data::image::DecodedImage;
use data::image::encode::{ImageFormat, encode};

use super::{RecordedJob, logged};
use crate::packages::{self, Packages};
use crate::shell::{self, command, root};

const RANKS: usize = 4;
/// The rank, and the host, that is slow.
const SLOW: usize = 2;
const CLUSTER: &str = "scripts/netns-cluster";

/// Runs a rank, and stops it again and again if it is the slow one.
const WRAPPER: &str = "#!/bin/sh\n\
    [ \"$OMPI_COMM_WORLD_RANK\" = \"$SLOW_RANK\" ] || exec \"$@\"\n\
    \"$@\" & pid=$!\n\
    while kill -STOP $pid 2>/dev/null; do sleep 0.06; kill -CONT $pid; sleep 0.03; done\n\
    wait $pid\n";

/// Runs a rank, the slow one in the folder with large images.
const IN_OWN_FOLDER: &str =
    "[ \"$OMPI_COMM_WORLD_RANK\" = \"$SLOW_RANK\" ] && cd large; exec \"$@\"";
/// Height and width of a large image.
const LARGE: usize = 1500;

/// The net sees a thumbnail of each image, and computes almost nothing.
const STARVED_NET: &str = "
layer { name: \"data\" type: \"ImageData\" top: \"data\" top: \"label\"
        image_data_param { source: \"images.txt\" batch_size: 4 new_height: 16 new_width: 16 } }
layer { name: \"score\" type: \"InnerProduct\" bottom: \"data\" top: \"score\"
        inner_product_param { num_output: 10 weight_filler { type: \"xavier\" } } }
layer { name: \"loss\" type: \"SoftmaxWithLoss\" bottom: \"score\" bottom: \"label\" top: \"loss\" }
";

pub(super) fn run(job: &RecordedJob) -> Result<()> {
    if let Packages::Missing(why) = packages::ensure(&["openmpi-bin", "iproute2"])? {
        println!("skipped: faults among four ranks ({why})");
        return Ok(());
    }
    straggler(job)?;
    starved_source(job)?;
    slow_link(job)
}

fn straggler(job: &RecordedJob) -> Result<()> {
    let wrapper = job.path("rank.sh");
    fs::write(&wrapper, WRAPPER)?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
    // Batches large enough that a stop falls into computing, not into waiting for the others.
    let net = fs::read_to_string(job.path("net.prototxt"))?;
    let large = net.replace("batch_size: 16", "batch_size: 512");
    ensure!(large != net, "the net has batches of 16");
    fs::write(job.path("straggler_net.prototxt"), large)?;
    job.solver_of("straggler_net", "straggler", "max_iter: 100 display: 20 snapshot: 0")?;
    let mut mpirun = local_ranks();
    mpirun.arg(&wrapper).arg(&job.program).env("SLOW_RANK", SLOW.to_string());
    let found = report(job, "straggler", &mut mpirun)?;
    only(&found, "is a straggler", &format!("Rank {SLOW} on "))
}

fn starved_source(job: &RecordedJob) -> Result<()> {
    job.solver_of("starved_net", "starved", "max_iter: 60 display: 20 snapshot: 0")?;
    fs::write(job.path("starved_net.prototxt"), STARVED_NET)?;
    let images = root().join("testdata/golden/data/images");
    fs::copy(images.join("list.txt"), job.path("images.txt"))?;
    let large = job.path("large");
    fs::create_dir(&large)?;
    for name in ["starved.prototxt", "starved_net.prototxt", "images.txt"] {
        fs::copy(job.path(name), large.join(name))?;
    }
    let pixels = (0..LARGE * LARGE * 3).map(|i| (i % 251) as u8).collect();
    let image = DecodedImage { channels: 3, height: LARGE, width: LARGE, pixels };
    let image = encode(&image, ImageFormat::Jpeg);
    for line in fs::read_to_string(job.path("images.txt"))?.lines() {
        let (name, _) = line.rsplit_once(' ').context("list.txt has names and labels")?;
        fs::copy(images.join(name), job.path(name))?;
        fs::write(large.join(name), &image)?;
    }
    let mut mpirun = local_ranks();
    mpirun.args(["sh", "-c", IN_OWN_FOLDER, "rank"]).arg(&job.program);
    let found = report(job, "starved", mpirun.env("SLOW_RANK", SLOW.to_string()))?;
    only(&found, "is starved", &format!("source of rank {SLOW} on "))
}

fn slow_link(job: &RecordedJob) -> Result<()> {
    job.solver("link", "max_iter: 2000 display: 20 snapshot: 0")?;
    let _down = ClusterDown;
    shell::run(&mut command(CLUSTER, &["up", &RANKS.to_string(), "400mbit"]))?;
    for (device, of_host) in [("eth0", true), (&*format!("fcport{SLOW}"), false)] {
        let host = ["-n".to_owned(), format!("fc{SLOW}")];
        let shape = ["qdisc", "replace", "dev", device, "root", "handle", "1:", "tbf", "rate"];
        let mut tc = command("tc", &[]);
        tc.args(host.iter().filter(|_| of_host)).args(shape);
        shell::run(tc.args(["40mbit", "burst", "65536", "latency", "50ms"]))?;
    }
    let mut mpirun = command(CLUSTER, &["mpirun", &RANKS.to_string(), "-wdir"]);
    mpirun.arg(&job.folder).arg(&job.program);
    let found = report(job, "link", &mut mpirun)?;
    only(&found, "link between", &format!("fc{SLOW}"))
}

/// Takes the hosts down, whatever happens.
struct ClusterDown;

impl Drop for ClusterDown {
    fn drop(&mut self) {
        let _ = command(CLUSTER, &["down"]).status();
    }
}

fn local_ranks() -> Command {
    let ranks = RANKS.to_string();
    let flags = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", &ranks];
    command("mpirun", &flags)
}

/// Trains `solver` with a record, and returns what the report says of it.
fn report(job: &RecordedJob, solver: &str, mpirun: &mut Command) -> Result<String> {
    let page = format!("{solver}.html");
    if mpirun.get_program() == "mpirun" {
        mpirun.current_dir(&job.folder);
    }
    mpirun.args(["train", "--solver", &format!("{solver}.prototxt")]);
    logged(mpirun.args(["--threads", "1", "--record", solver]))?;
    let output = job.firecaffe(&["report", solver, "--out", &page]).output()?;
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{found}");
    Ok(found)
}

/// Every finding has these words, and names this culprit.
fn only(found: &str, words: &str, culprit: &str) -> Result<()> {
    let findings = || found.lines().filter(|line| !line.starts_with("report: "));
    ensure!(findings().next().is_some(), "the report names nothing, and not what `{words}`");
    let other = findings().find(|line| !(line.contains(words) && line.contains(culprit)));
    other.map_or(Ok(()), |other| bail!("the report names something else than {culprit}: {other}"))
}
