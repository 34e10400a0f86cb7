//! `cargo xtask bench <what>`: measurements that need several programs, as tables and figures.

mod cluster;
mod cluster_train;
mod collectives;
mod figure;
mod measured;
mod ours;
mod peers;
mod scaling;
mod torch;

use std::fs;

use anyhow::{Context, Result, bail};
use base::median;

const USAGE: &str =
    "usage: cargo xtask bench collectives|cluster [--train] [--iterations N] [--firecaffe PATH]
       cargo xtask bench peers [--nets a,b] [--threads 1,2] [--rounds N] [--json FILE] [COMMON]
       cargo xtask bench scaling [--nets a,b] [--rounds N] [--iterations N] [COMMON]
COMMON: [--markdown FILE] where the table goes too,
        [--python PATH] one that can import torch, [--firecaffe PATH] instead of building it";

/// Runs one of the benches.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        Some((what, rest)) if what == "collectives" => collectives::run(rest),
        Some((what, rest)) if what == "cluster" => cluster::run(rest),
        Some((what, rest)) if what == "peers" => peers::run(rest),
        Some((what, rest)) if what == "scaling" => scaling::run(rest),
        _ => bail!("{USAGE}"),
    }
}

/// The value after a flag, or `default`.
fn flag(args: &[String], name: &str, default: &str) -> String {
    let at = args.iter().position(|arg| arg == name);
    at.and_then(|at| args.get(at + 1)).map_or(default, String::as_str).to_owned()
}

/// Whether `--nets a,b` asks for the network in this file, by the beginning of its name; all are without it.
fn is_asked(args: &[String], file: &str) -> bool {
    let asked = flag(args, "--nets", "");
    asked.is_empty() || asked.split(',').any(|beginning| file.starts_with(beginning))
}

/// Writes what was printed also to the file that a flag names, if it is given.
fn save(args: &[String], name: &str, text: &str) -> Result<()> {
    match flag(args, name, "") {
        file if file.is_empty() => Ok(()),
        file => fs::write(&file, text).with_context(|| format!("cannot write {file}")),
    }
}

/// How much faster `two` is than `one`: the median of each round's ratio, since what disturbs a round disturbs
/// both.
fn speed_up(one: &[f64], two: &[f64]) -> f64 {
    median(two.iter().zip(one).map(|(two, one)| two / one).collect())
}

/// What a table says about a target.
fn verdict(value: f64, target: f64) -> &'static str {
    if value >= target { "met" } else { "missed" }
}

/// Images a second.
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
    use super::{is_asked, save};

    fn args(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn networks_are_asked_for_by_beginnings() {
        let some = args(&["--rounds", "1", "--nets", "nin,lenet"]);
        assert!(is_asked(&some, "lenet_b64") && is_asked(&some, "nin_b32"));
        assert!(!is_asked(&some, "alexnet_b32"));
        assert!(is_asked(&args(&[]), "alexnet_b32"));
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
