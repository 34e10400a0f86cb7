//! `cargo xtask verify <what>`: what we write, read by programs that others wrote.

mod opencv;

use anyhow::{Result, bail};

pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        Some((what, rest)) if what == "opencv" => opencv::run(rest),
        _ => bail!("usage: cargo xtask verify opencv"),
    }
}
