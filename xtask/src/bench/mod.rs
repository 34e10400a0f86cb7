//! `cargo xtask bench <what>`: measurements that need several programs, as tables and figures.

mod cluster;
pub(crate) mod cluster_run;
mod cluster_train;
mod cluster_types;
mod collectives;
mod compare;
mod convergence;
mod data;
mod emulated;
pub(crate) mod emulation;
pub(crate) mod figure;
mod jpeg;
mod limit;
mod measured;
pub(crate) mod nets;
pub(crate) mod ours;
mod peers;
mod precision;
mod python;
mod scaling;
mod sharing;
mod simulator;
mod torch;
mod turns;

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use base::median;

/// How to call them.
pub(crate) const USAGE: &str =
    "usage: cargo xtask bench collectives [--iterations N] [--firecaffe PATH]
       cargo xtask bench cluster [--train | --types f32,f16] [--iterations N] [--gbits G] [--svg FILE]
                                 [--firecaffe PATH]
       cargo xtask bench compare --old PATH [--rounds N] [--nets a,b,allreduce] [--sizes 1M,10M] [COMMON]
       cargo xtask bench emulation [--nets a,b] [--rounds N] [--iterations N] [--markdown FILE]
                                   [--firecaffe PATH]
       cargo xtask bench compression --emulated [--clusters a,b] [--rows f16,top-k] [--iterations N]
                                     [--predict] [--markdown FILE] [--firecaffe PATH]
       cargo xtask bench ladder [--clusters a,b] [--rows ring,+ lazy] [--iterations N] [--latency-us L]
                                [--predict] [--markdown FILE] [--firecaffe PATH]
       cargo xtask bench convergence [--nets a,b] [--rows f16,top-k,batches] [--seeds N] [--epochs N]
                                     [--batch-epochs N] [--svg FILE] [COMMON]
       cargo xtask bench data [--rows threads,lenet,exchange] [--rounds N] [--markdown FILE]
                              [--firecaffe PATH]
       cargo xtask bench limit [--hosts 4,8] [--sizes 30,100] [--algorithms a,b] [--rounds N]
                               [--iterations N] [--gbits G] [--markdown FILE] [--firecaffe PATH]
       cargo xtask bench jpeg [--rounds N] [--markdown FILE]
       cargo xtask bench peers [--nets a,b] [--threads 1,2] [--rounds N] [--json FILE] [COMMON]
       cargo xtask bench precision [--rounds N] [--markdown FILE] [--firecaffe PATH]
       cargo xtask bench python [--turns N] [--markdown FILE]
       cargo xtask bench scaling [--nets a,b] [--rounds N] [--iterations N] [COMMON]
       cargo xtask bench sharing [--nets a,b] [--rounds N] [--seconds S] [--markdown FILE]
                                 [--firecaffe PATH]
       cargo xtask bench simulator [--markdown FILE] [--firecaffe PATH]
COMMON: [--markdown FILE] where the table goes too,
        [--python PATH] one that can import torch, [--firecaffe PATH] instead of building it";

type BenchFn = fn(&[String]) -> Result<()>;

/// Runs one of the benches.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let Some((what, rest)) = args.split_first() else { bail!("{USAGE}") };
    let (known, run): (&[&str], BenchFn) = match what.as_str() {
        "collectives" => (&["--iterations", "--firecaffe"], collectives::run),
        "cluster" => (cluster::FLAGS, cluster::run),
        "compare" => (compare::FLAGS, compare::run),
        "emulation" => (emulation::FLAGS, emulation::run),
        "compression" => (emulated::FLAGS, emulated::compression),
        "ladder" => (emulated::FLAGS, emulated::ladder),
        "convergence" => (convergence::FLAGS, convergence::run),
        "data" => (data::FLAGS, data::run),
        "limit" => (limit::FLAGS, limit::run),
        "tcp-stream" => return limit::run_stream(rest), // a host of `limit`
        "jpeg" => (jpeg::FLAGS, jpeg::run),
        "peers" => (peers::FLAGS, peers::run),
        "precision" => (precision::FLAGS, precision::run),
        "python" => (python::FLAGS, python::run),
        "scaling" => (scaling::FLAGS, scaling::run),
        "sharing" => (sharing::FLAGS, sharing::run),
        "simulator" => (simulator::FLAGS, simulator::run),
        _ => bail!("{USAGE}"),
    };
    check_flags(rest, known, USAGE)?;
    run(rest)
}

/// Flags without a value.
const SWITCHES: &[&str] = &["--train", "--predict", "--emulated"];

/// Refuses what is not a known flag with its value.
pub(crate) fn check_flags(args: &[String], known: &[&str], usage: &str) -> Result<()> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        ensure!(known.contains(&arg.as_str()), "`{arg}` is not a flag of this command\n{usage}");
        let is_switch = SWITCHES.contains(&arg.as_str());
        ensure!(is_switch || args.next().is_some(), "{arg} needs a value\n{usage}");
    }
    Ok(())
}

