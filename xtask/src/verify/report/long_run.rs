//! A million iterations through the real writer.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use report::RunHistory;
use report::html::{PageKind, page};
use report::record::{
    DisplayEntry, IterationBin, RankShare, RecordWriter, RunBegin, RunEntry, TestEntry, TimesEntry,
};

use super::folder_bytes;

const ITERATIONS: u64 = 1_000_000;
const RANKS: usize = 4;

pub(super) fn run(folder: &Path) -> Result<()> {
    let dir = folder.join("long");
    let written = write(&dir, ITERATIONS)?;
    let bytes = folder_bytes(&dir)?;
    let begin = Instant::now();
    let run = RunHistory::read(&dir)?;
    let counted: u64 = run.steps.iter().map(|bin| bin.count).sum();
    let html = page(&[run], PageKind::File);
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{ITERATIONS} iterations: written in {written:.1} s, {:.1} MB on the disk; report of {:.2} \
         MB in {seconds:.2} s",
        bytes as f64 / 1e6,
        html.len() as f64 / 1e6
    );
    ensure!(counted == ITERATIONS, "{counted} iterations were read back");
    ensure!(bytes < 50_000_000 && html.len() < 2_000_000 && seconds < 5.0, "too large or too slow");
    Ok(())
}

/// What it takes to write one iteration.
pub(super) fn seconds_per_iteration(folder: &Path) -> Result<f64> {
    const FEW: u64 = 50_000;
    Ok(write(&folder.join("short"), FEW)? / FEW as f64)
}

/// Writes a record; how many seconds that takes.
fn write(dir: &Path, iterations: u64) -> Result<f64> {
    let begin = Instant::now();
    let mut writer = RecordWriter::open(dir)?;
    writer
        .write(&RunEntry::Begin(Box::new(RunBegin { images: 64, ..RunBegin::default() })), 0.0)?;
    for iteration in 0..iterations {
        let seconds = iteration as f64 * 0.01;
        for entry in entries(iteration, seconds) {
            writer.write(&entry, seconds)?;
        }
    }
    drop(writer);
    Ok(begin.elapsed().as_secs_f64())
}

/// What an iteration gives: a display every 100, a test every 10,000.
fn entries(iteration: u64, seconds: f64) -> Vec<RunEntry> {
    let loss =
        2.0 / (1.0 + iteration as f64 / 1e5) + 0.1 * ((iteration * 7919 % 101) as f64 / 101.0);
    let mut all =
        vec![RunEntry::Steps(IterationBin::single(iteration, seconds, loss, Some(1 << 20)))];
    if iteration.is_multiple_of(100) {
        let outputs = vec![("loss".to_owned(), loss)];
        let (rate, images_per_s) = (0.01, Some(6400.0));
        all.push(RunEntry::Display(DisplayEntry { iteration, loss, rate, images_per_s, outputs }));
        let share = |rank| RankShare {
            host: format!("host-{rank}"),
            seconds: [0.01, 0.3, 0.5, 0.15, 0.04],
        };
        let ranks = (0..RANKS).map(share).collect();
        all.push(RunEntry::Times(TimesEntry { iteration, iterations: 100, ranks }));
    }
    if iteration.is_multiple_of(10_000) {
        let outputs = vec![("accuracy".to_owned(), 1.0 - 1.0 / (2.0 + iteration as f64 / 1e5))];
        all.push(RunEntry::Test(TestEntry { iteration, net: 0, outputs }));
    }
    all
}
