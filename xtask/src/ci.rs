//! `cargo xtask ci`: what must hold for every commit, cheapest first. `.ci/run` is this.

use anyhow::Result;

use crate::shell::{self, cargo};
use crate::{suite, tidy};

pub(crate) fn run(_args: &[String]) -> Result<()> {
    shell::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    tidy::run(&[])?;
    shell::run(&mut cargo(&["xtask", "codegen", "--check"]))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    shell::run(&mut cargo(&clippy))?;
    // What `cargo xtask` builds.
    let small = ["clippy", "-p", "xtask", "--no-default-features", "--", "-D", "warnings"];
    shell::run(&mut cargo(&small))?;
    let doc = ["doc", "--workspace", "--no-deps"];
    shell::run(cargo(&doc).env("RUSTDOCFLAGS", "-D warnings"))?;
    // The same command as users run, but nothing may be skipped.
    shell::run(cargo(&["xtask", "test"]).env(suite::NO_SKIP, "1"))?;
    println!("CI PASSED");
    Ok(())
}
