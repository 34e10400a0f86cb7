//! `cargo xtask bench convergence`: the accuracy that wire formats, mixed precision, compressions
//! and large batches reach, against dense f32.
//!
//! Fashion-MNIST, LeNet and ResNet-8, the examples' solvers at a few epochs:
//!
//! 1. every row of [`VARIANTS`] on 4 ranks, 16 images each, with the same seeds as dense;
//! 2. batches of 256, 1,024 and 4,096, as `firecaffe solver scale` writes the solver, against 64,
//!    at equal epochs, on two workers of one process.
//!
//! A row shows the mean over seeds, its standard deviation and how far it lies below dense.

mod figure;
mod job;
mod variants;

use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::ours::with_mpi;
use super::{asked, flag, save};
use crate::demo;
use crate::shell::root;
use job::{ConvergenceJob, FOLDER, NETS};
use variants::{BATCHES, VARIANTS};

pub(super) const FLAGS: &[&str] = &[
    "--nets",
    "--seeds",
    "--epochs",
    "--batch-epochs",
    "--rows",
    "--markdown",
    "--svg",
    "--firecaffe",
];

/// Accuracies of one row on one net, in percent, one per seed.
struct AccuracyRow {
    net: &'static str,
    name: String,
    accuracies: Vec<f64>,
    /// Points that the mean may lie below the net's first row.
    allowed: f64,
}

impl AccuracyRow {
    fn mean(&self) -> f64 {
        self.accuracies.iter().sum::<f64>() / self.accuracies.len() as f64
    }

    /// Standard deviation of a single run.
    fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.accuracies.iter().map(|a| (a - mean).powi(2)).sum();
        (squares / (self.accuracies.len() as f64 - 1.0).max(1.0)).sqrt()
    }
}

/// Trains everything and prints the tables; fails when a row lies below what it is allowed.
pub(super) fn run(args: &[String]) -> Result<()> {
    let number = |name: &str, default: &str| -> Result<u32> {
        flag(args, name, default).parse().with_context(|| format!("{name} takes a whole number"))
    };
    let (seeds, epochs) = (number("--seeds", "5")?, number("--epochs", "3")?);
    let batch_epochs = number("--batch-epochs", "20")?;
    ensure!(seeds > 0, "--seeds is at least 1");
    let nets = asked(args, NETS, |net| net.name)?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    demo::prepare(FOLDER, None)?;
    let begin = Instant::now();
    let asked_rows = flag(args, "--rows", "");
    let wants = |name: &str| asked_rows.is_empty() || asked_rows.split(',').any(|row| row == name);
    let mut rows = Vec::new();
    for net in nets {
        for variant in VARIANTS.iter().filter(|row| row.name == "dense" || wants(row.name)) {
            let job = ConvergenceJob { net, program: &program, epochs, batch: None };
            rows.push(AccuracyRow {
                net: net.name,
                name: variant.name.to_owned(),
                accuracies: (1..=seeds)
                    .map(|seed| job.train_ranks(seed, variant.flags))
                    .collect::<Result<_>>()?,
                allowed: variant.allowed,
            });
            print_last(&rows);
        }
        for &(batch, allowed) in BATCHES.iter().filter(|_| wants("batches")) {
            let scaled = (batch != BATCHES[0].0).then_some(batch);
            let job =
                ConvergenceJob { net, program: &program, epochs: batch_epochs, batch: scaled };
            rows.push(AccuracyRow {
                net: net.name,
                name: format!("batch {batch}, {batch_epochs} epochs"),
                accuracies: vec![job.train_workers(1)?],
                allowed,
            });
            print_last(&rows);
        }
    }
    report(args, &rows, begin.elapsed().as_secs_f64() / 60.0)
}

fn print_last(rows: &[AccuracyRow]) {
    if let Some(row) = rows.last() {
        println!("{}, {}: {:.2} %", row.net, row.name, row.mean());
    }
}

/// What a row is compared with: the first row of its net, or of its net's batches.
fn baseline<'a>(rows: &'a [AccuracyRow], row: &AccuracyRow) -> Option<&'a AccuracyRow> {
    let is_batch = |row: &AccuracyRow| row.name.starts_with("batch ");
    rows.iter().find(|other| other.net == row.net && is_batch(other) == is_batch(row))
}

fn report(args: &[String], rows: &[AccuracyRow], minutes: f64) -> Result<()> {
    let mut table = String::from(
        "| net | | accuracy, % | deviation of a run | points below | allowed | |\n\
         |---|---|--:|--:|--:|--:|---|\n",
    );
    let mut missed = 0;
    for row in rows {
        let first = baseline(rows, row).context("every net has a first row")?;
        let below = first.mean() - row.mean();
        let is_met = below <= row.allowed;
        missed += usize::from(!is_met);
        let verdict = if is_met { "met" } else { "missed" };
        table += &format!(
            "| {} | {} | {:.2} | {:.2} | {below:.2} | {:.1} | {verdict} |\n",
            row.net,
            row.name,
            row.mean(),
            row.deviation(),
            row.allowed
        );
    }
    print!("\n{table}\nDuration: {minutes:.0} minutes.\n");
    save(args, "--markdown", &table)?;
    save(args, "--svg", &figure::draw(rows))?;
    ensure!(missed == 0, "{missed} of {} rows lie below what they are allowed", rows.len());
    println!("All {} rows reach what they are allowed.", rows.len());
    println!("logs: {}", root().join(FOLDER).display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{AccuracyRow, baseline};

    fn row(net: &'static str, name: &str, accuracies: &[f64]) -> AccuracyRow {
        AccuracyRow { net, name: name.into(), accuracies: accuracies.to_vec(), allowed: 0.5 }
    }

    #[test]
    fn rows_are_compared_within_their_net_and_kind() {
        let rows = [
            row("a", "dense", &[90.0]),
            row("a", "f16", &[89.0]),
            row("a", "batch 64, 20 epochs", &[91.0]),
            row("b", "dense", &[80.0]),
        ];
        let first = |index: usize| baseline(&rows, &rows[index]).map(|row| row.name.as_str());
        assert_eq!(first(1), Some("dense"));
        assert_eq!(first(2), Some("batch 64, 20 epochs"));
        assert_eq!(baseline(&rows, &rows[3]).map(|row| row.net), Some("b"));
    }

    #[test]
    fn deviation_is_that_of_a_single_run() {
        let row = row("a", "dense", &[1.0, 2.0, 3.0]);
        assert!((row.mean() - 2.0).abs() < 1e-12 && (row.deviation() - 1.0).abs() < 1e-12);
    }
}
