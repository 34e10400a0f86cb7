//! A run that is killed at random points and resumed.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use report::RunHistory;

use super::browser::Browser;
use super::{RecordedJob, folder_bytes};

const KILLS: u64 = 100;

pub(super) fn run(job: &RecordedJob, browser: &Browser) -> Result<()> {
    job.solver("killed", "max_iter: 100000000 display: 7 snapshot: 50")?;
    let (mut state, mut before, mut resumes) = (1701_u64, 0, 0);
    for kill in 0..KILLS {
        let args =
            ["--record", "killed-record", "--tensorboard", "killed-board", "--snapshot", "auto"];
        let mut child =
            job.train("killed", &args).stderr(Stdio::null()).stdout(Stdio::null()).spawn()?;
        // xorshift: the points are the same in every run, as far as the machine allows.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        thread::sleep(Duration::from_millis(200 + state % 2300));
        let dir = job.path("killed-record");
        let flushed = RunHistory::read(&dir).ok();
        child.kill()?;
        child.wait()?;
        if !dir.exists() {
            continue; // killed before it began
        }
        let Ok(run) = RunHistory::read(&dir) else {
            let empty = folder_bytes(&dir)? == 0;
            ensure!(empty, "kill {kill}: the record cannot be read");
            continue;
        };
        let next = check(&run, flushed.as_ref()).with_context(|| format!("kill {kill}"))?;
        resumes = run.begins.len();
        before = next;
    }
    println!(
        "{KILLS} kills: every record loaded; {before} iterations once each, {resumes} processes"
    );
    ensure!(resumes > 10, "the run hardly ever resumed");
    browser.read_board(&["killed-board"])
}

/// What `run` has after a kill, of which `flushed` could be read before it; iterations in all.
fn check(run: &RunHistory, flushed: Option<&RunHistory>) -> Result<u64> {
    ensure!(run.damaged == 0, "{} damaged lines", run.damaged);
    let mut next = 0;
    for bin in &run.steps {
        ensure!(bin.first == next, "iteration {next} is missing or twice");
        next = bin.last + 1;
    }
    // A process that began in between has superseded what lies after its snapshot.
    let same_process = |before: &&RunHistory| before.begins.len() == run.begins.len();
    let flushed = flushed.filter(same_process).map_or(0, RunHistory::iteration);
    let resumed = run.begins.last().map_or(0, |begin| begin.iteration);
    let least = flushed.max(resumed);
    ensure!(next >= least, "{next} iterations, but {least} had been written out");
    Ok(next)
}
