//! Rows, what they are compared with, and the table.

use anyhow::{Result, ensure};

use super::SECONDS_MAX;
use crate::bench::cell;

/// Which row of its net a row is compared with: the first of the same group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowGroup {
    /// Of `VARIANTS`, against dense; runs have a longest time.
    Variants,
    /// Batches, against the first.
    Batches,
}

/// One training run that came to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ConvergenceRun {
    /// In percent.
    pub(super) accuracy: f64,
    /// From start to end of the process.
    pub(super) seconds: f64,
}

/// The runs of one row on one net, one per seed.
pub(super) struct AccuracyRow {
    pub(super) net: &'static str,
    pub(super) name: String,
    group: RowGroup,
    runs: Vec<ConvergenceRun>,
    /// Why the run after those ended early.
    failure: Option<String>,
    /// Points that the mean may lie below the net's first row.
    pub(super) allowed: f64,
}

impl AccuracyRow {
    pub(super) fn new(net: &'static str, name: String, group: RowGroup, allowed: f64) -> Self {
        Self { net, name, group, runs: Vec::new(), failure: None, allowed }
    }

    /// Trains until a run fails: the others would not save the row.
    pub(super) fn train(&mut self, runs: impl Iterator<Item = Result<ConvergenceRun>>) {
        for (run, seed) in runs.zip(1..) {
            match run {
                Ok(run) => self.runs.push(run),
                Err(error) => {
                    self.failure = Some(format!("seed {seed}: {error:#}"));
                    break;
                }
            }
        }
    }

    /// The mean accuracy; `None` if no run came to its end.
    pub(super) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.runs.iter().map(|run| run.accuracy).sum();
        (!self.runs.is_empty()).then(|| sum / self.runs.len() as f64)
    }

    /// Standard deviation of a single run; `None` of fewer than two.
    pub(super) fn deviation(&self) -> Option<f64> {
        let mean = self.mean().filter(|_| self.runs.len() > 1)?;
        let squares: f64 = self.runs.iter().map(|run| (run.accuracy - mean).powi(2)).sum();
        Some((squares / (self.runs.len() as f64 - 1.0)).sqrt())
    }

    /// Seconds of the longest run.
    fn longest(&self) -> Option<f64> {
        self.runs.iter().map(|run| run.seconds).max_by(f64::total_cmp)
    }

    /// What is printed when it is done.
    pub(super) fn line(&self) -> String {
        let Self { net, name, .. } = self;
        let failure = self.failure.as_ref().map_or(String::new(), |why| format!("; {why}"));
        let (mean, longest) = (number(self.mean(), 2), number(self.longest(), 0));
        format!("{net}, {name}: {mean} %, {longest} s per run{failure}")
    }

    /// What it misses; empty if it reaches what it must.
    fn misses(&self, below: Option<f64>) -> Vec<String> {
        let mut misses = Vec::new();
        if let Some(why) = &self.failure {
            misses.push(cell(why));
        }
        match below {
            Some(below) if below <= self.allowed => {}
            Some(_) => misses.push("accuracy".to_owned()),
            None => misses.push("nothing to compare".to_owned()),
        }
        if self.group == RowGroup::Variants && self.longest() > Some(SECONDS_MAX) {
            misses.push(format!("a run above {SECONDS_MAX:.0} s"));
        }
        misses
    }
}

/// What a row is compared with: the first row of its net and group.
pub(super) fn baseline<'a>(rows: &'a [AccuracyRow], row: &AccuracyRow) -> Option<&'a AccuracyRow> {
    rows.iter().find(|other| other.net == row.net && other.group == row.group)
}

/// Points that a row lies below its baseline.
fn below(rows: &[AccuracyRow], row: &AccuracyRow) -> Option<f64> {
    Some(baseline(rows, row)?.mean()? - row.mean()?)
}

/// The table and the duration, in Markdown.
pub(super) fn report(rows: &[AccuracyRow], minutes: f64) -> String {
    let mut table = String::from(
        "| net | | accuracy, % | deviation of a run | runs | longest, s | points below | allowed | |\n\
         |---|---|--:|--:|--:|--:|--:|--:|---|\n",
    );
    for row in rows {
        let below = below(rows, row);
        let misses = row.misses(below).join("; ");
        let verdict =
            if misses.is_empty() { "met".to_owned() } else { format!("missed: {misses}") };
        table += &format!(
            "| {} | {} | {} | {} | {} | {} | {} | {:.1} | {verdict} |\n",
            row.net,
            row.name,
            number(row.mean(), 2),
            number(row.deviation(), 2),
            row.runs.len(),
            number(row.longest(), 0),
            number(below, 2),
            row.allowed
        );
    }
    format!("{table}\nDuration: {minutes:.0} minutes.\n")
}

/// A number, or a dash if there is none.
fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

/// An error if a row misses what it must reach.
pub(super) fn summary(rows: &[AccuracyRow]) -> Result<()> {
    let is_missed = |row: &&AccuracyRow| !row.misses(below(rows, row)).is_empty();
    let missed = rows.iter().filter(is_missed).count();
    ensure!(missed == 0, "{missed} of {} rows miss what they must reach", rows.len());
    println!("All {} rows reach what they must.", rows.len());
    Ok(())
}

#[cfg(test)]
mod tests;
