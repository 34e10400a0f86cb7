//! `cargo xtask bench convergence`: the accuracy that wire formats, mixed precision, compressions
//! and large batches reach, against dense f32.
//!
//! Fashion-MNIST, LeNet and ResNet-8, the examples' solvers at a few epochs:
//!
//! 1. every row of [`VARIANTS`] on 4 ranks, 16 images each, with the same seeds as dense, in runs
//!    of at most [`SECONDS_MAX`];
//! 2. batches of 256, 1,024 and 4,096, as `firecaffe solver scale` writes the solver, against 64,
//!    at equal epochs and with the same seeds, on two workers of one process. These runs are as
//!    long as their epochs take.
//!
//! A row shows the mean over seeds, its standard deviation and how far it lies below dense. A run
//! that ends early, because it diverges for example, makes a missed row, and the next row follows.

mod figure;
mod job;
mod table;
mod variants;

use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::ours::with_mpi;
use super::{asked, flag, save};
use crate::demo;
use crate::shell::root;
use job::{ConvergenceJob, ConvergenceNet, FOLDER, NETS};
use table::{AccuracyRow, RowGroup, report, summary};
use variants::{BATCHES, CHUNK, SPARSE_CHUNKS, VARIANTS};

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

/// Longest run of a row of [`VARIANTS`].
const SECONDS_MAX: f64 = 60.0;
/// Least share of a net's values that sparse chunks may leave out: else the row shows little.
const SELECTABLE_MIN: f64 = 0.8;

/// Trains everything and prints the table; fails when a row misses what it must reach.
pub(super) fn run(args: &[String]) -> Result<()> {
    let number = |name: &str, default: &str| -> Result<u32> {
        flag(args, name, default).parse().with_context(|| format!("{name} takes a whole number"))
    };
    let (seeds, epochs) = (number("--seeds", "5")?, number("--epochs", "3")?);
    let batch_epochs = number("--batch-epochs", "20")?;
    ensure!(seeds > 0, "--seeds is at least 1");
    let nets = asked(args, "--nets", NETS, |net| net.name)?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    demo::prepare(FOLDER, None)?;
    let begin = Instant::now();
    let asked_rows = flag(args, "--rows", "");
    let wants = |name: &str| asked_rows.is_empty() || asked_rows.split(',').any(|row| row == name);
    let mut rows: Vec<AccuracyRow> = Vec::new();
    let mut add = |row: AccuracyRow| -> Result<()> {
        println!("{}", row.line());
        rows.push(row);
        let minutes = begin.elapsed().as_secs_f64() / 60.0;
        save(args, "--markdown", &report(&rows, minutes))?; // an interrupted run shows what it has
        save(args, "--svg", &figure::draw(&rows))
    };
    for net in nets {
        for variant in VARIANTS.iter().filter(|row| row.name == "dense" || wants(row.name)) {
            let job = ConvergenceJob { net, program: &program, epochs, batch: None };
            let name = variant_name(net, variant.name)?;
            let mut row = AccuracyRow::new(net.name, name, RowGroup::Variants, variant.allowed);
            row.train((1..=seeds).map(|seed| job.train_ranks(seed, variant.flags)));
            add(row)?;
        }
        for &(batch, allowed) in BATCHES.iter().filter(|_| wants("batches")) {
            let scaled = (batch != BATCHES[0].0).then_some(batch);
            let job =
                ConvergenceJob { net, program: &program, epochs: batch_epochs, batch: scaled };
            let name = format!("batch {batch}, {batch_epochs} epochs");
            let mut row = AccuracyRow::new(net.name, name, RowGroup::Batches, allowed);
            row.train((1..=seeds).map(|seed| job.train_workers(seed)));
            add(row)?;
        }
    }
    print!("\n{}", report(&rows, begin.elapsed().as_secs_f64() / 60.0));
    println!("files: {}", root().join(FOLDER).display());
    summary(&rows)
}

/// What the table calls a row; of sparse chunks with the share of values that may be left out.
fn variant_name(net: &ConvergenceNet, name: &str) -> Result<String> {
    match name {
        SPARSE_CHUNKS => sparse_name(net.name, net.selectable(CHUNK)?),
        _ => Ok(name.to_owned()),
    }
}

/// An error if too few values of the net may be left out.
fn sparse_name(net: &str, share: f64) -> Result<String> {
    let (percent, least) = (100.0 * share, 100.0 * SELECTABLE_MIN);
    ensure!(
        share >= SELECTABLE_MIN,
        "{net}: only {percent:.0} % of the values are in params of at least {CHUNK}, which sparse \
         chunks can leave out; at least {least:.0} % must be: take a smaller `chunk` or a larger net"
    );
    Ok(format!("{SPARSE_CHUNKS}, {percent:.0} % selectable"))
}

#[cfg(test)]
mod tests {
    use super::job::NETS;
    use super::{SPARSE_CHUNKS, sparse_name, variant_name};

    #[test]
    fn sparse_chunks_can_leave_out_most_of_the_nets() {
        let name = |index: usize| variant_name(&NETS[index], SPARSE_CHUNKS).unwrap();
        assert_eq!(name(0), "sparse-chunks, 100 % selectable");
        assert_eq!(name(1), "sparse-chunks, 89 % selectable");
        assert_eq!(variant_name(&NETS[0], "f16").unwrap(), "f16");
        let error = sparse_name("small", 0.79).unwrap_err().to_string();
        assert!(error.contains("small: only 79 %") && error.contains("at least 80 %"), "{error}");
    }
}
