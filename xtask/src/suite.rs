//! `cargo xtask test`: everything tests need, then all tests.
//!
//! What cannot be installed makes its tests SKIPPED, with the reason. Where a skip would hide a
//! failure (`.ci/run`, or `CI=true`), it is an error: see [`no_skips`].

use std::env;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::packages::{self, Packages};
use crate::shell::{self, cargo};

/// What the `mpi` feature's tests need.
pub(crate) const MPI_PACKAGES: &[&str] = &["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Set to make every skip an error.
pub(crate) const NO_SKIP: &str = "FIRECAFFE_NO_SKIP";

pub(crate) fn run(args: &[String]) -> Result<()> {
    if let Some(arg) = args.first() {
        bail!("`{arg}` is not an option; for single tests use `cargo test -p CRATE NAME`");
    }
    let begin = Instant::now();
    shell::run(&mut cargo(&["test", "--workspace"]))?;
    let skipped = mpi()?;
    let seconds = begin.elapsed().as_secs();
    if skipped.is_empty() {
        println!("ALL TESTS PASSED in {seconds} s");
        return Ok(());
    }
    if no_skips() {
        bail!("tests were skipped, which is not accepted here: {}", skipped.join("; "));
    }
    println!("ALL TESTS PASSED in {seconds} s, but for {} SKIPPED:", skipped.len());
    skipped.iter().for_each(|reason| println!("  {reason}"));
    Ok(())
}

/// Tests of the `mpi` feature, if a crate has it; what was skipped, and why.
fn mpi() -> Result<Vec<String>> {
    let metadata = ["metadata", "--format-version=1", "--no-deps"];
    let metadata = shell::output(&mut cargo(&metadata))?;
    let features = metadata.contains("\"mpi\":[");
    if !features {
        return Ok(Vec::new());
    }
    if let Packages::Missing(reason) = packages::ensure(MPI_PACKAGES)? {
        println!("SKIPPED: tests under mpirun: {reason}");
        return Ok(vec![format!("tests under mpirun: {reason}")]);
    }
    shell::run(&mut cargo(&["test", "-p", "transport", "-p", "exchange", "--features", "mpi"]))?;
    shell::run(&mut cargo(&["test", "-p", "firecaffe", "--features", "mpi", "--test", "ranks"]))?;
    Ok(Vec::new())
}

fn no_skips() -> bool {
    env::var_os(NO_SKIP).is_some() || env::var("CI").is_ok_and(|ci| ci == "true")
}
