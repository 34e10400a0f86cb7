//! Four ranks with a fault that was put there: log and report name it, and nothing else. They come
//! to that separately: the log from the last hundred iterations, the report from the whole record.
//!
//! - One rank is stopped for more than half of its time.
//! - One host of four has a link at a tenth of the others' speed (hosts are network namespaces).
//! - The images of one rank are large ones, which take long to decode.
//!
//! Without a fault ([`undisturbed`]), neither names anybody.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use data::image::DecodedImage;
use data::image::encode::{ImageFormat, encode};

use super::browser::Browser;
use super::{RecordedJob, logged};
use crate::packages::{self, Packages};
use crate::shell::{self, command, root};

const RANKS: usize = 4;
/// The rank, and the host, that is slow.
const SLOW: usize = 2;
const CLUSTER: &str = "scripts/netns-cluster";
/// What the log says of a rank or a link.
const HOLDS_UP: &str = "holds the others up";

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

pub(super) fn run(job: &RecordedJob, browser: &Browser) -> Result<()> {
    if let Packages::Missing(why) = packages::ensure(&["openmpi-bin", "iproute2"])? {
        println!("skipped: faults among four ranks ({why})");
        return Ok(());
    }
    straggler(job, browser)?;
    starved_source(job, browser)?;
    slow_link(job, browser)
}

fn straggler(job: &RecordedJob, browser: &Browser) -> Result<()> {
    let wrapper = job.path("rank.sh");
    fs::write(&wrapper, WRAPPER)?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
    // Batches large enough that a stop falls into computing, not into waiting for the others.
    let net = fs::read_to_string(job.path("net.prototxt"))?;
    let large = net.replace("batch_size: 16", "batch_size: 512");
    ensure!(large != net, "the net has batches of 16");
    fs::write(job.path("straggler_net.prototxt"), large)?;
    job.solver_of("straggler_net", "straggler", "max_iter: 160 display: 20 snapshot: 0")?;
    let mut mpirun = local_ranks();
    mpirun.arg(&wrapper).arg(&job.program).env("SLOW_RANK", SLOW.to_string());
    let said = train(job, browser, "straggler", &mut mpirun)?;
    only(&said.findings, "is a straggler", &format!("Rank {SLOW} on "))?;
    only(&said.holding_up, "for its compute", &format!("rank {SLOW} on "))
}

fn starved_source(job: &RecordedJob, browser: &Browser) -> Result<()> {
    job.solver_of("starved_net", "starved", "max_iter: 160 display: 20 snapshot: 0")?;
    fs::write(job.path("starved_net.prototxt"), STARVED_NET)?;
    let images = root().join("testdata/golden/data/images");
    fs::copy(images.join("list.txt"), job.path("images.txt"))?;
    let large = job.path("large");
    fs::create_dir(&large)?;
    for name in ["starved.prototxt", "starved_net.prototxt", "images.txt"] {
        fs::copy(job.path(name), large.join(name))?;
    }
    let pixels = (0..LARGE * LARGE * 3).map(|i| u8::try_from(i % 251).unwrap_or(0)).collect();
    let image = DecodedImage { channels: 3, height: LARGE, width: LARGE, pixels };
    let image = encode(&image, ImageFormat::Jpeg);
    for line in fs::read_to_string(job.path("images.txt"))?.lines() {
        let (name, _) = line.rsplit_once(' ').context("list.txt has names and labels")?;
        fs::copy(images.join(name), job.path(name))?;
        fs::write(large.join(name), &image)?;
    }
    let mut mpirun = local_ranks();
    mpirun.args(["sh", "-c", IN_OWN_FOLDER, "rank"]).arg(&job.program);
    let said = train(job, browser, "starved", mpirun.env("SLOW_RANK", SLOW.to_string()))?;
    only(&said.findings, "is starved", &format!("source of rank {SLOW} on "))?;
    only(&said.holding_up, "for its data", &format!("rank {SLOW} on "))
}

fn slow_link(job: &RecordedJob, browser: &Browser) -> Result<()> {
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
    let said = train(job, browser, "link", &mut mpirun)?;
    only(&said.findings, "link between", &format!("fc{SLOW}"))?;
    only(&said.holding_up, "the link between", &format!("fc{SLOW}"))
}

/// Nobody is named who has done nothing: ranks on one machine, 1,000 iterations. Nothing else may
/// run on it.
pub(super) fn undisturbed(job: &RecordedJob, browser: &Browser) -> Result<()> {
    if let Packages::Missing(why) = packages::ensure(&["openmpi-bin"])? {
        println!("skipped: four ranks without a fault ({why})");
        return Ok(());
    }
    job.solver("calm", "max_iter: 1000 display: 100 snapshot: 0")?;
    let said = train(job, browser, "calm", local_ranks().arg(&job.program))?;
    let names = |finding: &&String| NAMING.iter().any(|words| finding.contains(words));
    let named = said.findings.iter().find(names).or(said.holding_up.first());
    named.map_or(Ok(()), |named| bail!("nothing was wrong, but: {named}"))
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

/// Findings of a report that name a rank or a link.
const NAMING: &[&str] = &["is a straggler", "is starved", "link between"];

/// What was said about a run.
struct RunComments {
    /// By its report, in the browser.
    findings: Vec<String>,
    /// By its log: the lines about who holds the others up.
    holding_up: Vec<String>,
}

/// Trains `solver` with a record.
fn train(
    job: &RecordedJob,
    browser: &Browser,
    solver: &str,
    mpirun: &mut Command,
) -> Result<RunComments> {
    let page = format!("{solver}.html");
    if mpirun.get_program() == "mpirun" {
        mpirun.current_dir(&job.folder);
    }
    mpirun.args(["train", "--solver", &format!("{solver}.prototxt")]);
    let log = logged(mpirun.args(["--threads", "1", "--record", solver]))?;
    logged(&mut job.firecaffe(&["report", solver, "--out", &page]))?;
    let seen = browser.look(&page, solver)?;
    let findings: Vec<String> = serde_json::from_value(seen["findings"].clone())?;
    let holding_up = log.lines().filter(|line| line.contains(HOLDS_UP));
    let holding_up: Vec<String> = holding_up.map(str::to_owned).collect();
    let all = findings.iter().chain(&holding_up);
    all.for_each(|comment| println!("{solver}: {comment}"));
    Ok(RunComments { findings, holding_up })
}

/// Every comment has these words, and names this culprit.
fn only(comments: &[String], words: &str, culprit: &str) -> Result<()> {
    ensure!(!comments.is_empty(), "no `{words}` is said of {culprit}");
    let other = comments.iter().find(|text| !(text.contains(words) && text.contains(culprit)));
    other.map_or(Ok(()), |other| bail!("something else than {culprit} is named: {other}"))
}

#[cfg(test)]
mod tests {
    use super::only;

    #[test]
    fn only_the_culprit_may_be_named() {
        let line = |rank| format!("rank {rank} on a holds the others up, for its compute");
        let check = |lines: &[String]| only(lines, "for its compute", "rank 2 on ");
        assert!(check(&[line(2), line(2)]).is_ok());
        assert!(check(&[]).is_err(), "the log must name it");
        assert!(check(&[line(2), line(1)]).is_err());
    }
}
