//! The Python package `caffe`: its wheel, and virtual environments that have it, for tests.
//!
//! `maturin` builds the package; pip gets it, and what tests import, from the network. Environments
//! lie in the build folder and are made once.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::shell::{self, command, target_dir};

/// The package's folder, relative to the root.
const PACKAGE: &str = "crates/python";
/// What builds it; `pyproject.toml` asks for the same.
const MATURIN: &str = "maturin==1.16.*";
/// What the tests of the package import, besides what it needs itself.
const TEST_PACKAGES: &[&str] = &["pytest", "matplotlib", "pydot", "scikit-image"];
/// Draws graphs for `caffe.draw`.
pub(crate) const GRAPHVIZ: &str = "graphviz";

/// `cargo xtask wheel`: a wheel for every CPython from 3.9 on, in `target/wheels`.
pub(crate) fn wheel(args: &[String]) -> Result<()> {
    if let Some(arg) = args.first() {
        bail!("`{arg}` is not an option of `cargo xtask wheel`");
    }
    let environment = PythonEnvironment::make("python-wheel", &[MATURIN])?;
    let manifest = format!("{PACKAGE}/Cargo.toml");
    let build = ["-m", "maturin", "build", "--release", "--manifest-path", &manifest];
    shell::run(&mut environment.python(&build))
}

/// What the package's own tests need, but for the package.
pub(crate) fn test_environment() -> Result<PythonEnvironment> {
    PythonEnvironment::make("python-test", TEST_PACKAGES)
}

/// Runs them on the package of an environment; `program` is a `firecaffe` that may hand over to it.
pub(crate) fn test(environment: &PythonEnvironment, program: &Path) -> Result<()> {
    let tests = format!("{PACKAGE}/tests");
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &tests];
    shell::run(environment.python(&pytest).env("FIRECAFFE", program))
}

/// A virtual environment.
pub(crate) struct PythonEnvironment {
    folder: PathBuf,
}

impl PythonEnvironment {
    /// Makes the environment `name`, or takes the one that is there, and installs `packages`.
    pub(crate) fn make(name: &str, packages: &[&str]) -> Result<Self> {
        let environment = Self { folder: target_dir().join(name) };
        if !environment.interpreter().exists() {
            let folder = environment.folder.to_string_lossy();
            shell::run(&mut command("python3", &["-m", "venv", &folder]))?;
        }
        if !packages.is_empty() {
            environment.pip(&[&["install"], packages].concat())?;
        }
        Ok(environment)
    }

    /// Installs the package as `pip install ./crates/python` does, but built by this profile of
    /// cargo's; tests use `dev`, which the tests of Rust have built already.
    pub(crate) fn install_caffe(&self, profile: &str) -> Result<()> {
        self.pip(&["install", MATURIN, "numpy", "protobuf"])?;
        let package = format!("./{PACKAGE}");
        let install = ["install", "--no-build-isolation", "--no-deps", "--force-reinstall"];
        let mut pip = self.pip_command(&[&install[..], &[&package]].concat());
        shell::run(pip.env("MATURIN_PEP517_ARGS", format!("--profile {profile}")))
    }

    /// `python args…` in this environment, to be run in the project's root.
    pub(crate) fn python(&self, args: &[&str]) -> std::process::Command {
        let mut python = command(&self.interpreter().to_string_lossy(), args);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.folder.join("bin")].into_iter().chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            python.env("PATH", path); // its `python3` too, for programs that start one
        }
        python.env("PYTHONNOUSERSITE", "1").env("VIRTUAL_ENV", &self.folder);
        python
    }

    fn pip(&self, args: &[&str]) -> Result<()> {
        shell::run(&mut self.pip_command(args))
    }

    fn pip_command(&self, args: &[&str]) -> std::process::Command {
        let (command, rest) = args.split_at(1);
        let quiet = ["--quiet", "--disable-pip-version-check"];
        self.python(&[&["-m", "pip"], command, &quiet, rest].concat())
    }

    fn interpreter(&self) -> PathBuf {
        self.folder.join("bin/python")
    }
}
