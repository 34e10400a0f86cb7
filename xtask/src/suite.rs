//! `cargo xtask test`: everything tests need, then all tests.
//!
//! What cannot be installed makes its tests SKIPPED, with the reason. Where a skip would hide a
//! failure (`.ci/run`, or `CI=true`), it is an error: see [`no_skips`].

use std::env;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::packages::{self, Packages};
use crate::shell::{self, cargo};

/// What tests and benches between ranks need. Nothing to build with: MPI is loaded at run time.
pub(crate) const MPI_PACKAGES: &[&str] = &["openmpi-bin"];

/// What the tests need: Open MPI, and MPICH for the same binary under another launcher.
const TEST_PACKAGES: &[&str] = &["openmpi-bin", "mpich"];

/// Set to make every skip an error.
pub(crate) const NO_SKIP: &str = "FIRECAFFE_NO_SKIP";

pub(crate) fn run(args: &[String]) -> Result<()> {
    if let Some(arg) = args.first() {
        bail!("`{arg}` is not an option; for single tests use `cargo test -p CRATE NAME`");
    }
    let begin = Instant::now();
    let packages = packages::ensure(TEST_PACKAGES)?;
    if let Packages::Missing(reason) = &packages
        && no_skips()
    {
        bail!("tests between ranks would be skipped, which is not accepted here: {reason}");
    }
    shell::run(&mut cargo(&["test", "--workspace"]))?;
    let seconds = begin.elapsed().as_secs();
    match packages {
        Packages::Ready => println!("ALL TESTS PASSED in {seconds} s"),
        Packages::Missing(reason) => println!(
            "ALL TESTS PASSED in {seconds} s, but SKIPPED are those between ranks whose launcher is \
             missing: {reason}"
        ),
    }
    Ok(())
}

fn no_skips() -> bool {
    env::var_os(NO_SKIP).is_some() || env::var("CI").is_ok_and(|ci| ci == "true")
}