/// The value after a flag, or `default`.
pub(crate) fn flag(args: &[String], name: &str, default: &str) -> String {
    let at = args.iter().position(|arg| arg == name);
    at.and_then(|at| args.get(at + 1)).map_or(default, String::as_str).to_owned()
}

/// The rows that a flag as `--nets a,b` asks for, by the beginning of their names; all without it.
/// A beginning that fits no row is refused: measuring nothing would look like success.
pub(crate) fn asked<'a, T>(
    args: &[String],
    flag_name: &str,
    rows: &'a [T],
    name: impl Fn(&'a T) -> &'a str,
) -> Result<Vec<&'a T>> {
    let value = flag(args, flag_name, "");
    let asked: Vec<_> = value.split(',').filter(|beginning| !beginning.is_empty()).collect();
    let fits = |row: &'a T, beginning: &str| name(row).starts_with(beginning);
    for beginning in &asked {
        let known = || rows.iter().map(&name).collect::<Vec<_>>().join(", ");
        let is_known = rows.iter().any(|row| fits(row, beginning));
        ensure!(is_known, "{flag_name}: nothing is called `{beginning}`; there are {}", known());
    }
    let is_asked =
        |row: &&'a T| asked.is_empty() || asked.iter().any(|beginning| fits(row, beginning));
    Ok(rows.iter().filter(is_asked).collect())
}

/// Writes what was printed also to the file that a flag names, if it is given.
pub(crate) fn save(args: &[String], name: &str, text: &str) -> Result<()> {
    match flag(args, name, "") {
        file if file.is_empty() => Ok(()),
        file => fs::write(&file, text).with_context(|| format!("cannot write {file}")),
    }
}

/// How much faster `two` is than `one`: the median of each round's ratio, since what disturbs a
/// round disturbs both.
fn speed_up(one: &[f64], two: &[f64]) -> f64 {
    median(two.iter().zip(one).map(|(two, one)| two / one).collect())
}

/// A text as it can stand in a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.trim().replace('|', "/").replace('\n', " ")
}

/// What a table says about a target.
fn verdict(value: f64, target: f64) -> &'static str {
    if value >= target { "met" } else { "missed" }
}

/// An error that names what was missed, if anything was.
fn none_missed(missed: &[String]) -> Result<()> {
    ensure!(missed.is_empty(), "missed: {}", missed.join("; "));
    Ok(())
}

/// Images per second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    /// Forward and backward.
    pass: f64,
    /// The same and the update.
    all: f64,
}

impl Rate {
    fn median(rates: &[Self]) -> Self {
        let of = |part: fn(&Self) -> f64| median(rates.iter().map(part).collect());
        Self { pass: of(|rate| rate.pass), all: of(|rate| rate.all) }
    }
}

#[cfg(test)]
mod tests {
    use super::{USAGE, asked, check_flags, save};

    fn args(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn networks_are_asked_for_by_beginnings() {
        const ROWS: [&str; 3] = ["alexnet_b32", "lenet_b64", "nin_b32"];
        let found = |words: &[&str]| asked(&args(words), "--nets", &ROWS, |row| row);
        assert_eq!(found(&["--rounds", "1", "--nets", "nin,lenet"]).unwrap(), [&ROWS[1], &ROWS[2]]);
        assert_eq!(found(&[]).unwrap().len(), ROWS.len());
        let refused = found(&["--nets", "lenet,LeNet"]).unwrap_err().to_string();
        assert!(refused.contains("`LeNet`") && refused.contains("nin_b32"), "{refused}");
    }

    #[test]
    fn a_misspelled_flag_is_refused() {
        let check = |words: &[&str]| check_flags(&args(words), &["--rounds", "--train"], USAGE);
        assert!(check(&["--train", "--rounds", "2"]).is_ok());
        assert!(check(&["--round", "2"]).unwrap_err().to_string().contains("`--round` is not"));
        assert!(check(&["--rounds"]).unwrap_err().to_string().contains("needs a value"));
    }

    #[test]
    fn what_was_printed_is_written_where_asked() {
        let file = std::env::temp_dir().join(format!("bench-{}.md", std::process::id()));
        let asked = args(&["--markdown", &file.to_string_lossy()]);
        save(&asked, "--json", "no").unwrap();
        assert!(!file.exists());
        save(&asked, "--markdown", "| a |\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "| a |\n");
        std::fs::remove_file(&file).unwrap();
        let nowhere = args(&["--markdown", "no/such/folder/x.md"]);
        let error = save(&nowhere, "--markdown", "").unwrap_err();
        assert!(error.to_string().contains("no/such/folder/x.md"), "{error}");
    }
}
