//! Four ranks, one of which is stopped for more than half of its time: the report names it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, ensure};

use super::{RecordedJob, logged};
use crate::packages::{self, Packages};
use crate::shell::command;

const SLOW_RANK: &str = "2";

/// Runs a rank, and stops it again and again if it is the slow one.
const WRAPPER: &str = "#!/bin/sh\n\
    [ \"$OMPI_COMM_WORLD_RANK\" = \"$SLOW_RANK\" ] || exec \"$@\"\n\
    \"$@\" & pid=$!\n\
    while kill -STOP $pid 2>/dev/null; do sleep 0.06; kill -CONT $pid; sleep 0.03; done\n\
    wait $pid\n";

pub(super) fn run(job: &RecordedJob) -> Result<()> {
    if let Packages::Missing(why) = packages::ensure(&["openmpi-bin"])? {
        println!("skipped: a straggler among four ranks ({why})");
        return Ok(());
    }
    let wrapper = job.path("rank.sh");
    fs::write(&wrapper, WRAPPER)?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
    job.solver("ranks", "max_iter: 400 display: 20 snapshot: 0")?;
    let launcher = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "4"];
    let mut mpirun = command("mpirun", &launcher);
    mpirun.arg(&wrapper).arg(&job.program).current_dir(&job.folder).env("SLOW_RANK", SLOW_RANK);
    mpirun.args(["train", "--solver", "ranks.prototxt", "--threads", "1", "--record", "ranks"]);
    logged(&mut mpirun)?;
    let output = job.firecaffe(&["report", "ranks", "--out", "ranks.html"]).output()?;
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{found}");
    let straggler = format!("Rank {SLOW_RANK} on ");
    let named = found.lines().find(|line| line.contains("is a straggler"));
    ensure!(
        named.context("no straggler was named")?.contains(&straggler),
        "another rank was named than {SLOW_RANK}"
    );
    Ok(())
}
