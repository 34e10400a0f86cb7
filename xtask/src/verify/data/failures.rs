//! A rank is killed or stopped while records are loaded or exchanged.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use snapshot::ResumeExactness;

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
/// From the fault to the line that names the rank.
const NAMED_WITHIN: Duration = Duration::from_secs(10);

/// When a rank fails.
struct FaultMoment {
    name: &'static str,
    /// A line of the log.
    after: &'static str,
    /// How long after it.
    delay: Duration,
    /// What the log says when the moment is over.
    before: &'static str,
}

const MOMENTS: &[FaultMoment] = &[
    FaultMoment {
        name: "loading",
        after: "in memory, ",
        delay: Duration::from_millis(50),
        before: "records are where they are used first",
    },
    FaultMoment {
        name: "exchange",
        after: "Iteration 30 (",
        delay: Duration::from_millis(20),
        before: "Optimization Done",
    },
];

pub(super) fn run() -> Result<()> {
    let folder = JobFolder::new("failures")?;
    folder.database("db", RECORDS, SIDE, None)?;
    folder.write(&data_layer("db", 125), LENGTH)?;
    let want = hashes(&finish(&mut folder.train(RANKS, FLAGS))?)?;
    for moment in MOMENTS {
        for signal in ["KILL", "STOP"] {
            remove_snapshots(&folder)?;
            let seconds = fail(&folder, moment, signal)?;
            let snapshots = whole_snapshots(&folder)?;
            let log = finish(&mut folder.train(RANKS, &format!("{FLAGS} --snapshot auto")))?;
            let name = moment.name;
            ensure!(hashes(&log)?.last() == want.last(), "{signal} in {name}: other weights");
            println!(
                "SIG{signal} during {name}: named after {seconds:.1} s, {snapshots} snapshots whole, \
                 resumed exactly"
            );
        }
    }
    Ok(())
}

/// Starts a job, lets a rank fail at `moment`, and waits for the others' words; how long they took.
fn fail(folder: &JobFolder, moment: &FaultMoment, signal: &str) -> Result<f64> {
    let mut child = folder.train(RANKS, FLAGS).stderr(Stdio::piped()).spawn()?;
    let mut lines = timed_lines(child.stderr.take().context("stderr is piped")?);
    let mut seen = Vec::new();
    loop {
        let next = lines.next().with_context(|| format!("no line in time: {}", seen.join("\n")));
        let (_, line) = next?;
        seen.push(line);
        if seen.last().is_some_and(|seen| seen.contains(moment.after)) {
            break;
        }
    }
    thread::sleep(moment.delay);
    let victim = rank_process(folder, VICTIM)?;
    let begin = Instant::now();
    shell::output(&mut shell::command("kill", &[&format!("-{signal}"), &victim]))?;
    let over = |(at, line): &(Instant, String)| *at < begin && line.contains(moment.before);
    let mut missed = false;
    let named = lines.by_ref().inspect(|line| missed |= over(line)).find(|(_, line)| names(line));
    end(&mut child, &victim, signal)?;
    ensure!(!missed, "SIG{signal} came after {}: the moment was missed", moment.name);
    let (at, _) = named.with_context(|| format!("rank {VICTIM} is not named after SIG{signal}"))?;
    let seconds = at.saturating_duration_since(begin);
    ensure!(seconds < NAMED_WITHIN, "rank {VICTIM} was named after {seconds:?} only");
    Ok(seconds.as_secs_f64())
}

/// Lines with the time at which each came: read at once, whatever their reader does meanwhile.
fn timed_lines(from: ChildStderr) -> mpsc::IntoIter<(Instant, String)> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if sender.send((Instant::now(), line)).is_err() {
                break;
            }
        }
    });
    lines.into_iter()
}

/// Nothing is half-written: every snapshot that a resume would take has all its files, with their
/// checksums, and every model can be read. How many there are.
fn whole_snapshots(folder: &JobFolder) -> Result<usize> {
    let mut states = 0;
    for file in fs::read_dir(&folder.path)? {
        let path = file?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with("run_iter_") {
            continue;
        }
        // A file that is not complete has a name of its own, which nothing reads.
        match path.extension().unwrap_or_default().to_str() {
            Some("caffemodel") => drop(snapshot::load_model(&path).context(name)?),
            Some("solverstate") => {
                let loaded = snapshot::load(&path).context(name.clone())?;
                let exact = matches!(loaded.resume, ResumeExactness::Exact(_));
                ensure!(exact && loaded.model.is_some(), "{name} has no sidecar or no model");
                states += 1;
            }
            Some("firecaffe" | "partial") => {}
            other => anyhow::bail!("{name}: a snapshot has no files of this kind ({other:?})"),
        }
    }
    let latest = snapshot::find_latest(&folder.path.join("run").to_string_lossy())?;
    let skipped = latest.map_or(0, |latest| latest.skipped.len());
    ensure!(skipped == 0, "{skipped} snapshots are not complete");
    Ok(states)
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
