//! What a rank with 1 GB of records takes, against the same run without records.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::failures::rank_process;
use super::job::{JobFolder, JobLength, data_layer, last_lines};

const RANKS: usize = 2;
/// 2 GB on two ranks.
const RECORDS: u32 = 20_000;
const SIDE: u32 = 316;
const BATCH: usize = 25;
const LENGTH: JobLength = JobLength { iterations: 40, display: 20, snapshot: 0 };
/// Beyond the shard and what is announced for exchanges.
const MARGIN: f64 = 1.15;

pub(super) fn run() -> Result<()> {
    let folder = JobFolder::new("memory")?;
    let dummy = format!(
        "layer {{ name: \"data\" type: \"DummyData\" top: \"data\" top: \"label\" dummy_data_param {{\n\
         shape {{ dim: {BATCH} dim: 1 dim: {SIDE} dim: {SIDE} }} shape {{ dim: {BATCH} }} }} }}"
    );
    folder.write(&dummy, LENGTH)?;
    let (without, _) = peak(&folder, "--replicas 4")?;
    folder.database("db", RECORDS, SIDE, None)?;
    folder.write(&data_layer("db", BATCH), LENGTH)?;
    let (with, log) = peak(&folder, "--replicas 4 --shuffle --data memory")?;
    let exchange = announced(&log)?;
    let shard = f64::from(RECORDS) * f64::from(SIDE * SIDE) / RANKS as f64;
    let taken = with - without;
    println!(
        "a shard of {:.0} MB took {:.0} MB, exchange announced with {:.0} MB",
        shard / 1e6,
        taken / 1e6,
        exchange / 1e6
    );
    ensure!(
        taken <= MARGIN * shard + exchange,
        "more than the shard, 15 % and the announced bytes"
    );
    refused(&folder)
}

/// A limit below the data set: refused before loading, with the numbers.
fn refused(folder: &JobFolder) -> Result<()> {
    let mut train = folder.train(1, "--replicas 4 --shuffle --data memory");
    let args: Vec<_> = train.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let program = train.get_program().to_string_lossy().into_owned();
    let limited = format!("ulimit -v 1500000; exec {program} {}", args.join(" "));
    train = std::process::Command::new("sh");
    let ended = train.args(["-c", &limited]).current_dir(&folder.path).output()?;
    let log = String::from_utf8_lossy(&ended.stderr);
    ensure!(ended.status.code() == Some(1), "2 GB in 1.5 GB: {}", last_lines(&log));
    let said = log.lines().find(|line| line.contains("`--data memory` needs "));
    println!("refused: {}", said.context("the log names the memory that is needed")?);
    Ok(())
}

/// Most anonymous resident memory of rank 1, in bytes, and the log.
fn peak(folder: &JobFolder, flags: &str) -> Result<(f64, String)> {
    let log_file = folder.path.join("log.txt");
    let log = fs::File::create(&log_file)?;
    let mut child = folder.train(RANKS, flags).stderr(Stdio::from(log)).spawn()?;
    let mut most = 0.0_f64;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if let Ok(pid) = rank_process(folder, 1) {
            most = most.max(anonymous(&pid).unwrap_or(0.0));
        }
        thread::sleep(Duration::from_millis(20));
    };
    let log = fs::read_to_string(log_file)?;
    ensure!(status.success(), "training failed: {}", last_lines(&log));
    Ok((most, log))
}

/// `RssAnon` of a process, in bytes.
fn anonymous(pid: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// Bytes that the log announces for exchanges.
fn announced(log: &str) -> Result<f64> {
    let (_, rest) = log.split_once("per rank and up to ").context("the log announces memory")?;
    let number = rest.split_whitespace().next().unwrap_or_default();
    Ok(number.parse::<f64>().context("megabytes")? * 1e6)
}
