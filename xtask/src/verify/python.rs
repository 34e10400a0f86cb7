//! `cargo xtask verify python CHECKOUT`: what was written for pycaffe runs on our package.
//!
//! `CHECKOUT` is a checkout of BVLC Caffe. Its own Python tests run unchanged from its root; then,
//! in a copy, four notebooks as `notebook.py` converts them, on random weights and Fashion-MNIST,
//! and `examples/pycaffe`. Last, `demo.py` trains our LeNet demo from Python and by the command, to
//! the same hashes. The package is built by the dev profile.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::demo::find_images;
use crate::packages::{self, Packages};
use crate::python::{GRAPHVIZ, PythonEnvironment};
use crate::shell::{self, cargo, command, root, target_dir};

const USAGE: &str = "usage: cargo xtask verify python CHECKOUT [--data DIR]";
/// BVLC's tests, and how many there are: words of pytest's last line.
const TESTS: &str = "python/caffe/test";
const TESTS_PASSED: [&str; 2] = ["52", "passed"];
const NOTEBOOKS: &[&str] =
    &["00-classification", "01-learning-lenet", "net_surgery", "brewing-logreg"];
/// What tests and notebooks import.
const PACKAGES: &[&str] =
    &["pytest", "six", "pydot", "matplotlib", "scikit-image", "scikit-learn", "pandas", "h5py"];

pub(crate) fn run(args: &[String]) -> Result<()> {
    let (checkout, data) = match args {
        [checkout] => (checkout, None),
        [checkout, flag, folder] if flag == "--data" => (checkout, Some(Path::new(folder))),
        _ => bail!("{USAGE}"),
    };
    let checkout = fs::canonicalize(checkout).with_context(|| format!("no checkout {checkout}"))?;
    ensure!(checkout.join(TESTS).is_dir(), "{} has no {TESTS}", checkout.display());
    if let Packages::Missing(reason) = packages::ensure(&[GRAPHVIZ])? {
        bail!("one of the tests draws a net with Graphviz: {reason}");
    }
    let environment = PythonEnvironment::make("verify-python", PACKAGES)?;
    environment.install_caffe("dev")?;
    tests(&environment, &checkout)?;
    let copy = copy(&checkout)?;
    prepare(&environment, &copy, data)?;
    for notebook in NOTEBOOKS {
        let path = copy.join("examples").join(notebook).with_extension("ipynb");
        shell::run(&mut script(&environment, "notebook.py", &path))?;
    }
    shell::run(&mut script(&environment, "examples.py", &copy))?;
    let mut demo = script(&environment, "demo.py", &root().join("examples/lenet"));
    shell::run(demo.arg(copy.join("examples/mnist/mnist_")).arg(program()))?;
    let passed = TESTS_PASSED.join(" ");
    println!(
        "{passed}, 0 skipped; {} notebooks, examples/pycaffe and the demo ran",
        NOTEBOOKS.len()
    );
    Ok(())
}

/// BVLC's own tests, as their authors run them.
fn tests(environment: &PythonEnvironment, checkout: &Path) -> Result<()> {
    let mut pytest = environment.python(&["-m", "pytest", "-p", "no:cacheprovider", TESTS]);
    let report = shell::output(pytest.current_dir(checkout).env("PYTHONDONTWRITEBYTECODE", "1"))?;
    let last = report.lines().last().unwrap_or_default().trim_matches('=').trim();
    println!("{TESTS}: {last}");
    ensure!(all_passed(last), "expected {} and none skipped", TESTS_PASSED.join(" "));
    Ok(())
}

/// Whether pytest's last line, such as `52 passed, 1 warning in 3.21s`, tells of all tests alone.
fn all_passed(line: &str) -> bool {
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let other = |word: &&str| ["failed", "error", "errors", "skipped", "xfailed"].contains(word);
    words.starts_with(&TESTS_PASSED) && !words.iter().any(other)
}

/// A copy of the files in which notebooks may write.
fn copy(checkout: &Path) -> Result<PathBuf> {
    let copy = target_dir().join("verify-python-checkout");
    if copy.exists() {
        fs::remove_dir_all(&copy).context("cannot remove the copy of an earlier run")?;
    }
    let paths = [checkout, &copy].map(|path| path.to_string_lossy().into_owned());
    shell::run(&mut command("cp", &["-r", &paths[0], &paths[1]]))?;
    Ok(copy)
}

/// What the notebooks would download or build: models, label names, databases, the program.
fn prepare(environment: &PythonEnvironment, copy: &Path, data: Option<&Path>) -> Result<()> {
    shell::run(&mut script(environment, "prepare.py", copy))?;
    let images = find_images(data, copy)?;
    println!("data: {}", images.origin);
    for (part, images, labels) in images.parts() {
        let database = copy.join(format!("examples/mnist/mnist_{part}_lmdb"));
        let [images, labels, database] =
            [images, labels, &database].map(|path| path.display().to_string());
        let convert = ["-m", "caffe", "data", "convert-idx", &images, &labels, &database];
        shell::run(&mut environment.python(&convert))?;
    }
    shell::run(&mut cargo(&["build", "--package", "firecaffe"]))?;
    let tools = copy.join("build/tools");
    fs::create_dir_all(&tools).context("cannot make build/tools")?;
    symlink(program(), tools.join("caffe")).context("cannot link our program as build/tools/caffe")
}

/// Our program, which `prepare` builds.
fn program() -> PathBuf {
    target_dir().join("debug/firecaffe")
}

/// One of our scripts, on a file or folder.
fn script(environment: &PythonEnvironment, name: &str, path: &Path) -> std::process::Command {
    let script = root().join("xtask/src/verify/python").join(name);
    environment.python(&[&*script.to_string_lossy(), &path.to_string_lossy()])
}

#[cfg(test)]
mod tests {
    use super::all_passed;

    #[test]
    fn all_tests_pass_and_no_more() {
        assert!(all_passed("52 passed in 3.21s") && all_passed("52 passed, 7 warnings in 9.00s"));
        for line in ["152 passed in 3s", "51 passed, 1 skipped in 3s", "1 failed, 52 passed", ""] {
            assert!(!all_passed(line), "{line}");
        }
    }
}
