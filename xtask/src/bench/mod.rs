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

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask bench collectives|cluster [--train] [--iterations N]
       cargo xtask bench peers [--nets a,b] [--threads 1,2] [--rounds N] [--json FILE] [BINARIES]
       cargo xtask bench scaling [--nets a,b] [--rounds N] [--iterations N] [BINARIES]
BINARIES: [--python PATH] one that can import torch, [--firecaffe PATH] instead of building it";

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

/// The middle one, or the mean of the middle two; 0 for none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    match (values.get(low), values.get(high)) {
        (Some(low), Some(high)) => f64::midpoint(*low, *high),
        _ => 0.0,
    }
}
