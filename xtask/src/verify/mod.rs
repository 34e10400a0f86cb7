//! `cargo xtask verify <what>`: promises checked at full size: the same bits on any workers and ranks, and
//! what we write read by programs that others wrote.

mod exact;
mod opencv;

use anyhow::{Result, bail};

pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        Some((what, rest)) if what == "opencv" => opencv::run(rest),
        Some((what, rest)) if what == "exact" => exact::run(rest),
        _ => bail!("usage: cargo xtask verify exact|opencv"),
    }
}
