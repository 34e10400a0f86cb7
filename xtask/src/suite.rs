//! `cargo xtask test`: everything tests need, then all tests, those of the Python package
//! in an environment of their own, then training under every launcher.
//!
//! What cannot be installed makes its tests SKIPPED, with the reason. Where a skip would hide a
//! failure (`.ci/run`, or `CI=true`), it is an error: see [`no_skips`].

use std::env;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::packages::{self, Packages};
use crate::python;
use crate::shell::{self, cargo};
use crate::verify::launchers;

/// What tests and benches between ranks need. Nothing to build with: MPI is loaded at run time.
pub(crate) const MPI_PACKAGES: &[&str] = &["openmpi-bin"];

/// Set to make every skip an error.
pub(crate) const NO_SKIP: &str = "FIRECAFFE_NO_SKIP";

pub(crate) fn run(args: &[String]) -> Result<()> {
    match args {
        [] => {}
        [part] if part == "python" => return python_alone(),
        [arg, ..] => bail!(
            "`{arg}` is not an option; for single tests use `cargo test -p CRATE NAME`, for those of \
             the Python package `cargo xtask test python`"
        ),
    }
    let begin = Instant::now();
    let wanted = [launchers::PACKAGES, &[python::GRAPHVIZ]].concat();
    let packages = packages::ensure(&wanted)?;
    if let Packages::Missing(reason) = &packages
        && no_skips()
    {
        bail!("tests between ranks would be skipped, which is not accepted here: {reason}");
    }
    // pytest tests the Python package.
    shell::run(&mut cargo(&["test", "--workspace", "--exclude", "python"]))?;
    let program = shell::target_dir().join("debug/firecaffe");
    let python = python::test(&program)?;
    if let Packages::Missing(reason) = &python
        && no_skips()
    {
        bail!("tests of the Python package would be skipped, which is not accepted here: {reason}");
    }
    if packages == Packages::Ready {
        launchers::check(&program)?;
    }
    let seconds = begin.elapsed().as_secs();
    match packages {
        Packages::Ready => println!("ALL TESTS PASSED in {seconds} s"),
        Packages::Missing(reason) => println!(
            "ALL TESTS PASSED in {seconds} s, but SKIPPED are those between ranks whose launcher is \
             missing: {reason}"
        ),
    }
    if let Packages::Missing(reason) = python {
        println!("SKIPPED are the tests of the Python package: {reason}");
    }
    Ok(())
}

/// The tests of the Python package only.
fn python_alone() -> Result<()> {
    shell::run(&mut cargo(&["build", "--package", "firecaffe"]))?;
    match python::test(&shell::target_dir().join("debug/firecaffe"))? {
        Packages::Ready => Ok(()),
        Packages::Missing(reason) => bail!("SKIPPED: {reason}"),
    }
}

/// Whether a skip is an error here.
pub(crate) fn no_skips() -> bool {
    env::var_os(NO_SKIP).is_some() || env::var("CI").is_ok_and(|ci| ci == "true")
}
