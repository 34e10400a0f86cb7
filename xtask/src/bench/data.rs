//! `cargo xtask bench data`: whether data arrives faster than nets ask for it.
//!
//! * `threads`: raw and JPEG records of 256 x 256 x 3, crop 227, mirror, mean image, from database
//!   to finished batch, on one thread and on two, taking turns with libjpeg-turbo's decoder and
//!   with a control that only computes.
//! * `lenet`: LeNet on two workers from an LMDB, streamed, shuffled and in memory, against
//!   `DummyData`.
//! * `exchange`: 60,000 records of 8 kB on eight hosts of 1 Gbit/s: an exchange alone, and in
//!   emulated training.
//!
//! Fails if a row misses what it should reach. The file of `--markdown` is written after every
//! group of rows.

mod exchange;
mod lenet;
mod threads;

use anyhow::{Context, Result, ensure};

use super::ours::with_mpi;
use super::{flag, none_missed, save, verdict};

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

impl DataRow {
    /// In the table. A value that is no number is missed.
    fn line(&self) -> String {
        let Self { what, measured, value, least } = self;
        let verdict = verdict(*value, *least);
        format!("| {what} | {measured} | {value:.3} | {least} | {verdict} |\n")
    }

    /// What it misses, if it does.
    fn missed(&self) -> Option<String> {
        let Self { what, value, least, .. } = self;
        (verdict(*value, *least) == "missed").then(|| format!("{what}: {value:.3} of {least}"))
    }
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
    let mut missed = Vec::new();
    for (_, rows) in ROWS.iter().filter(|(name, _)| asked.contains(name)) {
        for row in rows(&program, rounds)? {
            let line = row.line();
            print!("{line}");
            table += &line;
            missed.extend(row.missed());
        }
        save(args, "--markdown", &table)?; // an interrupted run shows what it has
    }
    print!("\n{table}");
    none_missed(&missed)
}

#[cfg(test)]
mod tests {
    use super::DataRow;
    use crate::bench::none_missed;

    #[test]
    fn a_row_below_its_least_is_an_error() {
        let row = |value| DataRow {
            what: "raw".to_owned(),
            measured: "7 images/s".to_owned(),
            value,
            least: 0.8,
        };
        assert_eq!(row(0.8).line(), "| raw | 7 images/s | 0.800 | 0.8 | met |\n");
        assert_eq!(row(0.8).missed(), None);
        assert_eq!(row(0.79).line(), "| raw | 7 images/s | 0.790 | 0.8 | missed |\n");
        assert_eq!(row(0.79).missed().as_deref(), Some("raw: 0.790 of 0.8"));
        assert!(row(f64::NAN).missed().is_some());
        none_missed(&[]).unwrap();
        let error = none_missed(&["a".to_owned(), "b".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "missed: a; b");
    }
}
