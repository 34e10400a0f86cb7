//! A rank is killed or stopped while records are loaded or exchanged.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::job::{JobFolder, JobLength, data_layer, finish, hashes};
use crate::shell;

const RANKS: usize = 4;
/// The rank that fails.
const VICTIM: usize = 2;
/// Records of 8 kB: loading them takes long enough to be interrupted.
const RECORDS: u32 = 60_000;
const SIDE: u32 = 90;
const LENGTH: JobLength = JobLength { iterations: 90, display: 5, snapshot: 20 };
const FLAGS: &str = "--replicas 8 --shuffle --data memory";
/// Ten seconds without a heartbeat, and one for the message to arrive.
const NAMED_WITHIN: Duration = Duration::from_secs(11);

/// When a rank fails: a line of the log, and how long after it.
const MOMENTS: &[(&str, &str, Duration)] = &[
    ("loading", "in memory, ", Duration::from_millis(50)),
    ("exchange", "Iteration 30 (", Duration::from_millis(20)),
];

pub(super) fn run() -> Result<()> {
    let folder = JobFolder::new("failures")?;
    folder.database("db", RECORDS, SIDE, None)?;
    folder.write(&data_layer("db", 125), LENGTH)?;
    let want = hashes(&finish(&mut folder.train(RANKS, FLAGS))?)?;
    for (moment, line, delay) in MOMENTS {
        for signal in ["KILL", "STOP"] {
            remove_snapshots(&folder)?;
            let seconds = fail(&folder, line, *delay, signal)?;
            let log = finish(&mut folder.train(RANKS, &format!("{FLAGS} --snapshot auto")))?;
            ensure!(hashes(&log)?.last() == want.last(), "{signal} in {moment}: other weights");
            println!("SIG{signal} during {moment}: named after {seconds:.1} s, resumed exactly");
        }
    }
    Ok(())
}

/// Starts a job, lets a rank fail some time after `line`, and waits for the others' words.
fn fail(folder: &JobFolder, line: &str, delay: Duration, signal: &str) -> Result<f64> {
    let mut child = folder.train(RANKS, FLAGS).stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stderr.take().context("stderr is piped")?).lines();
    let mut seen = Vec::new();
    loop {
        let next = lines.next().transpose()?;
        seen.push(next.with_context(|| format!("no `{line}`: {}", seen.join("\n")))?);
        if seen.last().is_some_and(|seen| seen.contains(line)) {
            break;
        }
    }
    thread::sleep(delay);
    let victim = rank_process(folder, VICTIM)?;
    let begin = Instant::now();
    shell::output(&mut shell::command("kill", &[&format!("-{signal}"), &victim]))?;
    let named = lines.map_while(Result::ok).find(|line| names(line));
    let seconds = begin.elapsed();
    end(&mut child, &victim, signal)?;
    ensure!(named.is_some(), "rank {VICTIM} was not named after SIG{signal}");
    ensure!(seconds < NAMED_WITHIN, "rank {VICTIM} was named after {seconds:?} only");
    Ok(seconds.as_secs_f64())
}

/// Whether our program names the rank, or `mpirun`, which is first to see that it was killed.
fn names(line: &str) -> bool {
    let named = [format!("rank {VICTIM} is lost"), format!("process rank {VICTIM} with PID")];
    named.iter().any(|words| line.contains(words))
}

/// Waits for `mpirun`, which must fail; a rank that is stopped cannot end by itself.
fn end(child: &mut Child, victim: &str, signal: &str) -> Result<()> {
    if signal == "STOP" {
        let _ = shell::command("kill", &["-KILL", victim]).stderr(Stdio::null()).status();
    }
    ensure!(!child.wait()?.success(), "a job that lost a rank did not fail");
    Ok(())
}

/// The process of a rank of this folder's job, known by the environment that `mpirun` gave it.
pub(super) fn rank_process(folder: &JobFolder, rank: usize) -> Result<String> {
    let ours = format!("TMPDIR={}", folder.path.display());
    let rank = format!("OMPI_COMM_WORLD_RANK={rank}");
    for entry in fs::read_dir("/proc")? {
        let pid = entry?.file_name().to_string_lossy().into_owned();
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let has = |want: &str| environment.split(|&byte| byte == 0).any(|it| it == want.as_bytes());
        if has(&ours) && has(&rank) {
            return Ok(pid);
        }
    }
    anyhow::bail!("no process of {rank}")
}

fn remove_snapshots(folder: &JobFolder) -> Result<()> {
    for file in fs::read_dir(&folder.path)? {
        let path = file?.path();
        if path.to_string_lossy().contains("_iter_") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
