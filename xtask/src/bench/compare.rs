//! `cargo xtask bench compare`: an older binary and this revision's, taking turns in one run.
//!
//! Every round runs old, new and old again on each network (training on two workers, one thread
//! each) and on each algorithm of `bench allreduce`. A row shows the median over rounds of new over
//! old, and of old over old, which is what the machine's noise alone makes of equal programs: a row
//! is judged only if that lies within 2 %.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use base::median;

use super::ours::Firecaffe;
use super::{flag, is_asked, save};
use crate::shell::root;

pub(super) const FLAGS: &[&str] =
    &["--old", "--firecaffe", "--rounds", "--iterations", "--nets", "--sizes", "--markdown"];

/// Networks of `bench/models` and iterations per turn, so that turns take about as long.
const NETS: &[(&str, usize)] = &[
    ("alexnet_b32", 3),
    ("cifar10_quick_b100", 20),
    ("googlenet_b16", 3),
    ("lenet_b64", 60),
    ("nin_b32", 3),
    ("resnet50_b8", 3),
];

const WORKERS: [usize; 3] = [2, 4, 8];
/// What the new binary must reach of the old one's speed.
const TARGET: f64 = 0.98;
/// How far from 1 the same binary may be from itself for a row to count.
const NOISE_MAX: f64 = 0.02;

/// Speed ratios of one row, round by round.
#[derive(Debug, Default)]
struct SpeedRatios {
    new_to_old: Vec<f64>,
    old_to_old: Vec<f64>,
}

impl SpeedRatios {
    /// Enters a round of old, new and old again, each as a speed. The new one is compared with the
    /// mean of its neighbours, which cancels a drift of the machine.
    fn add(&mut self, [before, new, after]: [f64; 3]) {
        self.new_to_old.push(2.0 * new / (before + after));
        self.old_to_old.push(after / before);
    }

    fn row(&self, name: &str) -> (String, bool) {
        let (new, old) = (median(self.new_to_old.clone()), median(self.old_to_old.clone()));
        let quiet = (old - 1.0).abs() <= NOISE_MAX;
        let verdict = match (quiet, new >= TARGET) {
            (true, true) => "met",
            (true, false) => "missed",
            (false, _) => "too noisy",
        };
        let rounds = self.new_to_old.len();
        (format!("| {name} | {rounds} | {new:.3} | {old:.3} | {verdict} |\n"), verdict == "met")
    }
}

/// Measures and prints the table; fails when a row misses its target.
pub(super) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "15").parse().context("--rounds takes a number")?;
    let iterations = flag(args, "--iterations", "10");
    let sizes = flag(args, "--sizes", "32K,1M,10M");
    let old = flag(args, "--old", "");
    ensure!(!old.is_empty(), "--old PATH names the binary to compare with");
    let (old, new) = (Firecaffe::find(&old)?, Firecaffe::find(&flag(args, "--firecaffe", ""))?);
    let turns = [&old, &new, &old];
    let mut ratios = BTreeMap::<String, SpeedRatios>::new();
    for round in 1..=rounds {
        for (net, iterations) in NETS.iter().filter(|(net, _)| is_asked(args, net)) {
            let file = root().join(format!("bench/models/{net}.prototxt"));
            let file = file.to_string_lossy();
            let speed = |turn: &Firecaffe| -> Result<f64> {
                let rates = turn.scaling(&file, 2, *iterations)?;
                rates.last().copied().context("no images/s of two workers")
            };
            let speeds = [speed(turns[0])?, speed(turns[1])?, speed(turns[2])?];
            ratios.entry(format!("train {net}, 2 workers")).or_default().add(speeds);
        }
        for workers in WORKERS.iter().filter(|_| is_asked(args, "allreduce")) {
            let time = |turn: &Firecaffe| turn.all_reduce(*workers, &sizes, &iterations);
            let [before, now, after] = [time(turns[0])?, time(turns[1])?, time(turns[2])?];
            for (name, microseconds) in before {
                let key = format!("allreduce {name}, {workers} workers");
                let other = |times: &BTreeMap<String, f64>| {
                    times.get(&name).copied().with_context(|| format!("no row {name}"))
                };
                let speeds = [microseconds, other(&now)?, other(&after)?].map(f64::recip);
                ratios.entry(key).or_default().add(speeds);
            }
        }
        println!("round {round} of {rounds} done");
    }
    report(args, &ratios)
}

fn report(args: &[String], ratios: &BTreeMap<String, SpeedRatios>) -> Result<()> {
    let rows: Vec<(String, bool)> = ratios.iter().map(|(name, row)| row.row(name)).collect();
    let table: String = rows.iter().map(|(row, _)| row.as_str()).collect();
    let table = format!(
        "| speed, median over rounds | rounds | new / old | old / old | at least {TARGET} |\n\
         |---|--:|--:|--:|---|\n{table}"
    );
    print!("\n{table}");
    save(args, "--markdown", &table)?;
    let missed = rows.iter().filter(|(_, met)| !met).count();
    ensure!(missed == 0, "{missed} of {} rows miss {TARGET} or are too noisy", rows.len());
    println!("All {} rows are at least {TARGET} of the old binary's speed.", rows.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::SpeedRatios;

    fn row(rounds: &[[f64; 3]]) -> String {
        let mut ratios = SpeedRatios::default();
        rounds.iter().for_each(|&round| ratios.add(round));
        ratios.row("x").0
    }

    #[test]
    fn rows_are_judged_only_where_the_machine_was_quiet() {
        assert_eq!(row(&[[1.0, 0.99, 1.0]; 3]), "| x | 3 | 0.990 | 1.000 | met |\n");
        assert_eq!(row(&[[1.0, 0.97, 1.0]]), "| x | 1 | 0.970 | 1.000 | missed |\n");
        assert_eq!(row(&[[1.0, 1.5, 1.1]]), "| x | 1 | 1.429 | 1.100 | too noisy |\n");
    }

    #[test]
    fn a_steady_drift_cancels() {
        assert_eq!(row(&[[1.0, 1.005, 1.01]]), "| x | 1 | 1.000 | 1.010 | met |\n");
    }
}
