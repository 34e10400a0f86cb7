//! `cargo xtask test`: everything tests need is installed and built; then the clock starts, and all
//! tests run, those of the Python package in an environment of their own, then training under every
//! launcher.
//!
//! What cannot be installed makes its tests SKIPPED, with the reason. Where a skip would hide a
//! failure (`.ci/run`, or `CI=true`), it is an error: see [`no_skips`].

use std::env;
use std::time::Instant;

use anyhow::{Context, Result, bail};

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
    // All packages, with the features that the Python package gives its dependencies: else most of
    // them would be built twice.
    let all = ["test", "--workspace"];
    shell::run(&mut cargo(&[&all[..], &["--no-run"]].concat()))?;
    let environment = python::test_environment();
    match &environment {
        Ok(environment) => environment.install_caffe("dev")?,
        Err(reason) if no_skips() => bail!(
            "tests of the Python package would be skipped, which is not accepted here: {reason:#}"
        ),
        Err(_) => {}
    }
    let built = begin.elapsed().as_secs();
    let begin = Instant::now();
    shell::run(&mut cargo(&all))?;
    let program = shell::target_dir().join("debug/firecaffe");
    if let Ok(environment) = &environment {
        python::test(environment, &program)?;
    }
    if packages == Packages::Ready {
        launchers::check(&program)?;
    }
    let tested = begin.elapsed().as_secs();
    let passed =
        format!("ALL TESTS PASSED in {tested} s, after {built} s of installing and building");
    match packages {
        Packages::Ready => println!("{passed}"),
        Packages::Missing(reason) => println!(
            "{passed}, but SKIPPED are those between ranks whose launcher is missing: {reason}"
        ),
    }
    if let Err(reason) = environment {
        println!("SKIPPED are the tests of the Python package: {reason:#}");
    }
    Ok(())
}

/// The tests of the Python package only.
fn python_alone() -> Result<()> {
    shell::run(&mut cargo(&["build", "--package", "firecaffe"]))?;
    let environment = python::test_environment().context("SKIPPED")?;
    environment.install_caffe("dev")?;
    python::test(&environment, &shell::target_dir().join("debug/firecaffe"))
}

/// Whether a skip is an error here.
pub(crate) fn no_skips() -> bool {
    env::var_os(NO_SKIP).is_some() || env::var("CI").is_ok_and(|ci| ci == "true")
}
