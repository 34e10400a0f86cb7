//! `cargo xtask bench <what>`: measurements that need several programs, as tables and figures.

mod cluster;
mod cluster_train;
mod collectives;
mod figure;
mod measured;

use anyhow::{Result, bail};

/// Runs one of the benches.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        Some((what, rest)) if what == "collectives" => collectives::run(rest),
        Some((what, rest)) if what == "cluster" => cluster::run(rest),
        _ => bail!("usage: cargo xtask bench collectives|cluster [--train] [--iterations N]"),
    }
}

/// The value after a flag, or `default`.
fn flag(args: &[String], name: &str, default: &str) -> String {
    let at = args.iter().position(|arg| arg == name);
    at.and_then(|at| args.get(at + 1)).map_or(default, String::as_str).to_owned()
}
