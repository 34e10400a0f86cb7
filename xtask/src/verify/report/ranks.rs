//! Four ranks with a fault that was put there: the report names it, and nothing else.
//!
//! - One rank is stopped for more than half of its time.
//! - One host of four has a link at a tenth of the others' speed (hosts are network namespaces).
//! - Images are decoded one by one for a net that has almost nothing to compute.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{RecordedJob, logged};
use crate::packages::{self, Packages};
use crate::shell::{self, command, root};

const RANKS: &str = "4";
/// The rank, and the host, that is slow.
const SLOW: &str = "2";
const CLUSTER: &str = "scripts/netns-cluster";

/// Runs a rank, and stops it again and again if it is the slow one.
const WRAPPER: &str = "#!/bin/sh\n\
    [ \"$OMPI_COMM_WORLD_RANK\" = \"$SLOW_RANK\" ] || exec \"$@\"\n\
    \"$@\" & pid=$!\n\
    while kill -STOP $pid 2>/dev/null; do sleep 0.06; kill -CONT $pid; sleep 0.03; done\n\
    wait $pid\n";

/// Large pictures are decoded and resized, and the net sees a corner of each.
const STARVED_NET: &str = "
layer { name: \"data\" type: \"ImageData\" top: \"data\" top: \"label\"
        transform_param { crop_size: 16 }
        image_data_param { source: \"images.txt\" batch_size: 4 new_height: 640 new_width: 640 } }
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
    job.solver("straggler", "max_iter: 400 display: 20 snapshot: 0")?;
    let mut mpirun = local_ranks();
    mpirun.arg(&wrapper).arg(&job.program).env("SLOW_RANK", SLOW);
    let found = report(job, "straggler", &mut mpirun)?;
    let named = named(&found, "is a straggler")?;
    ensure!(named.contains(&format!("Rank {SLOW} on ")), "another rank was named: {named}");
    Ok(())
}

fn starved_source(job: &RecordedJob) -> Result<()> {
    let images = root().join("testdata/golden/data/images");
    let list = fs::read_to_string(images.join("list.txt"))?;
    let line = |line: &str| format!("{}/{line}\n", images.display());
    fs::write(job.path("images.txt"), list.lines().map(line).collect::<String>())?;
    fs::write(job.path("starved_net.prototxt"), STARVED_NET)?;
    job.solver_of("starved_net", "starved", "max_iter: 100 display: 20 snapshot: 0")?;
    let mut mpirun = local_ranks();
    mpirun.arg(&job.program);
    let found = report(job, "starved", &mut mpirun)?;
    let named = named(&found, "is starved")?;
    ensure!(named.contains("The data source of rank"), "no rank was named: {named}");
    Ok(())
}

fn slow_link(job: &RecordedJob) -> Result<()> {
    job.solver("link", "max_iter: 2000 display: 20 snapshot: 0")?;
    let _down = ClusterDown;
    shell::run(&mut command(CLUSTER, &["up", RANKS, "400mbit"]))?;
    for (device, of_host) in [("eth0", true), (&*format!("fcport{SLOW}"), false)] {
        let host = ["-n".to_owned(), format!("fc{SLOW}")];
        let shape = ["qdisc", "replace", "dev", device, "root", "handle", "1:", "tbf", "rate"];
        let mut tc = command("tc", &[]);
        tc.args(host.iter().filter(|_| of_host)).args(shape);
        shell::run(tc.args(["40mbit", "burst", "65536", "latency", "50ms"]))?;
    }
    let mut mpirun = command(CLUSTER, &["mpirun", RANKS, "-wdir"]);
    mpirun.arg(&job.folder).arg(&job.program);
    let found = report(job, "link", &mut mpirun)?;
    let named = named(&found, "link between")?;
    ensure!(named.contains(&format!("fc{SLOW}")), "another host was named: {named}");
    Ok(())
}

/// Takes the hosts down, whatever happens.
struct ClusterDown;

impl Drop for ClusterDown {
    fn drop(&mut self) {
        let _ = command(CLUSTER, &["down"]).status();
    }
}

fn local_ranks() -> Command {
    let flags = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", RANKS];
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

fn named<'a>(found: &'a str, words: &str) -> Result<&'a str> {
    let line = found.lines().find(|line| line.contains(words));
    line.with_context(|| format!("the report names nothing that `{words}`"))
}
