//! `cargo xtask bench compare`: an older binary and this revision's, taking turns in one run.
//!
//! Every round runs old, new and old again on each network (training on two workers, one thread
//! each, in turns) and on each algorithm of `bench allreduce` (mean of the logarithms over sizes).
//! A row shows the median over rounds of new over old, and of old over old, which is what the
//! machine's noise alone makes of equal programs: a row counts only if that lies within 2 %.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use base::median;

use super::ours::Firecaffe;
use super::turns::{TrainingProcess, write_solver};
use super::{asked, flag, save};

pub(super) const FLAGS: &[&str] =
    &["--old", "--firecaffe", "--rounds", "--iterations", "--nets", "--sizes", "--markdown"];

/// Networks of `bench/models` and iterations per turn: the shorter a turn, the less the machine
/// changes between two of them; some 0.2 seconds hide what starting and stopping cost.
const NETS: &[(&str, usize)] = &[
    ("alexnet_b32", 1),
    ("cifar10_quick_b100", 3),
    ("googlenet_b16", 1),
    ("lenet_b64", 12),
    ("nin_b32", 1),
    ("resnet50_b8", 1),
];

/// How `--nets` asks for the all-reduces.
const ALL_REDUCE: &str = "allreduce";
/// Workers that all-reduce, and how often per turn: a turn takes about a second.
const WORKERS: [(usize, &str); 3] = [(2, "100"), (4, "20"), (8, "10")];
/// What the new binary must reach of the old one's speed.
const TARGET: f64 = 0.98;
/// How far from 1 the same binary may be from itself for a row to count.
const NOISE_MAX: f64 = 0.02;
/// Rounds after which the programs are started anew: where the memory of a process happens to lie
/// makes a small network a few percent faster or slower for as long as the process lives.
const ROUNDS_PER_START: usize = 3;
/// Rounds go on up to so many times the number asked for, until the noise is below its limit.
const EXTRA_ROUNDS: usize = 3;

/// How nets are trained.
const TWO_WORKERS: [&str; 4] = ["--workers", "2", "--threads", "1"];

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

    /// Whether the same binary is as fast as itself.
    fn is_quiet(&self) -> bool {
        (median(self.old_to_old.clone()) - 1.0).abs() <= NOISE_MAX
    }

    /// Whether a round is still due, of at least `rounds`.
    fn wants_more(&self, rounds: usize) -> bool {
        let done = self.old_to_old.len();
        done < rounds || (done < EXTRA_ROUNDS * rounds && !self.is_quiet())
    }

    fn row(&self, name: &str) -> (String, bool) {
        let (new, old) = (median(self.new_to_old.clone()), median(self.old_to_old.clone()));
        let verdict = match (self.is_quiet(), new >= TARGET) {
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
    let rounds: usize = flag(args, "--rounds", "25").parse().context("--rounds takes a number")?;
    let old = flag(args, "--old", "");
    ensure!(!old.is_empty(), "--old PATH names the binary to compare with");
    let names: Vec<&str> = NETS.iter().map(|(net, _)| *net).chain([ALL_REDUCE]).collect();
    let asked = asked(args, "--nets", &names, |name| name)?;
    let (old, new) = (Firecaffe::find(&old)?, Firecaffe::find(&flag(args, "--firecaffe", ""))?);
    let turns = [&old, &new, &old];
    let mut ratios = BTreeMap::<String, SpeedRatios>::new();
    for (net, iterations) in NETS.iter().filter(|(net, _)| asked.contains(&net)) {
        let speeds = train_in_turns(turns, net, *iterations, rounds)?;
        let name = format!("train {net}, 2 workers");
        print!("{}", speeds.row(&name).0); // an interrupted run shows what it has
        ratios.insert(name, speeds);
    }
    if asked.contains(&&ALL_REDUCE) {
        for (workers, iterations) in WORKERS {
            let iterations = flag(args, "--iterations", iterations);
            let sizes = flag(args, "--sizes", "32K,1M,10M");
            let time = |turn: &Firecaffe| turn.all_reduce(workers, &sizes, &iterations);
            ratios.extend(all_reduce_in_turns(turns, time, workers, rounds)?);
        }
    }
    report(args, &ratios)
}

fn train_in_turns(
    turns: [&Firecaffe; 3],
    net: &str,
    iterations: usize,
    rounds: usize,
) -> Result<SpeedRatios> {
    let solver = write_solver(net, iterations)?;
    let start = |turn: &Firecaffe| TrainingProcess::start(turn.path(), &solver, &TWO_WORKERS);
    let mut ratios = SpeedRatios::default();
    while ratios.wants_more(rounds) {
        let mut processes = [start(turns[0])?, start(turns[1])?, start(turns[2])?];
        for _ in 0..ROUNDS_PER_START {
            let mut speeds = [0.0; 3];
            for (speed, process) in speeds.iter_mut().zip(&mut processes) {
                *speed = process.turn()?.recip();
            }
            ratios.add(speeds);
        }
    }
    Ok(ratios)
}

fn all_reduce_in_turns(
    turns: [&Firecaffe; 3],
    time: impl Fn(&Firecaffe) -> Result<BTreeMap<String, f64>>,
    workers: usize,
    rounds: usize,
) -> Result<BTreeMap<String, SpeedRatios>> {
    let mut ratios = BTreeMap::<String, SpeedRatios>::new();
    while ratios.is_empty() || ratios.values().any(|row| row.wants_more(rounds)) {
        let [before, now, after] = [time(turns[0])?, time(turns[1])?, time(turns[2])?];
        for (name, old) in before {
            let other = |times: &BTreeMap<String, f64>| {
                times.get(&name).copied().with_context(|| format!("no row {name}"))
            };
            let speeds = [old, other(&now)?, other(&after)?].map(f64::recip);
            let key = format!("allreduce {name}, {workers} workers");
            ratios.entry(key).or_default().add(speeds);
        }
    }
    ratios.iter().for_each(|(name, row)| print!("{}", row.row(name).0));
    Ok(ratios)
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
