//! `cargo xtask bench data`: whether data arrives faster than nets ask for it.
//!
//! * `threads`: raw and JPEG records of 256 x 256 x 3, crop 227, mirror, mean image, from database
//!   to finished batch, on one thread and on two, taking turns with libjpeg-turbo's decoder and
//!   with a control that only computes.
//! * `lenet`: LeNet on two workers from an LMDB, streamed, shuffled and in memory, against
//!   `DummyData`.
//! * `exchange`: 60,000 records of 8 kB on eight hosts of 1 Gbit/s: an exchange alone, and in
//!   emulated training.

mod exchange;
mod lenet;
mod threads;

use anyhow::{Context, Result, ensure};

use super::ours::with_mpi;
use super::{flag, save};

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] = &["--rows", "--rounds", "--markdown", "--firecaffe"];

type RowsFn = fn(&str, usize) -> Result<Vec<DataRow>>;

const ROWS: &[(&str, RowsFn)] =
    &[("threads", threads::run), ("lenet", lenet::run), ("exchange", exchange::run)];

/// A measurement and what it should be.
struct DataRow {
    what: String,
    measured: String,
    /// What is judged, and the least it should be.
    value: f64,
    least: f64,
}

/// Measures and prints the table.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "11").parse().context("--rounds takes a number")?;
    ensure!(rounds > 0, "--rounds takes 1 or more");
    let asked = flag(args, "--rows", "threads,lenet,exchange");
    let asked: Vec<&str> = asked.split(',').collect();
    for name in &asked {
        ensure!(ROWS.iter().any(|(known, _)| known == name), "--rows: `{name}` is not known");
    }
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let mut table =
        String::from("| data | measured | value | at least | |\n|---|---|--:|--:|---|\n");
    for (_, rows) in ROWS.iter().filter(|(name, _)| asked.contains(name)) {
        for DataRow { what, measured, value, least } in rows(&program, rounds)? {
            let verdict = super::verdict(value, least);
            let row = format!("| {what} | {measured} | {value:.3} | {least} | {verdict} |\n");
            print!("{row}");
            table += &row;
        }
    }
    print!("\n{table}");
    save(args, "--markdown", &table)
}
